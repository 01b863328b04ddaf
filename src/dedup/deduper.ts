/**
 * A fitted set of records that batches are deduplicated against: yesterday's corpus, a test set, what is indexed already.
 */
import type { NativeBatch, NativeControl, NativeReference } from "#native";
import { SluiceError } from "../errors.js";
import type { Embedder } from "../embed/embedder.js";
import { callNative, runJob } from "../native.js";
import { embedderOf } from "./embed-classes.js";
import type { DedupOptions, DedupRules, DedupVectors, DedupWork, Keep, TextRecord } from "./options.js";
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
import type { DedupResult, RecordList } from "./result.js";
import type { PreparedBatch } from "./run.js";
import { prepareBatch, referenceGrown, resultOf, walkBatch } from "./run.js";
import { changing } from "./settled.js";
import { withDefaults } from "./typicality.js";
import type { Ranked, RankedWork } from "./typicality.js";

/** Options of `deduplicate`: rules may be tightened from batch to batch, columns and embedder stay those of the fit. */
export interface DeduplicateOptions extends DedupWork, Pick<DedupRules, ChangingRule> {
  /** Vectors of this batch, when the reference was made from vectors. */
  readonly embeddings?: DedupVectors["embeddings"] | undefined;
  /** Add what was selected to the reference. Default false. */
  readonly add?: boolean | undefined;
}

/** Rules that may differ from batch to batch. */
type ChangingRule = "threshold" | "floor" | "jaccard" | "guards" | "keep" | "duplicatesMax" | "profile";

/** Options that only a comparison could use, and `add` makes none. */
const COMPARING: ReadonlyArray<ChangingRule | "add"> = [
  "add",
  "threshold",
  "floor",
  "jaccard",
  "guards",
  "keep",
  "duplicatesMax",
  "profile",
];

/** What `add` did. */
export interface AddReport {
  /** Items added. */
  readonly added: number;
  /** Items in the reference now. */
  readonly items: number;
}

/** Records that were fitted once and that many batches are compared with. */
export class Deduper<T extends TextRecord> {
  /** The options of the fit; vectors in hand belong to the records they came with. */
  readonly #fit: Omit<DedupOptions, "embeddings" | "signal" | "onProgress">;
  readonly #reference: NativeReference;
  readonly #embedderId: string | undefined;
  readonly #dimension: number | undefined;
  readonly #items: T[];
  readonly #idOf: (record: T) => string | undefined;
  /** Stops running calls when the deduper is closed. */
  readonly #closing = new AbortController();
  #version = 0;
  /** The tail of the queue of calls that change the reference or must see one state of it. */
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(options: DedupOptions, prepared: PreparedBatch<T>, reference: NativeReference) {
    const { embeddings: _vectors, signal: _signal, onProgress: _onProgress, ...fit } = options;
    this.#fit = fit;
    this.#reference = reference;
    this.#embedderId = prepared.embedded?.embedderId;
    this.#dimension = prepared.embedded?.dimension;
    this.#items = prepared.collected.records;
    this.#idOf = prepared.collected.idOfRecord;
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
    return new Deduper({ ...fit, methods, normalize }, prepared, value);
  }

  /** Fits records whose vectors you already have, one row a record. */
  static fromEmbeddings<T extends TextRecord>(
    embeddings: { readonly data: Float32Array; readonly dimension: number },
    records: Iterable<T> | AsyncIterable<T>,
    options: Omit<DedupOptions, "embeddings" | "embedder"> & { readonly embedder?: Embedder } = {},
  ): Promise<Deduper<T>> {
    return Deduper.from(records, { ...options, embeddings });
  }

  /** Items in the reference. */
  get size(): number {
    return this.#items.length;
  }

