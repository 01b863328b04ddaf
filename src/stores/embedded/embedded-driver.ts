/**
 * The embedded store: one file, and a view of each collection that is searched.
 *
 * The file is the truth; a view is an index that catches up with it inside the core before every search, whoever wrote. One
 * process writes, any number read. What a call acknowledges outlives the process.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Metric } from "../../metric.js";
import type { NativePoints } from "#native";
import { SluiceError } from "../../errors.js";
import { callNative, defaultThreads, runJob } from "../../native.js";
import type { NativeCore } from "../../native.js";
import type { FilterTree } from "../filter-tree.js";
import type { WireId } from "../point-id.js";
import { StoreFailure } from "../store-driver.js";
import type {
  CheckedPoint,
  CollectionSchema,
  DriverHealth,
  DriverLimits,
  EncodedPoint,
  FailureKind,
  OpenCollection,
  ScrollRequest,
  SearchRequest,
  Selection,
  StoreDriver,
  Which,
  WriteFacts,
} from "../store-driver.js";
import type { EmbeddedLocation } from "../store-url.js";
import type { Hit, SearchReport, StoredPoint } from "../vector-store.js";
import { filterText } from "./filter-text.js";
import { keptIdAfter, keptIdBefore, keptIdOf, wireIdOfKept } from "./kept-id.js";
import { keptPayload, nativePoints, storedPoints } from "./kept-point.js";

/** How an embedded store works. */
export interface EmbeddedOptions {
  /** Arguments of the index backend, such as `efSearch` of `hnsw`. Default: those of the backend. */
  readonly indexArguments?: Readonly<Record<string, number>> | undefined;
  /** Called after every search by vector. Default: nobody is told. */
  readonly onSearch?: ((report: SearchReport) => void) | undefined;
}

type Store = InstanceType<NativeCore["NativeStore"]>;
type View = InstanceType<NativeCore["NativeView"]>;
type Control = InstanceType<NativeCore["NativeControl"]>;

/** Codes that trying again, or halving a batch, may help against; all others are thrown as they are. */
const FAILURES: Readonly<Record<string, FailureKind>> = {
  DIMENSION_MISMATCH: "refused",
  IO: "later",
  PAYLOAD_INVALID: "refused",
  POINT_TOO_LARGE: "refused",
  STORE_FULL: "fatal",
  STORE_LOCKED: "later",
  VECTOR_NOT_FINITE: "refused",
  VECTOR_ZERO: "refused",
};

/** The driver of a file. */
export class EmbeddedDriver implements StoreDriver {
  readonly kind = "embedded";
  readonly limits: DriverLimits = {
    pointsMax: 1_000,
    bytesAim: 8 * 1024 * 1024,
    // The longest text, payload and vector together; the core knows the limit of each.
    pointBytesMax: 18 * 1024 * 1024,
  };
  readonly #location: EmbeddedLocation;
  readonly #options: EmbeddedOptions;
  readonly #views = new Map<string, View>();
  #opening: Promise<Store> | undefined;
  #closed = false;

  /** @param location the file; it is opened, and made where there is none, with the first call. */
  constructor(location: EmbeddedLocation, options: EmbeddedOptions = {}) {
    this.#location = location;
    this.#options = options;
  }

  async initialize(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    // Asking makes no file: a mistyped path would leave an empty store behind.
    if (!this.#isMissing()) await this.#store();
  }

  async ensureCollection(
    name: string,
    schema: CollectionSchema,
    signal: AbortSignal | undefined,
  ): Promise<OpenCollection> {
    const there = await this.collection(name, signal);
    // The caller compares; a reader can ask for what is there.
    if (there !== undefined) return { ...there, foldedFields: schema.foldedFields };
    const { dimension, metric, embedderId } = schema;
    this.#requireIndex(dimension, metric);
    await this.#run(signal, (store, control) =>
      store.ensureCollection(name, dimension, metric, embedderId, control),
    );
    return {
      name,
      dimension,
      metric,
      ...(embedderId === undefined ? {} : { embedderId }),
      // Every field can be compared without case here.
      foldedFields: schema.foldedFields,
      ...SINGLE_FILE,
    };
  }

