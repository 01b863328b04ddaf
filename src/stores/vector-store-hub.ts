/**
 * The only way to a store: checks once what every store needs checked, splits, tries again, and keeps what is unconfirmed.
 *
 * Nothing is opened before the first call. The drivers below translate; they never see a value that was not checked here.
 */
import { untilAborted } from "../abort.js";
import { requireText, wrongArgument } from "../argument.js";
import { SluiceError } from "../errors.js";
import { BatchWriter } from "./batch-writer.js";
import { namesScope, treeOf } from "./filter-tree.js";
import { checkCall, checkCollectionName, requireSame, STORE_DEFAULTS } from "./option-check.js";
import { openDriver } from "./open-driver.js";
import { checkPoint, isAboutOnePoint, reportedId, requireEmbedder } from "./point-check.js";
import { parseWireText, wireIdOf, wireText } from "./point-id.js";
import { eachPoint, pointsAtCall } from "./point-source.js";
import type { PointSource } from "./point-source.js";
import { MemoryJournal } from "./retry-journal.js";
import type { RetryJournal } from "./retry-journal.js";
import { RETRY_DEFAULTS, SYSTEM_CLOCK, withRetries } from "./retry.js";
import type { RetryPolicy, StoreClock } from "./retry.js";
import { checkConfig } from "./store-config.js";
import type { StoreConfig } from "./store-config.js";
import type { CheckedPoint, OpenCollection, Selection, StoreDriver, Which } from "./store-driver.js";
import { checkVector, copyOf } from "./vector-check.js";
import type {
  Abortable,
  CollectionInfo,
  CollectionName,
  CollectionOptions,
  CountOptions,
  DeleteReport,
  Deletion,
  Hit,
  Point,
  ReadOptions,
  PointId,
  ScrollOptions,
  ScrollPage,
  SearchOptions,
  StoredPoint,
  StoreHealth,
  TextSearchOptions,
  VectorStore,
  WriteOptions,
  WriteReport,
} from "./vector-store.js";

/** How to hand the points of a collection to something that is made from them. */
export interface RebuildOptions extends Abortable {
  /** `next` of an earlier page. Default: from the start. */
  readonly after?: string | undefined;
  /** Points of a page. Default 256. */
  readonly limit?: number | undefined;
}

/** What a rebuild went through. */
export interface RebuildReport {
  readonly points: number;
  /** Counts of the collection before and after; other numbers mean that somebody wrote meanwhile. */
  readonly countBefore: number;
  readonly countAfter: number;
  readonly seconds: number;
}

/** A store, whichever. Example: `docs/qdrant.md`. */
export class VectorStoreHub implements VectorStore {
  readonly #driver: StoreDriver;
  readonly #policy: RetryPolicy;
  readonly #clock: StoreClock;
  readonly #journal: RetryJournal;
  readonly #open = new Map<string, OpenCollection>();
  readonly #closing = new AbortController();
  #ready: Promise<void> | undefined;

