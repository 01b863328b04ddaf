/**
 * The two collections of a memory: one of what is remembered, one of what is known about what was forgotten.
 *
 * A point is read here by its id without a filter, so every such read is looked at by scope before anybody sees it.
 */
import type { Embedder } from "../embed/embedder.js";
import { isErrorCode, SluiceError } from "../errors.js";
import type { ScopeFields } from "../filter/scope.js";
import type { FailedPoint, Payload, Point, StoredPoint } from "../stores/vector-store.js";
import type { MemoryConfig, MemoryStore } from "./options.js";
import { payloadOf, readPoint, RECORD_FIELD } from "./record.js";
import type { MemoryPoint, MemoryRecord } from "./record.js";
import { liesWithin, ScopedStore } from "./scoped-store.js";
import { readTombstone } from "./tombstone.js";
import type { Tombstone } from "./tombstone.js";

/** What becomes of a memory: its content as it shall lie in the store. */
export interface MemoryRow {
  readonly id: string;
  readonly text: string;
  readonly metadata: Payload;
  readonly record: MemoryRecord;
  readonly vector: Float32Array;
}

/** Values of one `in`. */
const VALUES_MAX = 1_000;
/** Stands where a point must have a vector. */
const NO_VECTOR = [1];

/** Where memories lie. */
type TableConfig = Pick<MemoryConfig, "hub" | "embedder" | "foldedFields"> & { readonly collection: string };

/** Reads and writes memories. */
export class MemoryTable {
  readonly collection: string;
  readonly #deleted: string;
  readonly #store: MemoryStore;
  readonly #embedder: Embedder;
  readonly #foldedFields: readonly string[];
  #open: Promise<void> | undefined;

  constructor({ hub, embedder, collection, foldedFields }: TableConfig) {
    this.#store = hub;
    this.#embedder = embedder;
    this.#foldedFields = foldedFields ?? [];
    this.collection = collection;
    this.#deleted = `${collection}.deleted`;
  }