  async collection(name: string, signal: AbortSignal | undefined): Promise<OpenCollection | undefined> {
    return (await this.#collections(signal)).find((collection) => collection.name === name);
  }

  async collectionNames(signal: AbortSignal | undefined): Promise<readonly string[]> {
    return (await this.#collections(signal)).map(({ name }) => name);
  }

  encode(_collection: OpenCollection, point: CheckedPoint): EncodedPoint {
    keptIdOf(point.wire);
    const body = keptPayload(point);
    const bytes = point.vector.byteLength + Buffer.byteLength(body) + Buffer.byteLength(point.text ?? "");
    return { point, body, bytes };
  }

  async write(
    { name, dimension }: OpenCollection,
    points: readonly EncodedPoint[],
    signal: AbortSignal | undefined,
  ): Promise<WriteFacts> {
    const batch = nativePoints(points, dimension);
    const { unchanged } = await this.#run(signal, (store, control) => store.upsert(name, batch, control));
    return { unchanged };
  }

  async search(
    { name }: OpenCollection,
    request: SearchRequest,
    signal: AbortSignal | undefined,
  ): Promise<readonly Hit[]> {
    const { vector, topK, filter, scoreThreshold, with: selection } = request;
    const view = this.#view(name, await this.#store());
    const { value: found, seconds } = await this.#job(signal, (control) =>
      view.search(
        vector,
        topK,
        scoreThreshold,
        filterText(filter),
        selection.vector,
        defaultThreads(),
        control,
      ),
    );
    const report: SearchReport = {
      collection: name,
      index: this.#index,
      strategy: found.strategy,
      matching: found.matching,
      caughtUp: found.caughtUp,
      viewSeconds: seconds["view"] ?? 0,
      seconds: (seconds["search"] ?? 0) + (seconds["read"] ?? 0),
    };
    this.#options.onSearch?.(report);
    request.onSearch?.(report);
    return hitsOf(found.points, found.scores, selection);
  }

  async searchText(
    collection: OpenCollection,
    query: string,
    { topK, filter }: { readonly topK: number; readonly filter: FilterTree | undefined },
    signal: AbortSignal | undefined,
  ): Promise<readonly Hit[]> {
    const { points, scores } = await this.#run(signal, (store, control) =>
      store.searchText(collection.name, query, topK, filterText(filter), control),
    );
    return hitsOf(points, scores, { payload: true, vector: false });
  }

  async get(
    { name }: OpenCollection,
    ids: readonly WireId[],
    selection: Selection,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyArray<{ readonly wire: WireId; readonly point: StoredPoint }>> {
    const kept = ids.map(keptIdOf);
    const points = await this.#run(signal, (store, control) =>
      store.get(name, kept, selection.vector, control),
    );
    return storedPoints(points, selection);
  }

