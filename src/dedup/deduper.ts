/**
 * A fitted set of records that batches are deduplicated against: yesterday's corpus, a test set, what is indexed already.
 */
import type { NativeBatch, NativeControl } from "#native";
import { SluiceError } from "../errors.js";
import { requireObject, wrongArgument } from "../argument.js";
import { callNative, runJob } from "../native.js";
import { COMPARING } from "./deduper-options.js";
import type {
  AddOptions,
  AddReport,
  DeduplicateOptions,
  Embeddings,
  FromEmbeddingsOptions,
} from "./deduper-options.js";
import { embedderOf } from "./embed-classes.js";
import { FittedReference } from "./fitted-reference.js";
import type { DedupOptions, Keep, TextRecord } from "./options.js";
import { OUTLIER_DEFAULTS, outlierOptions, outliersOf } from "./outliers.js";
import type { BatchOutlierOptions, OutlierOptions, OutlierResult } from "./outliers.js";
import type { BatchPlan, Purpose } from "./plan.js";
import { nativeRules, planRun } from "./plan.js";
import {
  nativeRepresentative,
  REPRESENTATIVE_DEFAULTS,
  representativeOptions,
  representativesOf,
} from "./representative.js";
import type {
  BatchRepresentativeOptions,
  RepresentativeOptions,
  RepresentativeResult,
} from "./representative.js";
import type { DedupResult } from "./result.js";
import { prepareBatch, resultOf, walkBatch } from "./run.js";
import { SecondWalk } from "./second-walk.js";
import { changing } from "./settled.js";
import { Turns } from "../turns.js";
import { withDefaults } from "./typicality.js";
import type { Ranked, RankedWork } from "./typicality.js";

/**
 * Records that were fitted once and that many batches are compared with. Holds native memory until it is closed.
 * Examples: `examples/against-yesterday/`, `examples/know-a-corpus/`.
 */
export class Deduper<T extends TextRecord> {
  /** The options of the fit; vectors in hand belong to the records they came with. */
  readonly #fit: Omit<DedupOptions, "embeddings" | "signal" | "onProgress">;
  readonly #reference: FittedReference<T>;
  /** Calls that change the reference or must see one state of it. */
  readonly #turns = new Turns();

  private constructor(options: DedupOptions, reference: FittedReference<T>) {
    const { embeddings: _vectors, signal: _signal, onProgress: _onProgress, ...fit } = options;
    this.#fit = fit;
    this.#reference = reference;
  }

  /** Fits a set of records. Every one of them is a witness, also when they are copies of each other. */
  static from(
    reference: Iterable<string> | AsyncIterable<string>,
    options?: DedupOptions,
  ): Promise<Deduper<string>>;
  static from<T extends TextRecord>(
    reference: Iterable<T> | AsyncIterable<T>,
    options?: DedupOptions,
  ): Promise<Deduper<T>>;
  static async from<T extends TextRecord>(
    reference: Iterable<T> | AsyncIterable<T>,
    options: DedupOptions = {},
  ): Promise<Deduper<T>> {
    const plan = planRun(options, "reference");
    const embeds = plan.rules.methods.includes("semantic") && options.embeddings === undefined;
    // Loaded once, not once a batch.
    const fit = embeds ? { ...options, embedder: await embedderOf(options) } : options;
    const prepared = await prepareBatch(reference, fit, plan);
    const { value } = await runJob(
      (core, control) =>
        core.NativeReference.fit(prepared.collected.batch, nativeRules(plan.rules), plan.threads, control),
      plan,
    );
    // What a profile stood for is settled now; given again for a batch it only says what is compared.
    const { methods, normalize } = plan.rules;
    return new Deduper({ ...fit, methods, normalize }, new FittedReference(value, prepared));
  }

  /**
   * Fits records whose vectors you already have, one row a record. `embedder` says where they are from: batches are then
   * embedded by it; without one, every batch brings vectors of its own. `data` is read while the call runs and must stay as
   * it is until the call ends.
   */
  static fromEmbeddings(
    embeddings: Embeddings,
    records: Iterable<string> | AsyncIterable<string>,
    options?: FromEmbeddingsOptions,
  ): Promise<Deduper<string>>;
  static fromEmbeddings<T extends TextRecord>(
    embeddings: Embeddings,
    records: Iterable<T> | AsyncIterable<T>,
    options?: FromEmbeddingsOptions,
  ): Promise<Deduper<T>>;
  static async fromEmbeddings<T extends TextRecord>(
    embeddings: Embeddings,
    records: Iterable<T> | AsyncIterable<T>,
    options: FromEmbeddingsOptions = {},
  ): Promise<Deduper<T>> {
    requireObject(options);
    // Without vectors the records would be embedded, which nobody asked for here.
    if ((embeddings as unknown) === undefined)
      throw wrongArgument("embeddings", "{ data, dimension }", embeddings);
    return Deduper.from(records, { ...options, embeddings });
  }

  /** Items in the reference. */
  get size(): number {
    return this.#reference.records.length;
  }