  /**
   * Deduplicates a batch against the reference and within itself. Witnesses in the reference are named by
   * `referencePosition`. With `add`, what was selected joins the reference.
   */
  async deduplicate(
    batch: Iterable<T> | AsyncIterable<T>,
    options: DeduplicateOptions = {},
  ): Promise<DedupResult<T>> {
    this.#open();
    const { add = false, ...rules } = changing(options, []);
    requireSwitch("add", add);
    const merged: DedupOptions = { ...this.#fit, ...rules };
    const plan = this.#plan(merged, "against");
    const prepared = await prepareBatch(batch, merged, plan);
    this.#compare(prepared);
    return this.#exclusively(async () => {
      const list: RecordList<T> = this.#list();
      const result = await walkBatch(
        prepared,
        { native: this.#reference, list, version: () => this.#version },
        plan,
      );
      if (add) this.#extend(prepared, result);
      return result;
    });
  }

  /** Deduplicates the reference within itself, as `dedup` would have. The reference stays as it is. */
  async selfDeduplicate(
    options: Omit<DeduplicateOptions, "add" | "embeddings"> = {},
  ): Promise<DedupResult<T>> {
    this.#open();
    const plan = this.#plan({ ...this.#fit, ...changing(options, ["add", "embeddings"]) }, "reference");
    this.#orderedBy(plan.rules.keep);
    return this.#exclusively(async () => {
      const rules = nativeRules(plan.rules);
      const { value } = await runJob(
        (_, control) => this.#reference.selfWalk(rules, plan.threads, control),
        plan,
      );
      const version = this.#version;
      return resultOf(value, {
        input: this.#list(),
        reference: null,
        plan,
        threshold: plan.rules.threshold,
        embedded: undefined,
        seconds: {},
        bytes: () => ({ reference: callNative(() => this.#reference.bytes()) }),
        rewalk: (threshold) => {
          if (version !== this.#version) throw referenceGrown();
          return callNative(() =>
            this.#reference.selfWalkNow(nativeRules(plan.rules, threshold), plan.threads),
          );
        },
      });
    });
  }

  /** Adds records to the reference as they are, copies included. */
  async add(
    records: Iterable<T> | AsyncIterable<T>,
    options: Pick<DeduplicateOptions, "embeddings" | "signal"> = {},
  ): Promise<AddReport> {
    this.#open();
    const merged: DedupOptions = { ...this.#fit, ...changing(options, COMPARING) };
    const plan = this.#plan(merged, "reference");
    const prepared = await prepareBatch(records, merged, plan);
    this.#compare(prepared);
    return this.#exclusively(() => {
      const before = this.#items.length;
      callNative(() => {
        this.#reference.extend(prepared.collected.batch, undefined);
      });
      for (const record of prepared.collected.records) this.#items.push(record);
      this.#version += 1;
      return Promise.resolve({ added: this.#items.length - before, items: this.#items.length });
    });
  }

  /**
   * Separates the items of the reference that are unlike all others: the lowest `share` by mean cosine to their nearest
   * distinct texts. The share is of records, copies included; of equals the last go first, and records without a vector
   * before all others. Where no record has a score, none is an outlier.
   *
   * Time grows with the square of the distinct texts.
   */
  async filterOutliers(options: OutlierOptions = {}): Promise<OutlierResult<T>> {
    return this.#outliers(undefined, options);
  }

  /** Separates the records of a batch that are unlike the reference. The batch is not added. */
  async filterOutliersIn(
    batch: Iterable<T> | AsyncIterable<T>,
    options: BatchOutlierOptions = {},
  ): Promise<OutlierResult<T>> {
    return this.#outliers(batch, options);
  }

  /**
   * Picks a few items of the reference that are typical of it and unlike each other. Copies are one candidate: the first
   * record stands for all with its normal form.
   *
   * Time grows with the square of the distinct texts.
   */
  async findRepresentative(options: RepresentativeOptions = {}): Promise<RepresentativeResult<T>> {
    return this.#representatives(undefined, options);
  }

  /** Picks a few records of a batch that are typical of the reference and unlike each other. The batch is not added. */
  async findRepresentativeIn(
    batch: Iterable<T> | AsyncIterable<T>,
    options: BatchRepresentativeOptions = {},
  ): Promise<RepresentativeResult<T>> {
    return this.#representatives(batch, options);
  }

  /** Gives the native memory back. Calls that run are stopped, and later ones refused, with `CLOSED`. */
  close(): void {
    this.#closing.abort(isClosed());
    this.#reference.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.catch(() => undefined);
    this.close();
  }

  async #outliers(
    batch: Iterable<T> | AsyncIterable<T> | undefined,
    options: BatchOutlierOptions,
  ): Promise<OutlierResult<T>> {
    const { share, neighbours, ...work } = changing(options, uselessTo(batch));
    const chosen = withDefaults(OUTLIER_DEFAULTS, outlierOptions, { share, neighbours });
    const { outcome, list, run } = await this.#rank(batch, work, (records, plan, control) =>
      this.#reference.outliers(records, chosen.share, chosen.neighbours, plan.threads, control),
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
      this.#reference.representatives(records, nativeRepresentative(chosen), plan.threads, control),
    );
    return representativesOf(outcome, list, { ...run, options: chosen });
  }

  /** Ranks the items, or the records of a batch, with the vectors and the normal form of the fit. */
  async #rank<N>(
    batch: Iterable<T> | AsyncIterable<T> | undefined,
    work: RankedWork,
    start: (batch: NativeBatch | undefined, plan: BatchPlan, control: NativeControl) => Promise<N>,
  ): Promise<Ranked<T, N>> {
    this.#open();
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
    if (prepared !== undefined) this.#compare(prepared);
    const records = prepared?.collected.batch;
    return this.#exclusively(async () => {
      const { value } = await runJob((_, control) => start(records, plan, control), plan);
      return {
        outcome: value,
        list: prepared?.collected ?? this.#list(),
        run: {
          plan,
          embedder: this.#embedderId,
          dimension: this.#dimension,
          seconds: prepared?.seconds ?? {},
          bytes: callNative(() => ({
            ...(records === undefined ? {} : { batch: records.bytes() }),
            reference: this.#reference.bytes(),
          })),
        },
      };
    });
  }

  #list(): RecordList<T> {
    // A copy of nothing: records are only ever appended, and a result looks at positions that were there.
    return { records: this.#items, idOf: (position) => this.#idOfItem(position) };
  }

  #idOfItem(position: number): string | undefined {
    const record = this.#items[position];
    return record === undefined ? undefined : this.#idOf(record);
  }

  #extend(prepared: PreparedBatch<T>, result: DedupResult<T>): void {
    callNative(() => {
      this.#reference.extend(prepared.collected.batch, result.selectedPositions);
    });
    for (const record of result.selected) this.#items.push(record);
    this.#version += 1;
  }

  /** Refuses a batch whose vectors came from another embedder than those of the reference. */
  #compare({ embedded }: PreparedBatch<T>): void {
    if (embedded === undefined || this.#embedderId === undefined) return;
    if (embedded.embedderId === this.#embedderId && embedded.dimension === this.#dimension) return;
    throw new SluiceError("EMBEDDER_MISMATCH", "The batch and the reference were embedded differently.", {
      expected: `${this.#embedderId}, ${this.#dimension ?? 0} components`,
      received: `${embedded.embedderId}, ${embedded.dimension} components`,
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

  #open(): void {
    this.#closing.signal.throwIfAborted();
  }

  /** Lays out a call, which also ends when the deduper is closed. */
  #plan(options: DedupOptions, purpose: Purpose): BatchPlan {
    const plan = planRun(options, purpose);
    const closing = this.#closing.signal;
    return {
      ...plan,
      signal: plan.signal === undefined ? closing : AbortSignal.any([plan.signal, closing]),
    };
  }

  /** Runs calls one after another, so that each sees one state of the reference. */
  #exclusively<R>(work: () => Promise<R>): Promise<R> {
    const turn = this.#queue.then(() => {
      this.#open();
      return work();
    });
    this.#queue = turn.catch(() => undefined);
    return turn;
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

/** A new error for every deduper, so that its stack leads to the call that closed it. */
function isClosed(): SluiceError {
  return new SluiceError("CLOSED", "The deduper is closed.");
}
