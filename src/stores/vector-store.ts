/**
 * What every store can do, whoever keeps the points.
 *
 * One meaning for all: a score is a similarity, higher is better, in the natural unit of the metric (cosine in [-1, 1];
 * dot, the product; l2, minus the distance). A threshold keeps `score >= threshold`. Ties go to the smaller id: whole
 * numbers first, then UUIDs by their bytes. Everything that comes back is plain data.
 */
import type { Filter } from "../filter/filter.js";
import type { Metric } from "../metric.js";

/**
 * The caller's id of a point: a whole number from 0 below 2^53, a UUID, or any other text of at most 1,024 characters (kept
 * beside a UUID made from it).
 */
export type PointId = string | number;

/** What a point carries besides its vector: a JSON object. `_id`, `_text` and `_lc` are reserved. */
export type Payload = Readonly<Record<string, unknown>>;

/** What goes into a store. */
export interface Point {
  readonly id: PointId;
  readonly vector: Float32Array | readonly number[];
  readonly payload?: Payload | undefined;
  /** The text the vector was made from; what full-text search and rerankers read. */
  readonly text?: string | undefined;
}

/** What comes out of a store. */
export interface StoredPoint {
  readonly id: PointId;
  readonly payload: Payload;
  readonly text?: string;
  /** Only when asked for. A Qdrant collection with cosine gives it back with length 1. */
  readonly vector?: Float32Array;
}

/** A point that was found, with its score. */
export interface Hit extends StoredPoint {
  readonly score: number;
}

/** Every asynchronous call can be aborted; the promise then rejects with the signal's reason. */
export interface Abortable {
  readonly signal?: AbortSignal | undefined;
}

/** How a field is indexed by stores that need to be told. Numbers are always `float`: it holds whole numbers too. */
export type PayloadIndex = "keyword" | "float" | "datetime" | "bool";

/**
 * The name of a collection: 1 to 128 letters, digits, `_`, `.` and `-`, the first no dot or dash. A literal that breaks the rule
 * does not compile where a collection is made; a text that is put together is checked by the call (`COLLECTION_NAME_INVALID`).
 */
export type CollectionName<Name extends string = string> = Name extends
  "" | `${"." | "-"}${string}` | `${string}${SignOfNoName}${string}`
  ? never
  : Name;

/** The likeliest signs that no name has: a list of all others would be all of Unicode. */
type SignOfNoName =
  " " | "/" | "\\" | ":" | "*" | "?" | '"' | "'" | "<" | ">" | "|" | "#" | "%" | "@" | "," | ";";

/** What a collection must be. Asked again with the same answer it does nothing; with another it fails. */
export interface CollectionOptions extends Abortable {
  /** Components of a vector. Default 768. */
  readonly dimension?: number | undefined;
  /** Default `"cosine"`. */
  readonly metric?: Metric | undefined;
  /** Whose vectors these are; vectors of another embedder are then refused. Default: not recorded. */
  readonly embedderId?: string | undefined;
  /** Fields to index besides the scope keys, which always are. Default none. */
  readonly payloadIndexes?: Readonly<Record<string, PayloadIndex>> | undefined;
  /**
   * Fields that `icontains` may ask for, where a store cannot compare without case (Qdrant): a lower-cased copy is kept in
   * `_lc`. Default none.
   */
  readonly foldedFields?: readonly string[] | undefined;
  /** Parts a collection is cut into (Qdrant). Default: the server's. */
  readonly shards?: number | undefined;
  /** Copies of every part (Qdrant). Default: what the store URL says, else 3 with three or more nodes, else 1. */
  readonly replicationFactor?: number | undefined;
  /** Copies that must confirm a write (Qdrant). Default: what the store URL says, else half the copies, rounded up. */
  readonly writeConsistencyFactor?: number | undefined;
  /** Keeps the vectors on disk instead of in memory (Qdrant). Default false. */
  readonly onDisk?: boolean | undefined;
}

