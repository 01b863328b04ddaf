/**
 * What a `Deduper` holds: the items of its reference, natively and as the caller's records, and where their vectors are from.
 *
 * It only ever grows, at its end: a position means the same item for ever, and a result need not copy the list.
 */
import type { NativeReference } from "#native";
import { SluiceError } from "../errors.js";
import { callNative } from "../native.js";
import type { TextRecord } from "./options.js";
import type { DedupResult, RecordList } from "./result.js";
import type { PreparedBatch } from "./run.js";

/** Items in the order in which they were fitted and added. */
export class FittedReference<T extends TextRecord> implements RecordList<T> {
  readonly native: NativeReference;
  readonly embedderId: string | undefined;
  readonly dimension: number | undefined;
  readonly #items: T[];
  readonly #idOf: (record: T) => string | undefined;

  constructor(native: NativeReference, { collected, embedded }: PreparedBatch<T>) {
    this.native = native;
    this.embedderId = embedded?.embedderId;
    this.dimension = embedded?.dimension;
    this.#items = collected.records;
    this.#idOf = collected.idOfRecord;
  }

  get records(): readonly T[] {
    return this.#items;
  }

  idOf(position: number): string | undefined {
    const record = this.#items[position];
    return record === undefined ? undefined : this.#idOf(record);
  }

  /** Memory that it takes in the core. */
  bytes(): number {
    return callNative(() => this.native.bytes());
  }

  /** Appends every record of a batch. */
  append({ collected }: PreparedBatch<T>): void {
    callNative(() => {
      this.native.extend(collected.batch, undefined);
    });
    for (const record of collected.records) this.#items.push(record);
  }

  /** Appends the records of a batch that a result selected. */
  appendSelected({ collected }: PreparedBatch<T>, { selected, selectedPositions }: DedupResult<T>): void {
    callNative(() => {
      this.native.extend(collected.batch, selectedPositions);
    });
    for (const record of selected) this.#items.push(record);
  }

  /** A check that fails with `RESULT_STALE` once items were added after this moment. */
  unchangedFromNow(): () => void {
    const items = this.#items.length;
    return () => {
      if (items === this.#items.length) return;
      throw new SluiceError(
        "RESULT_STALE",
        "The reference has grown since this result was made; deduplicate again.",
        { expected: `${items} items`, received: `${this.#items.length} items` },
      );
    };
  }

  /** Refuses a batch whose vectors came from another embedder than those of the items. */
  requireComparable({ embedded }: PreparedBatch<T>): void {
    if (embedded === undefined || this.embedderId === undefined) return;
    if (embedded.embedderId === this.embedderId && embedded.dimension === this.dimension) return;
    throw new SluiceError("EMBEDDER_MISMATCH", "The batch and the reference were embedded differently.", {
      expected: `${this.embedderId}, ${this.dimension ?? 0} components`,
      received: `${embedded.embedderId}, ${embedded.dimension} components`,
    });
  }
}
