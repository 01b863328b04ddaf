/**
 * `Index`: items found by their vectors, narrowed by their payloads.
 *
 * It can be thrown away: whatever it holds came from somewhere that holds it still. Rows and payloads are in the core,
 * items are here. A **slot** is the core's number of a row, a **position** the caller's; they part at a `rebuild`, which
 * closes the gaps of removed items in the core and keeps the positions of the others.
 */
import type { Metric } from "../metric.js";
import type { NativeIndex } from "#native";
import { SluiceError } from "../errors.js";
import { filterJson } from "../filter/normal-form.js";
import { callNative, defaultThreads, runJob } from "../native.js";
import { CustomBackend, slotSet } from "./custom-backend.js";
import type { Want } from "./custom-backend.js";
import { factoryOf } from "./index-backend.js";
import type { BackendSetup } from "./index-backend.js";
import { itemsFromBytes, itemsToBytes } from "./item-bytes.js";
import {
  checkK,
  checkPath,
  checkPositions,
  checkQuery,
  checkThreshold,
  checkWork,
  numbersOf,
  present,
  resolveArguments,
  threadsFor,
} from "./options.js";
import type { ArgumentsOf, IndexWork, QueryOptions } from "./options.js";
import { payloadTexts } from "./payload-texts.js";
import { hitsOf, searchReport } from "./search-result.js";
import type { FoundColumns, SearchResult, SearchStrategy } from "./search-result.js";
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

/** How the backend of an index was asked for. */
interface Backend {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The backend, where it is a registered one; the core is exact then. */
  readonly custom: CustomBackend | undefined;
}

/** All that a search looks at. A rebuild puts another in its place, so that a running search keeps its own. */
interface State<T> {
  readonly native: NativeIndex;
  readonly backend: Backend;
  readonly metric: Metric;
  readonly dimension: number;
  readonly embedderId: string | undefined;
  /** Items by slot; grows at its end. Removed ones stay until a rebuild, for searches that run. */
  readonly items: T[];
  /** Positions by slot, ascending. */
  readonly positions: number[];
}

/** The backend of the core that holds the rows of a registered one. */
const HOLDER = "flat";

/**
 * Items by vector. Searches run side by side; calls that change something run one after another. Holds native memory
 * until it is closed. Examples: `test/index/search.test.ts`.
 */
export class Index<T> {
  readonly #turns = new Turns();
  #state: State<T>;
  #next: number;

  private constructor(state: State<T>, next: number) {
    this.#state = state;
    this.#next = next;
  }

  /**
   * Builds an index over vectors, end to end, one for each item.
   *
   * An item is anything that `structuredClone` copies; where it is an object, filters see it in its JSON form. The
   * backend is `"flat"` (exact), `"hnsw"` (a graph) or a registered name; `args` holds the dimension, the metric, and the backend's own.
   */
  static async fromVectorsAndItems<T, Backend extends string>(
    vectors: Float32Array,
    items: readonly T[],
    backend: Backend,
    args: ArgumentsOf<Backend>,
    options: IndexWork = {},
  ): Promise<Index<T>> {
    checkWork(options);
    const factory = factoryOf(backend);
    const { dimension, metric, embedderId, own } = resolveArguments(args);
    const native = callNative(
      (core) =>
        new core.NativeIndex({
          backend: factory === undefined ? backend : HOLDER,
          args: factory === undefined ? numbersOf(own) : {},
          metric,
          dimension,
          ...(embedderId === undefined ? {} : { embedderId }),
        }),
    );
    const custom =
      factory && (await CustomBackend.make(factory, { dimension, metric, args: own }, options.signal));
    const made = { name: backend, args: own, custom };
    const state: State<T> = {
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
      await index.add(vectors, items, options);
      return index;
    } catch (error) {
      await index[Symbol.asyncDispose]();
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
    const state: State<T> = {
      native,
      ...setup,
      backend: saved.custom
        ? await refilled(native, saved.custom, setup, options)
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
    const { native, backend, metric, dimension, embedderId } = this.#state;
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
    requireRows(vectors, items.length, this.#state.dimension);
    const payloads = payloadTexts(items);
    const rows = vectors.slice();
    // The caller may change its list while the call waits.
    const added = [...items];
    return this.#turns.next(async () => {
      const state = this.#state;
      const { native, backend } = state;
      const threads = options.threads ?? defaultThreads();
      let { signal } = options;
      if (backend.custom !== undefined) {
        // What is prepared was checked: the core takes it, and is not stopped once the backend has the rows.
        await backend.custom.add(
          callNative(() => native.prepare(rows)),
          signal,
        );
        signal = undefined;
      }
      await runJob((_, control) => native.add(rows, payloads, threads, control), { signal });
      return added.map((item) => {
        state.items.push(item);
        state.positions.push(this.#next);
        return this.#next++;
      });
    });
  }

  /** Takes items out of every later answer, by position; gives how many were there. A `rebuild` frees their memory. */
  async remove(positions: Iterable<number>, options: IndexWork = {}): Promise<number> {
    checkWork(options);
    const given = checkPositions(positions);
    return this.#turns.next(async () => {
      const state = this.#state;
      const slots = given.map((position) => slotAt(state.positions, position)).filter((slot) => slot >= 0);
      const { value } = await runJob(() => state.native.remove(Uint32Array.from(slots)), options);
      return value;
    });
  }

