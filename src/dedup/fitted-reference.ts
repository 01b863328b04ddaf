/**
 * What a `Deduper` holds: the items of its reference, natively and as the caller's records, and where their vectors are from.
 *
 * It only ever grows, at its end: a position means the same item for ever, and a result need not copy the list.
 */
import type { NativeReference } from "#native";
import { SluiceError } from "../errors.js";
import { callNative } from "../native.js";
import type { Coverage, Embedded } from "./embed-classes.js";
import type { TextRecord } from "./options.js";
import type { DedupResult, RecordList } from "./result.js";
import type { PreparedBatch } from "./run.js";
import type { ReferenceNumbers } from "./stage-report.js";

/** Items in the order in which they were fitted and added. */
export class FittedReference<T extends TextRecord> implements RecordList<T> {
  readonly native: NativeReference;
  readonly embedderId: string | undefined;
  readonly dimension: number | undefined;
  readonly #items: T[];
  readonly #idOf: (record: T) => string | undefined;
  #coverage: Coverage | undefined;
  #missingId: string | undefined;
  /** Counted when asked for and kept until the reference grows: it looks at every vector. */
  #withoutVector: { readonly count: number | undefined } | undefined;

  constructor(native: NativeReference, { collected, embedded, missingId }: PreparedBatch<T>) {
    this.native = native;
    this.embedderId = embedded?.embedderId;
    this.dimension = embedded?.dimension;
    this.#items = collected.records;
    this.#idOf = collected.idOfRecord;
    this.#coverage = embedded?.coverage;
    this.#missingId = missingId;
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

  /** What a report says of the items. */
  numbers(): ReferenceNumbers {
    this.#withoutVector ??= { count: callNative(() => this.native.withoutVector()) ?? undefined };
    return {
      records: this.#items.length,
      coverage: this.#coverage,
      withoutVector: this.#withoutVector.count,
      missingId: this.#missingId,
    };
  }

  /** How the items were embedded, as of a batch that they are themselves. */
  embedded(): Omit<Embedded, "seconds"> | undefined {
    const { embedderId, dimension } = this;
    if (embedderId === undefined || dimension === undefined) return undefined;
    return { embedderId, dimension, ...(this.#coverage === undefined ? {} : { coverage: this.#coverage }) };
  }

  /** Appends every record of a batch. */
  append(prepared: PreparedBatch<T>): void {
    this.#extend(prepared, prepared.collected.records, undefined);
  }

  /** Appends the records of a batch that a result selected. */
  appendSelected(
    prepared: PreparedBatch<T>,
    { selected, selectedPositions }: Pick<DedupResult<T>, "selected" | "selectedPositions">,
  ): void {
    this.#extend(prepared, selected, selectedPositions);
  }

  #extend(
    { collected, embedded, missingId }: PreparedBatch<T>,
    records: readonly T[],
    positions: Uint32Array | undefined,
  ): void {
    callNative(() => {
      this.native.extend(collected.batch, positions);
    });
    if (records.length === 0) return;
    this.#missingId = this.#items.length === 0 ? missingId : this.#missingId && missingId;
    this.#coverage = together(this.#coverage, embedded?.coverage);
    this.#withoutVector = undefined;
    for (const record of records) this.#items.push(record);
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

/** What an embedder made of two sets of texts: known where it is known of one. */
function together(one: Coverage | undefined, other: Coverage | undefined): Coverage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { tokens: one.tokens + other.tokens, unknown: one.unknown + other.unknown };
}