/** A collection as it is. */
export interface CollectionInfo {
  readonly name: string;
  readonly dimension: number;
  readonly metric: Metric;
  readonly embedderId?: string;
  readonly foldedFields: readonly string[];
}

/** How points are written. */
export interface WriteOptions extends Abortable {
  /** Called after every batch. */
  readonly onBatch?: ((report: WriteReport) => void) | undefined;
  /** The embedder of the vectors; another than the collection's is `EMBEDDER_MISMATCH`. Default: not checked. */
  readonly embedderId?: string | undefined;
}

/** A point that was not written, and why. */
export interface FailedPoint {
  readonly id: PointId;
  /** Position in what was handed over. */
  readonly index: number;
  /** A code of `ERRORS`. */
  readonly code: string;
  readonly message: string;
  /** Whether the same point may be written later. The hub keeps such points in its journal. */
  readonly retryable: boolean;
}

/** What became of a write. At the end `requested = written + superseded + failed.length`. */
export interface WriteReport {
  /** Points that were looked at. */
  readonly requested: number;
  /** Points in batches that the store confirmed as completed, not merely as received. */
  readonly written: number;
  /** Of `written`, points that the store had already just as they are. Absent where a store does not know (Qdrant). */
  readonly unchanged?: number;
  /**
   * Points that were not sent because a later one with the same id, which was written, replaces them. Only points of one batch
   * are looked at together: across batches both are written, one after the other.
   */
  readonly superseded: number;
  readonly failed: readonly FailedPoint[];
  readonly batches: number;
  /** Requests, retries included. */
  readonly attempts: number;
  /** Whether points listed in `failed` may nevertheless be in the store, or on some copies of it. */
  readonly mayBePartial: boolean;
  /** Where reading stopped because the store is down or refuses everything: the first position not looked at. */
  readonly stoppedAt?: number;
  readonly seconds: number;
}

/** How a store went about a search by vector. */
export interface SearchReport {
  readonly collection: string;
  /** Backend of the index: `flat`, `hnsw`. */
  readonly index: string;
  /** The way it took: `exact`, `exact-subset`, `graph`, `filtered-graph`. */
  readonly strategy: string;
  /** Points that pass the filter. */
  readonly matching: number;
  /** Changes of the file that the view had not seen yet. */
  readonly caughtUp: number;
  /** Seconds of catching up; 0 when nothing had changed, about. */
  readonly viewSeconds: number;
  /** Seconds of searching and of reading what was found. */
  readonly seconds: number;
}

/** How to search by vector. */
export interface SearchOptions extends Abortable {
  /** Most hits, 1 to 10,000. Default 10. */
  readonly topK?: number | undefined;
  readonly filter?: Filter | undefined;
  /** Keeps `score >= scoreThreshold`. Default: no floor. */
  readonly scoreThreshold?: number | undefined;
  /**
   * The embedder of the vector; another than the collection's is `EMBEDDER_MISMATCH`. A collection that does not record one
   * takes any. Default: not checked.
   */
  readonly embedderId?: string | undefined;
  /** Called once, by stores that know how they searched (the embedded one). Default: nobody is told. */
  readonly onSearch?: ((report: SearchReport) => void) | undefined;
  /** Default true. */
  readonly withPayload?: boolean | undefined;
  /** Default false. */
  readonly withVector?: boolean | undefined;
}

/** How to search by words. */
export interface TextSearchOptions extends Abortable {
  /** Most hits, 1 to 10,000. Default 10. */
  readonly topK?: number | undefined;
  readonly filter?: Filter | undefined;
}

/** What to read of points. */
export interface ReadOptions extends Abortable {
  /** Default true. */
  readonly withPayload?: boolean | undefined;
  /** Default false. */
  readonly withVector?: boolean | undefined;
}