  /**
   * Builds the index again from the vectors it holds: without the memory of removed items, over another backend where
   * one is named. Nothing is embedded; positions stay. Without a name, backend and arguments stay.
   */
  async rebuild<Backend extends string>(
    backend?: Backend,
    args: Omit<ArgumentsOf<Backend>, "dimension" | "metric" | "embedderId"> = {} as never,
    options: IndexWork = {},
  ): Promise<void> {
    checkWork(options);
    await this.#turns.next(async () => {
      const old = this.#state;
      const name = backend ?? old.backend.name;
      const own = backend === undefined ? old.backend.args : present(args);
      const factory = factoryOf(name);
      const threads = options.threads ?? defaultThreads();
      const { value } = await runJob(
        (_, control) =>
          old.native.rebuild(
            factory === undefined ? name : HOLDER,
            factory === undefined ? numbersOf(own) : {},
            threads,
            control,
          ),
        options,
      );
      const { index: native, former } = value;
      const made =
        factory === undefined
          ? { name, args: own, custom: undefined }
          : await refilled(native, { name, args: own }, old, options);
      this.#state = {
        ...old,
        native,
        backend: made,
        // Every former slot has an item and a position.
        items: Array.from(former, (slot) => old.items[slot] as T),
        positions: Array.from(former, (slot) => old.positions[slot] ?? slot),
      };
      old.native.close();
      await old.backend.custom?.close();
    });
  }

  /** Saves vectors, payloads and items in one file, which is the old one or the new one, never half of one. */
  async save(path: string, options: IndexWork = {}): Promise<void> {
    checkPath(path);
    checkWork(options);
    await this.#turns.next(async () => {
      const { native, items, positions, backend } = this.#state;
      const custom = backend.custom === undefined ? undefined : { name: backend.name, args: backend.args };
      const bytes = itemsToBytes({ items, positions, next: this.#next, custom });
      await runJob(() => native.save(path, bytes), options);
    });
  }

  /** Gives the memory back. Calls that wait are refused, and later ones, with `CLOSED`. */
  close(): void {
    this.#turns.close(new SluiceError("CLOSED", "The index is closed."));
    this.#state.native.close();
    // Nobody waits for a registered backend to let go; `asyncDispose` does.
    this.#state.backend.custom?.close().catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turns.settled();
    this.close();
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
    const state = this.#state;
    const { rows, count } = queryRows(queries, state.dimension);
    const found = await this.#find(state, rows, count, want, options);
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

  async #find(
    { native, backend, dimension }: State<T>,
    rows: Float32Array,
    count: number,
    want: Want,
    options: QueryOptions,
  ): Promise<FoundColumns> {
    const filter = options.filter === undefined ? undefined : filterJson(options.filter);
    const { signal } = options;
    if (backend.custom !== undefined) {
      const { value } = await runJob(() => native.select(filter), { signal });
      return backend.custom.search(native, rows, dimension, want, slotSet(value), signal);
    }
    const found = callNative(() => native.searchAtOnce(rows, want, filter));
    if (found !== null) return found;
    const threads = threadsFor(options, count);
    const job = runJob((_, control) => native.search(rows, want, filter, threads, control), { signal });
    return (await job).value;
  }
}

/** A registered backend, given all rows of the core, those of removed items too: slots must be the same. */
async function refilled(
  native: NativeIndex,
  asked: { readonly name: string; readonly args: Readonly<Record<string, unknown>> },
  { dimension, metric }: Omit<BackendSetup, "args">,
  { signal }: IndexWork,
): Promise<Backend> {
  const factory = factoryOf(asked.name);
  if (factory === undefined) {
    throw new SluiceError("INDEX_FILE", "The file names a backend of the core as a registered one.");
  }
  const custom = await CustomBackend.make(factory, { dimension, metric, args: asked.args }, signal);
  await custom.add(
    callNative(() => native.allRows()),
    signal,
  );
  return { ...asked, custom };
}

/** The slot of a position, or -1. */
function slotAt(positions: readonly number[], position: number): number {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((positions[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return positions[low] === position ? low : -1;
}