  /** @param config a store URL, or a URL with what belongs to it. Nothing is opened. */
  constructor(config: StoreConfig | string) {
    const given = checkConfig(config);
    const { store, apiKey, allowInsecureKey, requestTimeoutMs, retry, journal, clock } = given;
    this.#clock = clock ?? SYSTEM_CLOCK;
    this.#policy = {
      attemptsMax: retry?.attemptsMax ?? RETRY_DEFAULTS.attemptsMax,
      firstDelayMs: retry?.firstDelayMs ?? RETRY_DEFAULTS.firstDelayMs,
      delayMsMax: retry?.delayMsMax ?? RETRY_DEFAULTS.delayMsMax,
    };
    this.#journal = journal ?? new MemoryJournal();
    this.#driver =
      typeof store === "string"
        ? openDriver(store, {
            apiKey,
            allowInsecureKey: allowInsecureKey ?? false,
            requestTimeoutMs: requestTimeoutMs ?? STORE_DEFAULTS.requestTimeoutMs,
            clock: this.#clock,
          })
        : store;
  }

  /** Opens the store now instead of with the first call. */
  async initialize(options: Abortable = {}): Promise<void> {
    checkCall("abortable", options);
    await this.#call(options.signal, () => Promise.resolve());
  }

  async ensureCollection<Name extends string>(
    name: CollectionName<Name>,
    options: CollectionOptions = {},
  ): Promise<CollectionInfo> {
    checkCollectionName(name);
    checkCall("collection", options);
    const schema = {
      dimension: options.dimension ?? STORE_DEFAULTS.dimension,
      metric: options.metric ?? STORE_DEFAULTS.metric,
      embedderId: options.embedderId,
      payloadIndexes: options.payloadIndexes ?? {},
      foldedFields: options.foldedFields ?? [],
      shards: options.shards,
      replicationFactor: options.replicationFactor,
      writeConsistencyFactor: options.writeConsistencyFactor,
      onDisk: options.onDisk ?? STORE_DEFAULTS.onDisk,
    };
    const collection = await this.#call(options.signal, (signal) =>
      this.#driver.ensureCollection(name, schema, signal),
    );
    requireSame(collection, options);
    this.#open.set(name, collection);
    return infoOf(collection);
  }

  async collections(options: Abortable = {}): Promise<readonly CollectionInfo[]> {
    checkCall("abortable", options);
    const names = await this.#call(options.signal, (signal) => this.#driver.collectionNames(signal));
    const found: CollectionInfo[] = [];
    for (const name of names.toSorted()) {
      const collection = await this.#call(options.signal, (signal) => this.#driver.collection(name, signal));
      if (collection !== undefined) found.push(infoOf(collection));
    }
    return found;
  }

  async storeVectors(
    name: string,
    points: Iterable<Point> | AsyncIterable<Point>,
    options: WriteOptions = {},
  ): Promise<WriteReport> {
    checkCollectionName(name);
    checkCall("write", options);
    const source = pointsAtCall(points);
    const collection = await this.#collection(name, options.signal);
    requireEmbedder(collection, options.embedderId);
    if (collection.status === "red") {
      throw new SluiceError("STORE_REFUSED", `The collection ${name} is damaged (red); look at health().`, {
        field: "status",
        expected: "green, yellow or grey",
        received: "red",
      });
    }
    return this.#write(collection, source, options, (point, index) => checkPoint(point, index, collection));
  }

  /** Sends again what a store did not confirm. `requested` is 0 where there is nothing. */
  async resendPending(name: string, options: WriteOptions = {}): Promise<WriteReport> {
    checkCollectionName(name);
    checkCall("write", options);
    const collection = await this.#collection(name, options.signal);
    const pending = await this.#pending(name, options.signal);
    return this.#write(collection, pending, options, (point) => point);
  }

  async searchVectors(
    name: string,
    vector: Float32Array | readonly number[],
    options: SearchOptions = {},
  ): Promise<readonly Hit[]> {
    checkCollectionName(name);
    checkCall("search", options);
    const { topK, scoreThreshold, embedderId, onSearch } = options;
    const filter = treeOf(options.filter);
    const query = copyOf(vector);
    return this.#with(name, options.signal, (collection, signal) => {
      requireEmbedder(collection, embedderId);
      const request = {
        vector: checkVector(query, collection),
        topK: topK ?? STORE_DEFAULTS.topK,
        filter,
        scoreThreshold,
        with: selectionOf(options),
        onSearch,
      };
      return this.#driver.search(collection, request, signal);
    });
  }

  async searchText(name: string, query: string, options: TextSearchOptions = {}): Promise<readonly Hit[]> {
    checkCollectionName(name);
    if (typeof query !== "string") throw wrongArgument("query", "a text", query);
    checkCall("textSearch", options);
    const driver = this.#driver;
    if (driver.searchText === undefined) {
      throw new SluiceError("STORE_UNSUPPORTED", `The store ${driver.kind} has no full-text search.`, {
        field: "searchText",
        expected: "the embedded store",
        received: driver.kind,
      });
    }
    const filter = treeOf(options.filter);
    const topK = options.topK ?? STORE_DEFAULTS.topK;
    return this.#with(
      name,
      options.signal,
      (collection, signal) =>
        driver.searchText?.(collection, query, { topK, filter }, signal) ?? unreachable(),
    );
  }

  async get(
    name: string,
    ids: readonly PointId[],
    options: ReadOptions = {},
  ): Promise<readonly StoredPoint[]> {
    checkCollectionName(name);
    // What a caller without types may hand over.
    if (!Array.isArray(ids)) throw wrongArgument("ids", "an array of ids", ids);
    checkCall("read", options);
    const wires = ids.map((id, position) => wireIdOf(id, position));
    const found = new Map<string, StoredPoint>();
    // As many as one page of results may have, so that no answer grows without bound.
    for (let from = 0; from < wires.length; from += IDS_AT_ONCE) {
      const part = wires.slice(from, from + IDS_AT_ONCE);
      const points = await this.#with(name, options.signal, (collection, signal) =>
        this.#driver.get(collection, part, selectionOf(options), signal),
      );
      for (const { wire, point } of points) found.set(wireText(wire), point);
    }
    return wires.flatMap((wire) => found.get(wireText(wire)) ?? []);
  }

  async scroll(name: string, options: ScrollOptions = {}): Promise<ScrollPage> {
    checkCollectionName(name);
    checkCall("scroll", options);
    const request = {
      after: options.after === undefined ? undefined : parseWireText(options.after, "after"),
      limit: options.limit ?? STORE_DEFAULTS.limit,
      filter: treeOf(options.filter),
      with: selectionOf(options),
    };
    const page = await this.#with(name, options.signal, (collection, signal) =>
      this.#driver.scroll(collection, request, signal),
    );
    return { points: page.points, next: page.next === undefined ? null : wireText(page.next) };
  }

  async count(name: string, options: CountOptions = {}): Promise<number> {
    checkCollectionName(name);
    checkCall("count", options);
    const filter = treeOf(options.filter);
    return this.#with(name, options.signal, (collection, signal) =>
      this.#driver.count(collection, { filter }, signal),
    );
  }

  async deletePoints(name: string, which: Deletion, options: Abortable = {}): Promise<DeleteReport> {
    checkCollectionName(name);
    checkCall("deletion", which);
    checkCall("abortable", options);
    if ("ids" in which) {
      const ids = which.ids.map((id, position) => wireIdOf(id, position));
      // First from the journal: what is deleted must not come back with the next try.
      await untilAborted(() => this.#journal.remove(name, ids), this.#signal(options.signal));
      let deleted = 0;
      for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
        deleted += await this.#delete(name, { ids: ids.slice(from, from + IDS_AT_ONCE) }, options.signal);
      }
      return { deleted };
    }
    // The schema lets it pass, and no filter means everything elsewhere.
    if ((which.filter as unknown) === undefined) throw wrongArgument("filter", "a filter", undefined);
    const tree = treeOf(which.filter);
    if (which.allowUnscoped !== true && !namesScope(tree)) {
      throw new SluiceError("SCOPE_REQUIRED", "Deleting by filter needs a scope at the top of the filter.", {
        field: "filter",
        expected: "user_id, agent_id, run_id or tenant_id, or allowUnscoped: true",
        received: "no scope",
      });
    }
    // Points in the journal may match: they must be in the store before it is asked which do.
    if ((await this.#pending(name, options.signal)).length > 0) {
      const resent = await this.resendPending(name, options);
      if (resent.failed.some(({ retryable }) => retryable)) {
        throw new SluiceError(
          "STORE_UNREACHABLE",
          "Unconfirmed points must be sent before a deletion by filter.",
        );
      }
    }
    return { deleted: await this.#delete(name, { filter: tree }, options.signal) };
  }

  /**
   * Hands every point with its vector to something that is made from them, page by page in the order of ids; nothing is
   * embedded again. `checkpoint` is where to go on after an interruption, null after the last page.
   */
  async rebuildIndex(
    name: string,
    take: (points: readonly StoredPoint[], checkpoint: string | null) => void | Promise<void>,
    options: RebuildOptions = {},
  ): Promise<RebuildReport> {
    checkCollectionName(name);
    if (typeof take !== "function") throw wrongArgument("take", "a function", take);
    checkCall("rebuild", options);
    const startedMs = this.#clock.now();
    const { signal, limit } = options;
    const taking = this.#signal(signal);
    const countBefore = await this.count(name, { signal });
    let points = 0;
    let after = options.after;
    for (;;) {
      const page = await this.scroll(name, { after, limit, withVector: true, signal });
      points += page.points.length;
      await untilAborted(() => take(page.points, page.next), taking);
      if (page.next === null) break;
      after = page.next;
    }
    const countAfter = await this.count(name, { signal });
    return { points, countBefore, countAfter, seconds: (this.#clock.now() - startedMs) / 1000 };
  }

  /**
   * Copies the store into a new file as it is at one moment, while others read and write: whole batches, words included. The
   * file is a store like any other. `STORE_EXISTS` where there is a file already; a server makes snapshots of its own
   * (`STORE_UNSUPPORTED`).
   */
  async snapshot(path: string, options: Abortable = {}): Promise<void> {
    requireText("path", path);
    checkCall("abortable", options);
    const driver = this.#driver;
    if (driver.snapshot === undefined) {
      throw new SluiceError("STORE_UNSUPPORTED", `The store ${driver.kind} makes snapshots of its own.`, {
        field: "snapshot",
        expected: "the embedded store",
        received: driver.kind,
      });
    }
    await this.#call(options.signal, async (signal) => driver.snapshot?.(path, signal));
  }

  async health(options: Abortable = {}): Promise<StoreHealth> {
    checkCall("abortable", options);
    const signal = this.#signal(options.signal);
    signal.throwIfAborted();
    const journaled = await untilAborted(() => this.#journal.collections(), signal);
    let pending = 0;
    for (const name of journaled) pending += (await this.#pending(name, signal)).length;
    const { version, endpoints, collections } = await this.#driver.health(signal);
    const ready = endpoints.filter(({ status }) => status === "ready").length;
    const well = ready === endpoints.length && collections.every(({ status }) => status !== "red");
    return {
      status: endpoints.length > 0 && ready === 0 ? "down" : well ? "ok" : "degraded",
      store: this.#driver.kind,
      ...(version === undefined ? {} : { version }),
      endpoints,
      collections,
      pending,
    };
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new SluiceError("CLOSED", "The store was closed; make a new one."));
    await this.#driver.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Checks, splits and sends; `check` may refuse a point. */
  async #write<T extends Point | CheckedPoint>(
    collection: OpenCollection,
    points: PointSource<T>,
    options: WriteOptions,
    check: (point: T, index: number) => CheckedPoint,
  ): Promise<WriteReport> {
    const signal = this.#signal(options.signal);
    const writer = new BatchWriter({
      driver: this.#driver,
      collection,
      policy: this.#policy,
      clock: this.#clock,
      journal: this.#journal,
      signal,
      onBatch: options.onBatch,
    });
    let index = 0;
    try {
      const all = await eachPoint(points, signal, async (point) => {
        if (writer.stopped) return false;
        try {
          await writer.add(check(point, index));
        } catch (error) {
          if (!isAboutOnePoint(error)) throw error;
          writer.refuse(reportedId(point), index, error);
        }
        index += 1;
        return true;
      });
      if (all) return await writer.finish();
      // It may be the collection that is gone: the next call shall look again.
      this.#open.delete(collection.name);
      return await writer.finish(index);
    } catch (error) {
      await writer.abandon();
      throw error;
    }
  }

  #pending(name: string, signal: AbortSignal | undefined): Promise<readonly CheckedPoint[]> {
    return untilAborted(() => this.#journal.pending(name), this.#signal(signal));
  }

  /** Counts, then deletes: a deletion that is tried twice must not count nothing the second time. */
  async #delete(name: string, which: Which, signal: AbortSignal | undefined): Promise<number> {
    const there = await this.#with(name, signal, (collection, aborted) =>
      this.#driver.count(collection, which, aborted),
    );
    await this.#with(name, signal, (collection, aborted) => this.#driver.delete(collection, which, aborted));
    return there;
  }

  /** A call about a collection; one that is gone is forgotten. */
  async #with<T>(
    name: string,
    signal: AbortSignal | undefined,
    work: (collection: OpenCollection, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const collection = await this.#collection(name, signal);
    try {
      return await this.#call(signal, (aborted) => work(collection, aborted));
    } catch (error) {
      if (error instanceof SluiceError && error.code === "COLLECTION_MISSING") this.#open.delete(name);
      throw error;
    }
  }

  async #collection(name: string, signal: AbortSignal | undefined): Promise<OpenCollection> {
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    const found = await this.#call(signal, (aborted) => this.#driver.collection(name, aborted));
    if (found === undefined) {
      throw new SluiceError("COLLECTION_MISSING", `There is no collection ${name}.`, { field: "name" });
    }
    this.#open.set(name, found);
    return found;
  }

  async #call<T>(outer: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = this.#signal(outer);
    signal.throwIfAborted();
    // Shared by all callers, so it must not end with the signal of one.
    this.#ready ??= this.#initialize().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    const ready = this.#ready;
    await untilAborted(() => ready, signal);
    return withRetries(() => work(signal), this.#policy, this.#clock, signal);
  }

  async #initialize(): Promise<void> {
    const { signal } = this.#closing;
    await withRetries(() => this.#driver.initialize(signal), this.#policy, this.#clock, signal);
  }

  #signal(outer: AbortSignal | undefined): AbortSignal {
    return outer === undefined ? this.#closing.signal : AbortSignal.any([outer, this.#closing.signal]);
  }
}

/** Ids of one request. */
const IDS_AT_ONCE = 1_000;

function infoOf({ name, dimension, metric, embedderId, foldedFields }: OpenCollection): CollectionInfo {
  return { name, dimension, metric, ...(embedderId === undefined ? {} : { embedderId }), foldedFields };
}

function selectionOf({ withPayload, withVector }: ReadOptions): Selection {
  return {
    payload: withPayload ?? STORE_DEFAULTS.withPayload,
    vector: withVector ?? STORE_DEFAULTS.withVector,
  };
}

function unreachable(): never {
  throw new SluiceError("INTERNAL", "The driver lost its full-text search.");
}