  /**
   * Deduplicates a batch against the reference and within itself. Witnesses in the reference are named by
   * `referencePosition`. With `add`, what was selected joins the reference.
   */
  deduplicate(
    batch: Iterable<T> | AsyncIterable<T>,
    options: DeduplicateOptions = {},
  ): Promise<DedupResult<T>> {
    return this.#turns.during(() => this.#deduplicate(batch, options));
  }

  /**
   * As `deduplicate`, for a reference that was fitted for this batch alone: it is closed with the result.
   * @internal
   */
  static async deduplicateOnce<T extends TextRecord>(
    deduper: Deduper<T>,
    batch: Iterable<T> | AsyncIterable<T>,
    options: DeduplicateOptions,
    fitSeconds: number,
  ): Promise<DedupResult<T>> {
    const release = (): void => {
      deduper.close();
    };
    try {
      return await deduper.#deduplicate(batch, options, { reference: fitSeconds }, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  async #deduplicate(
    batch: Iterable<T> | AsyncIterable<T>,
    options: DeduplicateOptions,
    before: Readonly<Record<string, number>> = {},
    release?: () => void,
  ): Promise<DedupResult<T>> {
    const { add = false, ...rules } = changing(options, []);
    requireSwitch("add", add);
    const merged: DedupOptions = { ...this.#fit, ...rules };
    const plan = this.#plan(merged, "against");
    const ready = await prepareBatch(batch, merged, plan);
    this.#reference.requireComparable(ready);
    const prepared = { ...ready, seconds: { ...before, ...ready.seconds } };
    return this.#turns.next(async () => {
      const result = await walkBatch(prepared, this.#reference, plan, release);
      if (add) this.#reference.appendSelected(prepared, result);
      return result;
    });
  }

  /** Deduplicates the reference within itself, as `dedup` would have. The reference stays as it is. */
  selfDeduplicate(options: Omit<DeduplicateOptions, "add" | "embeddings"> = {}): Promise<DedupResult<T>> {
    return this.#turns.during(() => this.#selfDeduplicate(options));
  }

  async #selfDeduplicate(options: Omit<DeduplicateOptions, "add" | "embeddings">): Promise<DedupResult<T>> {
    const plan = this.#plan({ ...this.#fit, ...changing(options, ["add", "embeddings"]) }, "reference");
    this.#orderedBy(plan.rules.keep);
    return this.#turns.next(async () => {
      const { native } = this.#reference;
      const requireUnchanged = this.#reference.unchangedFromNow();
      const { value } = await runJob(
        (_, control) => native.selfWalk(nativeRules(plan.rules), plan.threads, control),
        plan,
      );
      return resultOf(value, {
        input: this.#reference,
        reference: null,
        plan,
        threshold: plan.rules.threshold,
        embedded: plan.rules.methods.includes("semantic") ? this.#reference.embedded() : undefined,
        missingId: this.#reference.numbers().missingId,
        seconds: {},
        bytes: () => ({ reference: this.#reference.bytes() }),
        secondWalk: new SecondWalk(
          (threshold) => {
            requireUnchanged();
            return callNative(() => native.selfWalkNow(nativeRules(plan.rules, threshold), plan.threads));
          },
          // What was walked over is the deduper's.
          () => undefined,
        ),
      });
    });
  }

  /** Adds records to the reference as they are, copies included. */
  add(records: Iterable<T> | AsyncIterable<T>, options: AddOptions = {}): Promise<AddReport> {
    return this.#turns.during(() => this.#add(records, options));
  }

