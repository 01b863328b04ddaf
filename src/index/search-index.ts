/**
 * `Index`: items found by their vectors, narrowed by their payloads.
 *
 * It can be thrown away: whatever it holds came from somewhere that holds it still. Rows and payloads are in the core,
 * items are here. A **slot** is the core's number of a row, a **position** the caller's; they part at a `rebuild`, which
 * closes the gaps of removed items in the core and keeps the positions of the others.
 */
import type { Metric } from "../metric.js";
import { SluiceError } from "../errors.js";
import { filterJson } from "../filter/normal-form.js";
import { callNative, runJob } from "../native.js";
import { CustomBackend } from "./custom-backend.js";
import type { Want } from "./custom-backend.js";
import { findByCustom, findInCore, foundAtOnce } from "./find.js";
import { factoryOf } from "./index-backend.js";
import { letGo, refilled, slotAt } from "./index-state.js";
import type { IndexState } from "./index-state.js";
import { itemsFromBytes, itemsToBytes } from "./item-bytes.js";
import { Leased } from "./leased.js";
import {
  checkK,
  checkPath,
  checkQuery,
  checkThreshold,
  checkWork,
  itemList,
  numbersOf,
  positionList,
  present,
  requireArguments,
  resolveArguments,
  threadsFor,
} from "./options.js";
import type { ArgumentsOf, IndexWork, QueryOptions } from "./options.js";
import { payloadTexts } from "./payload-texts.js";
import { hitsOf, searchReport } from "./search-result.js";
import type { SearchResult, SearchStrategy } from "./search-result.js";
import { Turns } from "../turns.js";
import { queryRows, requireRows } from "./vectors.js";

/** What an index is, and how large. */
export interface IndexInfo {
  readonly backend: string;
  /** The arguments of the backend, defaults included where it is one of the core. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly dimension: number;
  readonly metric: Metric;
  readonly embedderId: string | undefined;
  /** Items that can be found. */
  readonly items: number;
  /** Removed items whose memory a `rebuild` gives back. */
  readonly removed: number;
  /** Memory of the core, in bytes. */
  readonly bytes: number;
}

/** The backend of the core that holds the rows of a registered one. */
const HOLDER = "flat";

/**
 * Items by vector. Searches run side by side; calls that change something run one after another. A search answers as of one
 * moment: changes while it runs are not in its answer, and never end it. Holds native memory until it is closed.
 * Examples: `test/index/search.test.ts`.
 */
export class Index<T> {
  readonly #turns = new Turns();
  #state: Leased<IndexState<T>>;
  #next: number;
  /** States of before a rebuild that somebody still looks at, and those that failed to let go. */
  readonly #former = new Set<Promise<void>>();

  private constructor(state: IndexState<T>, next: number) {
    this.#state = new Leased(state, letGo);
    this.#next = next;
  }

  /**
   * Builds an index over vectors, end to end, one for each item.
   *
   * An item is anything that `structuredClone` copies; where it is an object, filters see it in its JSON form, of
   * well-formed texts and at most 64 levels: another one is `RECORD_INVALID`. The backend is `"flat"` (exact), `"hnsw"` (a graph) or a registered name; `args` holds the dimension, the metric, and the backend's own.
   */
  static async fromVectorsAndItems<T, Backend extends string>(
    vectors: Float32Array,
    items: readonly T[],
    backend: Backend,
    args: ArgumentsOf<Backend>,
    options: IndexWork = {},
  ): Promise<Index<T>> {
    checkWork(options);
    const list = itemList(items);
    const factory = factoryOf(backend);
    const { dimension, metric, embedderId, own } = resolveArguments(args);
    const [kind, numbers] = factory === undefined ? [backend, numbersOf(own)] : [HOLDER, {}];
    const native = callNative(
      (core) =>
        new core.NativeIndex({
          backend: kind,
          args: numbers,
          metric,
          dimension,
          ...(embedderId === undefined ? {} : { embedderId }),
        }),
    );
    const custom =
      factory && (await CustomBackend.make(factory, { dimension, metric, args: own }, options.signal));
    const made = { name: backend, args: own, custom };
    const state: IndexState<T> = {
      native,
      backend: made,
      metric,
      dimension,
      embedderId,
      items: [],
      positions: [],
    };
    const index = new Index<T>(state, 0);
    try {
      await index.add(vectors, list, options);
      return index;
    } catch (error) {
      // The first failure is told.
      await index[Symbol.asyncDispose]().catch(() => undefined);
      throw error;
    }
  }