/** How to walk through a collection. */
export interface ScrollOptions extends ReadOptions {
  /** Points of a page, 1 to 10,000. Default 256. */
  readonly limit?: number | undefined;
  readonly filter?: Filter | undefined;
  /** `next` of the page before. Default: from the start. */
  readonly after?: string | undefined;
}

/** A page of points in the order of their ids. */
export interface ScrollPage {
  readonly points: readonly StoredPoint[];
  /** Where the next page begins; null after the last. Survives a restart, so it is a checkpoint. */
  readonly next: string | null;
}

/** How to count. */
export interface CountOptions extends Abortable {
  readonly filter?: Filter | undefined;
}

/** Which points to delete. A filter must name a scope, unless the caller says that it need not. */
export type Deletion =
  | { readonly ids: readonly PointId[] }
  | { readonly filter: Filter; readonly allowUnscoped?: boolean | undefined };

/** What a deletion did. */
export interface DeleteReport {
  /** Points that were there before; counted by the store. */
  readonly deleted: number;
}

/** A node of a store. */
export interface EndpointHealth {
  readonly url: string;
  readonly status: "ready" | "not-ready" | "unreachable";
}

/** How a collection is. */
export interface CollectionHealth {
  readonly name: string;
  /** Red: do not write to it. Yellow and grey: an optimisation runs or waits. */
  readonly status: "green" | "yellow" | "grey" | "red";
  readonly points: number;
  readonly indexed: number;
  /** What the store says about its trouble. */
  readonly problem?: string;
}

/** How a store is. */
export interface StoreHealth {
  readonly status: "ok" | "degraded" | "down";
  /** `embedded`, `qdrant`, or the name of another store. */
  readonly store: string;
  readonly version?: string;
  readonly endpoints: readonly EndpointHealth[];
  readonly collections: readonly CollectionHealth[];
  /** Points in the retry journal. */
  readonly pending: number;
}

/** The one way to a store; `VectorStoreHub` is it. */
export interface VectorStore extends AsyncDisposable {
  /** Makes the collection, or checks that the one that is there is the same (`COLLECTION_MISMATCH`). */
  ensureCollection<Name extends string>(
    name: CollectionName<Name>,
    options?: CollectionOptions,
  ): Promise<CollectionInfo>;
  /** All collections, by name. */
  collections(options?: Abortable): Promise<readonly CollectionInfo[]>;
  /**
   * Writes points; the later of two with one id stays, and one that is refused replaces nothing. What cannot be written is in
   * the report, not thrown. Of a list, points and copies of their vectors and payloads are taken at the call, which takes as
   * much memory again; any other iterable is read as it goes, a few batches ahead of the store at most, and each point must
   * stay as it is until the next one is asked for.
   */
  storeVectors(
    name: string,
    points: Iterable<Point> | AsyncIterable<Point>,
    options?: WriteOptions,
  ): Promise<WriteReport>;
  /** The nearest points, best first. */
  searchVectors(
    name: string,
    vector: Float32Array | readonly number[],
    options?: SearchOptions,
  ): Promise<readonly Hit[]>;
  /** The points whose texts answer best to words; `STORE_UNSUPPORTED` where the store has no full text. */
  searchText(name: string, query: string, options?: TextSearchOptions): Promise<readonly Hit[]>;
  /** The points with these ids that are there, in the order of `ids`. */
  get(name: string, ids: readonly PointId[], options?: ReadOptions): Promise<readonly StoredPoint[]>;
  /** A page of points in the order of their ids. */
  scroll(name: string, options?: ScrollOptions): Promise<ScrollPage>;
  /** How many points there are, exactly. */
  count(name: string, options?: CountOptions): Promise<number>;
  /** Deletes points by id or by filter. */
  deletePoints(name: string, which: Deletion, options?: Abortable): Promise<DeleteReport>;
  /** How the store is; never throws because it is down. */
  health(options?: Abortable): Promise<StoreHealth>;
  /** Lets go of sockets and files. Calls after it are `CLOSED`. */
  close(): Promise<void>;
}
