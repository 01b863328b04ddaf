/**
 * A fitted set of records that batches are deduplicated against: yesterday's corpus, a test set, what is indexed already.
 */
import type { NativeReference } from "#native";
import { SluiceError } from "../errors.js";
import type { Embedder } from "../embed/embedder.js";
import { callNative, runJob } from "../native.js";
import type { DedupOptions, DedupRules, DedupVectors, DedupWork, TextRecord } from "./options.js";
import { nativeRules, planRun } from "./plan.js";
import type { DedupResult, RecordList } from "./result.js";
import type { PreparedBatch } from "./run.js";
import { prepareBatch, resultOf, walkBatch } from "./run.js";

/** Options of `deduplicate`: rules may be tightened from batch to batch, columns and embedder stay those of the fit. */
export interface DeduplicateOptions extends DedupWork, Pick<DedupRules, ChangingRule> {
  /** Vectors of this batch, when the reference was made from vectors. */
  readonly embeddings?: DedupVectors["embeddings"] | undefined;
  /** Add what was selected to the reference. Default false. */
  readonly add?: boolean | undefined;
}

/** Rules that may differ from batch to batch. */
type ChangingRule = "threshold" | "floor" | "jaccard" | "guards" | "keep" | "duplicatesMax" | "profile";

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
  #version = 0;
  #closed = false;
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
  static async from<T extends TextRecord>(
    reference: Iterable<T> | AsyncIterable<T>,
    options: DedupOptions = {},
  ): Promise<Deduper<T>> {
    const plan = planRun(options, "reference");
    const prepared = await prepareBatch(reference, options, plan);
    const { value } = await runJob(
      (core, control) =>
        core.NativeReference.fit(prepared.collected.batch, nativeRules(plan.rules), plan.threads, control),
      plan,
    );
    return new Deduper(options, prepared, value);
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
    const { add = false, ...rules } = options;
    const merged: DedupOptions = { ...this.#fit, ...rules };
    const plan = planRun(merged, "reference");
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
    const plan = planRun({ ...this.#fit, ...options }, "reference");
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
        bytes: () => ({ reference: this.#reference.bytes() }),
        rewalk: (threshold) => {
          this.#unchanged(version);
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
    const merged: DedupOptions = { ...this.#fit, ...options };
    const plan = planRun(merged, "reference");
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

  /** Gives the native memory back. Later calls are refused with `CLOSED`. */
  close(): void {
    this.#closed = true;
    this.#reference.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.catch(() => undefined);
    this.close();
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

  #unchanged(version: number): void {
    if (version !== this.#version) {
      throw new SluiceError(
        "CLOSED",
        "The reference has grown since this result was made; deduplicate again.",
      );
    }
  }

  #open(): void {
    if (this.#closed) throw new SluiceError("CLOSED", "The deduper is closed.");
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