  /** Reads a saved index. A file that is not whole, not ours or damaged is `INDEX_FILE` before any of it is believed. */
  static async load<T>(path: string, options: IndexWork = {}): Promise<Index<T>> {
    checkPath(path);
    checkWork(options);
    const { value } = await runJob((core) => core.NativeIndex.load(path), options);
    const native = value.index;
    const info = callNative(() => native.info());
    const saved = itemsFromBytes(value.attachment, info.slots, path);
    // The core knows its metrics, and it made this one.
    const setup = { dimension: info.dimension, metric: info.metric as Metric };
    const state: IndexState<T> = {
      native,
      ...setup,
      backend: saved.custom
        ? await refilled(native, saved.custom, setup, options.signal)
        : { name: info.backend, args: info.args, custom: undefined },
      embedderId: info.embedderId,
      // What was saved from an `Index<T>` holds items of that type; a file cannot say so.
      items: [...saved.items] as T[],
      positions: [...saved.positions],
    };
    return new Index<T>(state, saved.next);
  }

  /** What the index is, and how large. */
  info(): IndexInfo {
    this.#turns.requireOpen();
    const { native, backend, metric, dimension, embedderId } = this.#state.value;
    const { slots, live, bytes, args } = callNative(() => native.info());
    return {
      backend: backend.name,
      args: backend.custom === undefined ? args : backend.args,
      dimension,
      metric,
      embedderId,
      items: live,
      removed: slots - live,
      bytes,
    };
  }

  /**
   * The best `k` items for each query, or all that match where there are fewer; never more, never a hidden cap.
   *
   * A query is a `Float32Array` of exactly `dimension` numbers; several queries are an array of them. One call with many
   * queries is several times faster than many calls.
   */
  async queryTopK(
    queries: Float32Array | readonly Float32Array[],
    k: number,
    options: QueryOptions = {},
  ): Promise<SearchResult<T>> {
    checkK(k);
    return this.#search(queries, { k }, options);
  }

  /** Every item that scores at least `threshold`, for each query. */
  async queryThreshold(
    queries: Float32Array | readonly Float32Array[],
    threshold: number,
    options: QueryOptions = {},
  ): Promise<SearchResult<T>> {
    checkThreshold(threshold);
    return this.#search(queries, { threshold }, options);
  }

  /** Adds items with a vector each, all or none; gives their positions. */
  async add(vectors: Float32Array, items: readonly T[], options: IndexWork = {}): Promise<readonly number[]> {
    checkWork(options);
    const added = itemList(items);
    requireRows(vectors, added.length, this.#state.value.dimension);
    const payloads = payloadTexts(added);
    // The caller may change its vectors while the call waits.
    const rows = vectors.slice();
    return this.#change(async ({ native, backend, items: kept, positions }) => {
      let { signal } = options;
      if (backend.custom !== undefined) {
        // What is prepared was checked: the core takes it, and is not stopped once the backend has the rows.
        const prepared = callNative(() => native.prepare(rows));
        await backend.custom.add(prepared, this.#ending(signal), this.#turns.closing);
        signal = undefined;
      }
      const [slots, first] = [kept.length, this.#next];
      for (const item of added) {
        kept.push(item);
        positions.push(this.#next++);
      }
      try {
        const threads = threadsFor(options, added.length);
        await runJob((_, control) => native.add(rows, payloads, threads, control), { signal });
        return positions.slice(slots);
      } catch (error) {
        kept.length = positions.length = slots;
        this.#next = first;
        throw error;
      }
    });
  }

  /** Takes items out of every later answer, by position; gives how many were there. A `rebuild` frees their memory. */
  async remove(positions: Iterable<number>, options: IndexWork = {}): Promise<number> {
    checkWork(options);
    const given = positionList(positions);
    return this.#change(async (state) => {
      const slots = given.map((position) => slotAt(state.positions, position)).filter((slot) => slot >= 0);
      const { value } = await runJob(() => state.native.remove(Uint32Array.from(slots)), options);
      return value;
    });
  }