  async scroll(
    { name }: OpenCollection,
    { after, limit, filter, with: selection }: ScrollRequest,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly points: readonly StoredPoint[]; readonly next: WireId | undefined }> {
    // The core goes on after an id, callers begin with one: nothing that is written between two pages is passed over.
    const before = after === undefined ? undefined : keptIdBefore(keptIdOf(after));
    const page = await this.#run(signal, (store, control) =>
      store.scroll(name, before, limit, filterText(filter), selection.vector, control),
    );
    const last = page.next ?? undefined;
    return {
      points: storedPoints(page, selection).map(({ point }) => point),
      next: last === undefined ? undefined : wireIdOfKept(keptIdAfter(last)),
    };
  }

  async count({ name }: OpenCollection, which: Which, signal: AbortSignal | undefined): Promise<number> {
    if ("filter" in which) {
      return this.#run(signal, (store, control) => store.count(name, filterText(which.filter), control));
    }
    const ids = [...new Set(which.ids.map(keptIdOf))];
    return (await this.#run(signal, (store, control) => store.get(name, ids, false, control))).ids.length;
  }

  async delete({ name }: OpenCollection, which: Which, signal: AbortSignal | undefined): Promise<void> {
    await this.#run(signal, (store, control) =>
      "filter" in which
        ? store.deleteMatching(name, filterText(which.filter), control)
        : store.deleteIds(name, which.ids.map(keptIdOf), control),
    );
  }

  async health(signal: AbortSignal | undefined): Promise<DriverHealth> {
    const url = `file:${this.#location.path}`;
    try {
      const collections = await this.#run(signal, (store, control) => store.collections(control));
      return {
        version: undefined,
        endpoints: [{ url, status: "ready" }],
        collections: collections.map(({ name, points }) => ({
          name,
          status: "green",
          points,
          indexed: this.#views.get(name)?.info().live ?? 0,
        })),
      };
    } catch {
      signal?.throwIfAborted();
      return { version: undefined, endpoints: [{ url, status: "unreachable" }], collections: [] };
    }
  }

  async snapshot(path: string, signal: AbortSignal | undefined): Promise<void> {
    await this.#run(signal, (store, control) => store.snapshot(resolve(path), control));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const view of this.#views.values()) view.close();
    this.#views.clear();
    // A file that could not be opened has nothing to close.
    const store = await this.#opening?.catch(() => undefined);
    await store?.close();
  }

  get #index(): string {
    return this.#location.index ?? "flat";
  }

  /** Opens the file, once; after a failure the next call tries again. */
  #store(): Promise<Store> {
    if (this.#closed) throw new SluiceError("CLOSED", "The store was closed; make a new one.");
    const { path, access, durability } = this.#location;
    this.#opening ??= runJob(
      (core) => core.NativeStore.open(path, access ?? "write", durability ?? "process"),
      {},
    ).then(
      ({ value }) => value,
      (error: unknown) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }

  /** Refuses an index that does not exist or does not know the metric before anything is made that it shall search. */
  #requireIndex(dimension: number, metric: Metric): void {
    const args = this.#options.indexArguments ?? {};
    callNative((core) => {
      new core.NativeIndex({ backend: this.#index, args, metric, dimension }).close();
    });
  }

  /** The view of a collection: made with the first search, empty until it has caught up. */
  #view(name: string, store: Store): View {
    const known = this.#views.get(name);
    if (known !== undefined) return known;
    const args = this.#options.indexArguments ?? {};
    const view = callNative((core) => new core.NativeView(store, name, this.#index, args));
    this.#views.set(name, view);
    return view;
  }

  /** Whether the file is not there yet, and nobody asked for it as a reader. */
  #isMissing(): boolean {
    const { path, access } = this.#location;
    return !this.#closed && this.#opening === undefined && access !== "read" && !existsSync(path);
  }

  async #collections(signal: AbortSignal | undefined): Promise<readonly OpenCollection[]> {
    if (this.#isMissing()) return [];
    const collections = await this.#run(signal, (store, control) => store.collections(control));
    return collections.map(({ name, dimension, metric, embedderId }) => ({
      name,
      dimension,
      // The core knows the same three.
      metric: metric as Metric,
      ...(typeof embedderId === "string" ? { embedderId } : {}),
      foldedFields: [],
      ...SINGLE_FILE,
    }));
  }

  async #run<T>(
    signal: AbortSignal | undefined,
    work: (store: Store, control: Control) => Promise<T>,
  ): Promise<T> {
    const store = await this.#store();
    return (await this.#job(signal, (control) => work(store, control))).value;
  }

  /** A job of the core; what trying again may help against fails as a `StoreFailure`. */
  async #job<T>(
    signal: AbortSignal | undefined,
    work: (control: Control) => Promise<T>,
  ): Promise<{ readonly value: T; readonly seconds: Readonly<Record<string, number>> }> {
    try {
      return await runJob((_core, control) => work(control), { signal });
    } catch (error) {
      const kind = error instanceof SluiceError ? FAILURES[error.code] : undefined;
      if (!(error instanceof SluiceError) || kind === undefined) throw error;
      const { code, message, details } = error;
      throw new StoreFailure(kind, code, message, { details, cause: error });
    }
  }
}

/** Points with the score of each. */
function hitsOf(points: NativePoints, scores: ArrayLike<number>, selection: Selection): readonly Hit[] {
  // As many scores as points.
  return storedPoints(points, selection).map(({ point }, at) => ({
    ...point,
    score: scores[at] ?? Number.NaN,
  }));
}

/** What a store of one file has to say of copies, indexes and state. */
const SINGLE_FILE = { replicas: 1, indexes: {}, status: "green" } as const;
