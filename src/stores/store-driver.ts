/**
 * What the hub asks of a kind of store, and how a store says that something failed.
 *
 * A driver is thin: it translates one call into one request and the answer into plain data. Points and options are checked
 * before they reach it; splitting, retrying and the journal are the hub's.
 */
import type { Metric } from "../metric.js";
import type { ErrorCode, ErrorDetails } from "../errors.js";
import { SluiceError } from "../errors.js";
import type { FilterTree } from "./filter-tree.js";
import type { WireId } from "./point-id.js";
import type {
  CollectionHealth,
  CollectionInfo,
  EndpointHealth,
  Hit,
  Payload,
  PayloadIndex,
  PointId,
  SearchReport,
  StoredPoint,
} from "./vector-store.js";

/** A collection as it shall be, every default filled in but those that belong to the store. */
export interface CollectionSchema {
  readonly dimension: number;
  readonly metric: Metric;
  readonly embedderId: string | undefined;
  readonly payloadIndexes: Readonly<Record<string, PayloadIndex>>;
  readonly foldedFields: readonly string[];
  readonly shards: number | undefined;
  readonly replicationFactor: number | undefined;
  readonly writeConsistencyFactor: number | undefined;
  readonly onDisk: boolean;
}

/** A collection as a driver knows it; the hub keeps it and hands it back with every call. */
export interface OpenCollection extends CollectionInfo {
  /** Copies of every part. */
  readonly replicas: number;
  /** Fields with an index, by the store's own type names. */
  readonly indexes: Readonly<Record<string, string>>;
  readonly status: CollectionHealth["status"];
}

/** A point that passed every check. */
export interface CheckedPoint {
  /** Position in what the caller handed over. */
  readonly index: number;
  readonly id: PointId;
  /** What the store knows the point by. */
  readonly wire: WireId;
  readonly vector: Float32Array;
  readonly payload: Payload;
  /** The payload as JSON, made once. */
  readonly payloadJson: string;
  readonly text: string | undefined;
}

/** A point as it goes to the store. */
export interface EncodedPoint {
  readonly point: CheckedPoint;
  /** What it weighs in a request. */
  readonly bytes: number;
  /** The point in the store's own form, where it has one. */
  readonly body: string;
}

/** What to bring back of a point. */
export interface Selection {
  readonly payload: boolean;
  readonly vector: boolean;
}

/** A search by vector. */
export interface SearchRequest {
  readonly vector: Float32Array;
  readonly topK: number;
  readonly filter: FilterTree | undefined;
  readonly scoreThreshold: number | undefined;
  readonly with: Selection;
  /** Takes what the driver knows about the way it searched. */
  readonly onSearch?: ((report: SearchReport) => void) | undefined;
}

/** What a store knows about a batch that it wrote. */
export interface WriteFacts {
  /** Points that were there already just as they are. */
  readonly unchanged: number;
}

/** A walk through a collection. */
export interface ScrollRequest {
  readonly after: WireId | undefined;
  readonly limit: number;
  readonly filter: FilterTree | undefined;
  readonly with: Selection;
}

/** Some points of a collection; no filter: all of them. */
export type Which = { readonly ids: readonly WireId[] } | { readonly filter: FilterTree | undefined };

/** How far a driver's requests may go. */
export interface DriverLimits {
  /** Most points of a request. */
  readonly pointsMax: number;
  /** Bytes of a request that the hub aims at. */
  readonly bytesAim: number;
  /** Most bytes of one point. */
  readonly pointBytesMax: number;
}

/** A kind of store. */
export interface StoreDriver {
  /** `embedded`, `qdrant`, or the name of another store. */
  readonly kind: string;
  readonly limits: DriverLimits;
  /** Opens what is to be opened; the hub calls it before the first use. */
  initialize(signal: AbortSignal | undefined): Promise<void>;
  /** Makes the collection or finds it; the hub compares what comes back. */
  ensureCollection(
    name: string,
    schema: CollectionSchema,
    signal: AbortSignal | undefined,
  ): Promise<OpenCollection>;
  /** The collection, or undefined where there is none. */
  collection(name: string, signal: AbortSignal | undefined): Promise<OpenCollection | undefined>;
  /** The names of all collections. */
  collectionNames(signal: AbortSignal | undefined): Promise<readonly string[]>;
  /** Translates a point, once, however often it is sent. */
  encode(collection: OpenCollection, point: CheckedPoint): EncodedPoint;
  /** Copies the store into a new file, as it is at one moment; absent where a store has no file. */
  snapshot?(path: string, signal: AbortSignal | undefined): Promise<void>;
  /** Writes all or fails; resolves when the store holds them for good, with what it knows about them, if anything. */
  write(
    collection: OpenCollection,
    points: readonly EncodedPoint[],
    signal: AbortSignal | undefined,
  ): Promise<WriteFacts | undefined>;
  /** The best `topK` by score, then by id. */
  search(
    collection: OpenCollection,
    request: SearchRequest,
    signal: AbortSignal | undefined,
  ): Promise<readonly Hit[]>;
  /** Absent where the store has no full text. */
  searchText?(
    collection: OpenCollection,
    query: string,
    request: { readonly topK: number; readonly filter: FilterTree | undefined },
    signal: AbortSignal | undefined,
  ): Promise<readonly Hit[]>;
  /** The points that are there, in any order, with what the store knows them by. */
  get(
    collection: OpenCollection,
    ids: readonly WireId[],
    selection: Selection,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyArray<{ readonly wire: WireId; readonly point: StoredPoint }>>;
  /** A page in the order of ids, and the id the next one begins with. */
  scroll(
    collection: OpenCollection,
    request: ScrollRequest,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly points: readonly StoredPoint[]; readonly next: WireId | undefined }>;
  count(collection: OpenCollection, which: Which, signal: AbortSignal | undefined): Promise<number>;
  delete(collection: OpenCollection, which: Which, signal: AbortSignal | undefined): Promise<void>;
  health(signal: AbortSignal | undefined): Promise<DriverHealth>;
  close(): Promise<void>;
}

/** What a driver knows about its health. */
export interface DriverHealth {
  readonly version: string | undefined;
  readonly endpoints: readonly EndpointHealth[];
  readonly collections: readonly CollectionHealth[];
}

/**
 * What a failure asks for. `refused`: the request is wrong, halve a batch to find the bad point. `too-large`: halve it.
 * `cut`: the connection ended in the middle, halve it and try again. `later`: try again. `fatal`: nothing helps.
 */
export type FailureKind = "refused" | "too-large" | "cut" | "later" | "fatal";

/** What else is known about a failure. */
export interface FailureFacts {
  readonly details?: ErrorDetails;
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** What the store asked to wait. */
  readonly retryAfterMs?: number;
  /** Whether the store may have done it all the same. */
  readonly mayBeApplied?: boolean;
  readonly cause?: unknown;
}

/** A request that failed. It never leaves the hub: callers get a `SluiceError` or an entry of a report. */
export class StoreFailure extends Error {
  override readonly name = "StoreFailure";
  readonly kind: FailureKind;
  readonly code: ErrorCode;
  readonly facts: FailureFacts;

  constructor(kind: FailureKind, code: ErrorCode, message: string, facts: FailureFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.kind = kind;
    this.code = code;
    this.facts = facts;
  }

  /** The same as callers see it. */
  toSluiceError(): SluiceError {
    return new SluiceError(this.code, this.message, this.facts.details ?? {}, { cause: this.facts.cause });
  }
}