  /**
   * Builds the index again from the vectors it holds: without the memory of removed items, over another backend where
   * one is named. Nothing is embedded; positions stay. Without a name, backend and arguments stay. What it held before is
   * let go of when the searches that look at it have ended.
   */
  async rebuild<Backend extends string>(
    backend?: Backend,
    args: Omit<ArgumentsOf<Backend>, "dimension" | "metric" | "embedderId"> = {} as never,
    options: IndexWork = {},
  ): Promise<void> {
    checkWork(options);
    requireArguments(args);
    await this.#change(async (old) => {
      const name = backend ?? old.backend.name;
      const own = backend === undefined ? old.backend.args : present(args);
      const factory = factoryOf(name);
      const [kind, numbers] = factory === undefined ? [name, numbersOf(own)] : [HOLDER, {}];
      const threads = threadsFor(options, Infinity);
      const { value } = await runJob(
        (_, control) => old.native.rebuild(kind, numbers, threads, control),
        options,
      );
      const { index: native, former } = value;
      const made =
        factory === undefined
          ? { name, args: own, custom: undefined }
          : await refilled(native, { name, args: own }, old, this.#ending(options.signal));
      this.#replace({
        ...old,
        native,
        backend: made,
        // Every former slot has an item and a position.
        items: Array.from(former, (slot) => old.items[slot] as T),
        positions: Array.from(former, (slot) => old.positions[slot] ?? slot),
      });
    });
  }

  /**
   * Saves vectors, payloads and items in one file, which is the old one or the new one, never half of one. It is written as
   * `.NAME.PID-N.part` beside its name; what a killed process left there, the next save of the name removes.
   */
  async save(path: string, options: IndexWork = {}): Promise<void> {
    checkPath(path);
    checkWork(options);
    await this.#change(async ({ native, items, positions, backend }) => {
      const custom = backend.custom === undefined ? undefined : { name: backend.name, args: backend.args };
      const bytes = itemsToBytes({ items, positions, next: this.#next, custom });
      await runJob(() => native.save(path, bytes), options);
    });
  }

  /**
   * Gives the memory back. Calls that wait are refused, and later ones, with `CLOSED`; calls that run end with it too,
   * unless the core is about to answer.
   */
  close(): void {
    this.#turns.close(new SluiceError("CLOSED", "The index is closed."));
    this.#state.value.native.close();
    // Nobody waits for a registered backend to let go; `asyncDispose` does.
    this.#state.retire().catch(() => undefined);
  }

  /** Closes the index when the calls that have begun have ended, and waits until registered backends have let go. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turns.settled();
    this.close();
    await Promise.all([...this.#former, this.#state.retire()]);
  }

  /** Runs a call that must not overlap another, over the state of its turn. */
  #change<R>(work: (state: IndexState<T>) => Promise<R>): Promise<R> {
    return this.#turns.during(() => this.#turns.next(() => this.#state.use(work)));
  }

  /** Puts another state in the place of the one there is. */
  #replace(state: IndexState<T>): void {
    const gone = this.#state.retire();
    this.#former.add(gone);
    // One that fails stays: `asyncDispose` tells it.
    gone.then(
      () => this.#former.delete(gone),
      () => undefined,
    );
    this.#state = new Leased(state, letGo);
    if (!this.#turns.closing.aborted) return;
    // Closed while the new state was made: it goes as well.
    this.close();
    this.#turns.requireOpen();
  }

  /** What ends a call into a registered backend: the caller, or the end of the index. */
  #ending(signal: AbortSignal | undefined): AbortSignal {
    const { closing } = this.#turns;
    return signal === undefined ? closing : AbortSignal.any([signal, closing]);
  }

  async #search(
    queries: Float32Array | readonly Float32Array[],
    want: Want,
    options: QueryOptions,
  ): Promise<SearchResult<T>> {
    checkQuery(options);
    this.#turns.requireOpen();
    options.signal?.throwIfAborted();
    const begun = performance.now();
    const leased = this.#state;
    const state = leased.value;
    const { rows, count } = queryRows(queries, state.dimension);
    const filter = options.filter === undefined ? undefined : filterJson(options.filter);
    const found =
      foundAtOnce(state, rows, want, filter) ??
      (await this.#turns.during(() =>
        leased.use(() =>
          state.backend.custom === undefined
            ? findInCore(state, rows, want, filter, options)
            : findByCustom(state, state.backend.custom, rows, want, filter, this.#ending(options.signal)),
        ),
      ));
    const results = hitsOf(found, state, state.metric);
    return {
      results,
      // The names are those of the core's own enum.
      strategy: found.strategy as SearchStrategy,
      matching: found.matching,
      report: searchReport(
        {
          ...want,
          backend: state.backend.name,
          metric: state.metric,
          filtered: options.filter !== undefined,
        },
        { queries: count, matching: found.matching, hits: found.slots.length },
        (performance.now() - begun) / 1000,
      ),
    };
  }
}