  async #add(records: Iterable<T> | AsyncIterable<T>, options: AddOptions): Promise<AddReport> {
    const merged: DedupOptions = { ...this.#fit, ...changing(options, COMPARING) };
    const plan = this.#plan(merged, "reference");
    const prepared = await prepareBatch(records, merged, plan);
    this.#reference.requireComparable(prepared);
    return this.#turns.next(() => {
      const before = this.size;
      this.#reference.append(prepared);
      return { added: this.size - before, items: this.size };
    });
  }

  /**
   * Separates the items of the reference that are unlike all others: the lowest `share` by mean cosine to their nearest
   * distinct texts. The share is of records, copies included; of equals the last go first, and records without a vector
   * before all others. Where no record has a score, none is an outlier.
   *
   * Time grows with the square of the distinct texts.
   */
  filterOutliers(options: OutlierOptions = {}): Promise<OutlierResult<T>> {
    return this.#turns.during(() => this.#outliers(undefined, options));
  }

  /** Separates the records of a batch that are unlike the reference. The batch is not added. */
  filterOutliersIn(
    batch: Iterable<T> | AsyncIterable<T>,
    options: BatchOutlierOptions = {},
  ): Promise<OutlierResult<T>> {
    return this.#turns.during(() => this.#outliers(batch, options));
  }

  /**
   * Picks a few items of the reference that are typical of it and unlike each other. Copies are one candidate: the first
   * record stands for all with its normal form.
   *
   * Time grows with the square of the distinct texts.
   */
  findRepresentative(options: RepresentativeOptions = {}): Promise<RepresentativeResult<T>> {
    return this.#turns.during(() => this.#representatives(undefined, options));
  }

  /** Picks a few records of a batch that are typical of the reference and unlike each other. The batch is not added. */
  findRepresentativeIn(
    batch: Iterable<T> | AsyncIterable<T>,
    options: BatchRepresentativeOptions = {},
  ): Promise<RepresentativeResult<T>> {
    return this.#turns.during(() => this.#representatives(batch, options));
  }

  /** Gives the native memory back. Calls that run are stopped, and later ones refused, with `CLOSED`. */
  close(): void {
    // A new error for every deduper, so that its stack leads to the call that closed it.
    this.#turns.close(new SluiceError("CLOSED", "The deduper is closed."));
    this.#reference.native.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turns.settled();
    this.close();
  }

  async #outliers(
    batch: Iterable<T> | AsyncIterable<T> | undefined,
    options: BatchOutlierOptions,
  ): Promise<OutlierResult<T>> {
    const { share, neighbours, ...work } = changing(options, uselessTo(batch));
    const chosen = withDefaults(OUTLIER_DEFAULTS, outlierOptions, { share, neighbours });
    const { outcome, list, run } = await this.#rank(batch, work, (records, plan, control) =>
      this.#reference.native.outliers(records, chosen.share, chosen.neighbours, plan.threads, control),
    );
    return outliersOf(outcome, list, { ...run, options: chosen });
  }

  async #representatives(
    batch: Iterable<T> | AsyncIterable<T> | undefined,
    options: BatchRepresentativeOptions,
  ): Promise<RepresentativeResult<T>> {
    const given = changing(options, uselessTo(batch));
    const { count, strategy, diversity, candidateLimit, neighbours, ...work } = given;
    const chosen = withDefaults(REPRESENTATIVE_DEFAULTS, representativeOptions, {
      count,
      strategy,
      diversity,
      candidateLimit,
      neighbours,
    });
    const { outcome, list, run } = await this.#rank(batch, work, (records, plan, control) =>
      this.#reference.native.representatives(records, nativeRepresentative(chosen), plan.threads, control),
    );
    return representativesOf(outcome, list, { ...run, options: chosen });
  }

  /** Ranks the items, or the records of a batch, with the vectors and the normal form of the fit. */
  async #rank<N>(
    batch: Iterable<T> | AsyncIterable<T> | undefined,
    work: RankedWork,
    start: (batch: NativeBatch | undefined, plan: BatchPlan, control: NativeControl) => Promise<N>,
  ): Promise<Ranked<T, N>> {
    const merged: DedupOptions = { ...this.#fit, ...work };
    const { methods } = planRun(merged, "against").rules;
    if (!methods.includes("semantic")) {
      throw new SluiceError("OPTION_INVALID", "A ranking needs vectors: fit with the method semantic.", {
        field: "methods",
        expected: "semantic among them",
        received: methods.join(", "),
      });
    }
    // Nothing is compared by its words.
    const plan = this.#plan(
      { ...merged, methods: methods.filter((method) => method !== "lexical") },
      "against",
    );
    const prepared = batch === undefined ? undefined : await prepareBatch(batch, merged, plan);
    if (prepared !== undefined) this.#reference.requireComparable(prepared);
    const records = prepared?.collected.batch;
    return this.#turns.next(async () => {
      const { value } = await runJob((_, control) => start(records, plan, control), plan);
      return {
        outcome: value,
        list: prepared?.collected ?? this.#reference,
        run: {
          plan,
          embedder: this.#reference.embedderId,
          dimension: this.#reference.dimension,
          coverage: prepared?.embedded?.coverage,
          reference: this.#reference.numbers(),
          seconds: prepared?.seconds ?? {},
          bytes: {
            ...(records === undefined ? {} : { batch: callNative(() => records.bytes()) }),
            reference: this.#reference.bytes(),
          },
        },
      };
    });
  }

  /** Refuses an order of the items by a field that was not read when they were fitted. */
  #orderedBy(keep: Keep): void {
    const fitted = this.#fit.keep;
    if (typeof keep === "string" || (typeof fitted === "object" && fitted.field === keep.field)) return;
    throw new SluiceError(
      "OPTION_INVALID",
      "The items were fitted without the field they shall be kept by.",
      {
        field: "keep",
        expected: "the field of keep at Deduper.from",
        received: keep.field,
      },
    );
  }

  /** Lays out a call, which also ends when the deduper is closed. */
  #plan(options: DedupOptions, purpose: Purpose): BatchPlan {
    const plan = planRun(options, purpose);
    const { closing } = this.#turns;
    return {
      ...plan,
      signal: plan.signal === undefined ? closing : AbortSignal.any([plan.signal, closing]),
    };
  }
}

/** Refuses anything but `true` or `false`. */
function requireSwitch(field: string, value: unknown): void {
  if (typeof value === "boolean") return;
  throw new SluiceError("OPTION_INVALID", `The option ${field} must be true or false.`, {
    field,
    expected: "boolean",
    received: value === null ? "null" : typeof value,
  });
}

/** Vectors belong to a batch; the items have theirs. */
function uselessTo(batch: unknown): readonly string[] {
  return batch === undefined ? ["embeddings"] : [];
}