  /** Makes the collections, or checks them; once. */
  async open(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    // Shared by all callers, so it does not end with the signal of one.
    this.#open ??= this.#ensure().catch((error: unknown) => {
      this.#open = undefined;
      throw error;
    });
    await this.#open;
    signal?.throwIfAborted();
  }

  /** The store as one scope sees it. */
  within(scope: ScopeFields, nowMs: number): ScopedStore {
    return new ScopedStore(this.#store, scope, nowMs);
  }

  /** Memories by id, expired ones too. One of another scope is not there. */
  async find(
    scope: ScopeFields,
    ids: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, MemoryPoint>> {
    const points = await this.#get(this.collection, ids, signal);
    const own = points.filter(({ payload }) => liesWithin(payload, scope)).map(readPoint);
    return new Map(own.map((memory) => [memory.id, memory]));
  }

  /** The vector of a memory as the store has it. */
  async vectorOf(id: string, signal: AbortSignal | undefined): Promise<Float32Array | undefined> {
    const [point] = await this.#store.get(this.collection, [id], { withVector: true, signal });
    return point?.vector;
  }

  /** The memories that have these ids, in whichever scope; for finding an id that is free. */
  async takenBy(
    ids: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, MemoryPoint>> {
    const points = await this.#get(this.collection, ids, signal);
    return new Map(points.map(readPoint).map((memory) => [memory.id, memory]));
  }

  /** Memories that have not expired, by the key of their text. */
  async byTextKeys(
    scope: ScopeFields,
    keys: readonly string[],
    nowMs: number,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, MemoryPoint>> {
    const found = new Map<string, MemoryPoint>();
    const store = this.within(scope, nowMs);
    for (let from = 0; from < keys.length; from += VALUES_MAX) {
      const filter = { [`${RECORD_FIELD}.text_key`]: { in: keys.slice(from, from + VALUES_MAX) } };
      let after: string | undefined;
      do {
        const page = await store.scroll(this.collection, { filter, after, limit: VALUES_MAX, signal });
        for (const memory of page.points.map(readPoint)) {
          // Of several with one text, which updates can make, the smallest id speaks for all.
          if (!found.has(memory.record.text_key)) found.set(memory.record.text_key, memory);
        }
        after = page.next ?? undefined;
      } while (after !== undefined);
    }
    return found;
  }

  /** Writes memories; gives the failures by their place in `rows`. */
  async write(
    scope: ScopeFields,
    rows: readonly MemoryRow[],
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<number, FailedPoint>> {
    const points = rows.map(({ id, text, metadata, record, vector }) => ({
      id,
      text,
      vector,
      payload: payloadOf(metadata, scope, record),
    }));
    return this.#write(this.collection, points, this.#embedder.id, signal);
  }

  /** Writes one memory or throws why not. */
  async writeOne(scope: ScopeFields, row: MemoryRow, signal: AbortSignal | undefined): Promise<void> {
    throwFirst(await this.write(scope, [row], signal));
  }

  /** What is known of a deleted memory. */
  async tombstone(
    scope: ScopeFields,
    id: string,
    signal: AbortSignal | undefined,
  ): Promise<Tombstone | undefined> {
    return (await this.tombstones(scope, [id], signal)).get(id);
  }

  /** What is known of deleted memories, by id. */
  async tombstones(
    scope: ScopeFields,
    ids: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, Tombstone>> {
    const points = await this.#get(this.#deleted, ids, signal);
    const own = points.filter(({ payload }) => liesWithin(payload, scope));
    return new Map(own.map((point) => [String(point.id), readTombstone(point)]));
  }

  /** Writes what memories leave; gives the failures by id. */
  async entomb(
    ended: ReadonlyArray<readonly [memory: MemoryPoint, tombstone: Tombstone]>,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, FailedPoint>> {
    const points = ended.map(([{ id, scope }, tombstone]) => ({
      id,
      vector: NO_VECTOR,
      payload: { ...scope, [RECORD_FIELD]: tombstone },
    }));
    const failures = await this.#write(this.#deleted, points, undefined, signal);
    return new Map([...failures.values()].map((failure) => [String(failure.id), failure]));
  }

  /** Deletes a memory. What it leaves is written first: a crash in between leaves it there, and the call again ends it. */
  async bury(memory: MemoryPoint, tombstone: Tombstone, signal: AbortSignal | undefined): Promise<number> {
    throwFirst(await this.entomb([[memory, tombstone]], signal));
    const { deleted } = await this.#store.deletePoints(this.collection, { ids: [memory.id] }, { signal });
    return deleted;
  }

  /** Deletes everything of a scope in both places, and looks whether it is gone. */
  async forget(
    scope: ScopeFields,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly memories: number; readonly tombstones: number; readonly left: number }> {
    const filter = { ...scope };
    const memories = await this.#store.deletePoints(this.collection, { filter }, { signal });
    const tombstones = await this.#store.deletePoints(this.#deleted, { filter }, { signal });
    const left =
      (await this.#store.count(this.collection, { filter, signal })) +
      (await this.#store.count(this.#deleted, { filter, signal }));
    return { memories: memories.deleted, tombstones: tombstones.deleted, left };
  }

  async #ensure(): Promise<void> {
    const { dimension, id: embedderId } = this.#embedder;
    await this.#store.ensureCollection(this.collection, {
      dimension,
      metric: "cosine",
      embedderId,
      foldedFields: this.#foldedFields,
      payloadIndexes: {
        [`${RECORD_FIELD}.text_key`]: "keyword",
        [`${RECORD_FIELD}.expires_at`]: "datetime",
      },
    });
    await this.#store.ensureCollection(this.#deleted, { dimension: NO_VECTOR.length, metric: "dot" });
  }

  async #get(
    name: string,
    ids: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly StoredPoint[]> {
    return ids.length === 0 ? [] : this.#store.get(name, ids, { signal });
  }

  async #write(
    name: string,
    points: readonly Point[],
    embedderId: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<number, FailedPoint>> {
    if (points.length === 0) return new Map();
    const { failed, stoppedAt } = await this.#store.storeVectors(name, points, { embedderId, signal });
    const failures = new Map(failed.map((failure) => [failure.index, failure]));
    for (let index = stoppedAt ?? points.length; index < points.length; index += 1) {
      const id = points[index]?.id ?? index;
      const message = "The store stopped taking points before this one.";
      failures.set(index, { id, index, code: "STORE_UNREACHABLE", message, retryable: true });
    }
    return failures;
  }
}

function throwFirst(failures: ReadonlyMap<unknown, FailedPoint>): void {
  const [failure] = failures.values();
  if (failure === undefined) return;
  const { code, message } = failure;
  throw new SluiceError(isErrorCode(code) ? code : "PARTIAL_WRITE", message);
}
