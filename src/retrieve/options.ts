/**
 * The request of a retrieval: its type, its defaults, and the one place that checks it.
 */
import { z } from "zod";
import type { DedupRules } from "../dedup/options.js";
import { checkAgainst, wrongArgument } from "../argument.js";
import { checkOptions } from "../dedup/options.js";
import type { Embedder } from "../embed/embedder.js";
import { SluiceError } from "../errors.js";
import type { Filter } from "../filter/filter.js";
import { checkedFilter } from "../filter/normal-form.js";
import type { Reranker } from "../rerank/reranker.js";
import { copyOf } from "../stores/vector-check.js";
import type { VectorStore } from "../stores/vector-store.js";
import { RANK_CONSTANT } from "./reciprocal-rank.js";

/** The part of a store that a retrieval needs; `VectorStoreHub` has it. */
export type RetrievalStore = Pick<VectorStore, "searchVectors" | "searchText" | "get" | "collections">;

/** How a search by words and a search by vector become one order. */
export interface HybridOptions {
  /** The constant of reciprocal rank fusion, 1 to 1,000. Default 60. */
  readonly k?: number | undefined;
  /** Hits of each search that are fused, 1 to 1,000. Default 50. */
  readonly pool?: number | undefined;
}

/** What makes two hits near-duplicates. */
export type HitDedup = Pick<
  DedupRules,
  "methods" | "normalize" | "jaccard" | "shingles" | "threshold" | "guards"
>;

/** What a retrieval does with a query, whichever form it has. */
export interface RetrieveOptions {
  readonly collection: string;
  /** Most results, 0 to 1,000; of 0 nobody is asked. Default 10; 8 with a reranker. */
  readonly topK?: number | undefined;
  /** Only points that match; evaluated by the store. */
  readonly filter?: Filter | undefined;
  /**
   * Keeps hits with `score >= minScore`. It is the score of the vector, in the unit of the collection's metric, whatever
   * orders the results. Default: no floor.
   */
  readonly minScore?: number | undefined;
  /**
   * Drops near-duplicates of better-ranked hits: `true` for the defaults of `dedup`, or its rules. Semantic copies are found
   * by the vectors of the store: nothing is embedded. Default false.
   */
  readonly dedup?: boolean | HitDedup | undefined;
  /** Most tokens of all results together. Default: no budget. */
  readonly budgetTokens?: number | undefined;
  /** Counts the tokens of a text. Default: `estimateTokens`, which is an estimate. */
  readonly countTokens?: ((text: string) => number) | undefined;
  /** Aborts the work; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What reads the words of a query. */
export interface WordOptions {
  /** Orders the candidates anew; without it the order is that of the search. A failure shows in `rerank`. */
  readonly reranker?: Reranker | undefined;
  /** Candidates that the reranker sees, 1 to 1,000; those behind them stay behind. Default 50. */
  readonly rerankPool?: number | undefined;
  /** How long the reranker may take, 1 to 600,000. Default 5,000. */
  readonly rerankTimeoutMs?: number | undefined;
  /** Searches by words, too, where the store can, and fuses both. Default false. */
  readonly hybrid?: boolean | HybridOptions | undefined;
}

/**
 * A query in words, which the embedder of the collection turns into a vector. Another embedder is `EMBEDDER_MISMATCH`, where
 * the collection records its own.
 */
export interface QueryInWords extends RetrieveOptions, WordOptions {
  /** At most 32 KiB. A blank query gives no results, and nothing is embedded. */
  readonly query: string;
  readonly embedder: Embedder;
  readonly embedderId?: undefined;
  readonly vector?: undefined;
}

/** A vector that the caller made. */
export interface VectorOptions {
  readonly vector: Float32Array | readonly number[];
  /** Whose vector it is; another embedder than the collection's is `EMBEDDER_MISMATCH`. Default: not checked. */
  readonly embedderId?: string | undefined;
}

/** A query in words with its vector. */
export interface QueryInBoth extends RetrieveOptions, WordOptions, VectorOptions {
  readonly query: string;
  readonly embedder?: undefined;
}

/** A vector without words: nothing can be reranked or searched by words. */
export interface QueryByVector extends RetrieveOptions, VectorOptions {
  readonly query?: undefined;
  readonly embedder?: undefined;
  readonly reranker?: undefined;
  readonly rerankPool?: undefined;
  readonly rerankTimeoutMs?: undefined;
  readonly hybrid?: false | undefined;
}

/** What to retrieve. */
export type RetrieveRequest = QueryInWords | QueryInBoth | QueryByVector;

/** The defaults, in one place. */
export const RETRIEVE_DEFAULTS = {
  topK: 10,
  topKReranked: 8,
  rerankPool: 50,
  rerankTimeoutMs: 5_000,
  hybridK: RANK_CONSTANT,
  hybridPool: 50,
} as const;

/** Most results of a retrieval, and most candidates that are put in another order. */
const RESULTS_MAX = 1_000;
/** Most bytes of a query. */
export const QUERY_BYTES_MAX = 32_768;
/** With duplicates to drop, so many times as many hits are looked at, so that as many as asked for can be left. */
const DEDUP_DEPTH = 4;

const upToMax = z.int().min(1).max(RESULTS_MAX).optional();
const callback = z.custom<unknown>((value) => typeof value === "function", "a function");
/** An embedder as a caller without types may hand it over: without an id its vectors could be those of any other. */
export const anEmbedder = z.custom<unknown>(
  isEmbedder,
  "an embedder with an id, a dimension and a function embed",
);
/** A reranker; its name is for reports only, so one without is taken. */
export const aReranker = z.custom<unknown>(
  (value) => hasFunctions(value, ["rerank"]),
  "a reranker with a function rerank",
);

const schema = z.strictObject({
  collection: z.string(),
  query: z.string().optional(),
  vector: z.union([z.instanceof(Float32Array), z.array(z.number())]).optional(),
  embedder: anEmbedder.optional(),
  embedderId: z.string().min(1).optional(),
  topK: z.int().min(0).max(RESULTS_MAX).optional(),
  // Read by the core, which knows what a filter is.
  filter: z.unknown().optional(),
  minScore: z.number().optional(),
  reranker: aReranker.optional(),
  rerankPool: upToMax,
  rerankTimeoutMs: z.int().min(1).max(600_000).optional(),
  hybrid: z
    .union([z.boolean(), z.strictObject({ k: z.int().min(1).max(1_000).optional(), pool: upToMax })])
    .optional(),
  // The rules of `dedup` are checked where they are known.
  dedup: z.union([z.boolean(), z.record(z.string(), z.unknown())]).optional(),
  budgetTokens: z.int().min(0).optional(),
  countTokens: callback.optional(),
  signal: z.instanceof(AbortSignal).optional(),
});

/** A request of a caller without types: any of it may be there. */
type AnyRequest = RetrieveOptions &
  WordOptions & {
    readonly query?: string | undefined;
    readonly vector?: Float32Array | readonly number[] | undefined;
    readonly embedder?: Embedder | undefined;
    readonly embedderId?: string | undefined;
  };

/** A checked request with every default filled in. */
export interface Plan {
  readonly collection: string;
  readonly query: string | undefined;
  readonly vector: Float32Array | readonly number[] | undefined;
  readonly embedder: Embedder | undefined;
  /** Whose vector the query's is; undefined: nobody knows. */
  readonly embedderId: string | undefined;
  readonly topK: number;
  readonly filter: Filter | undefined;
  readonly minScore: number | undefined;
  readonly reranker: Reranker | undefined;
  readonly rerankPool: number;
  readonly rerankTimeoutMs: number;
  readonly hybrid: { readonly k: number; readonly pool: number } | undefined;
  readonly dedup: HitDedup | undefined;
  readonly budgetTokens: number | undefined;
  readonly countTokens: ((text: string) => number) | undefined;
  /** Hits to ask a search by vector for. */
  readonly depth: number;
  readonly signal: AbortSignal | undefined;
}

/** Checks a request and settles what it left open; nothing is embedded or asked before. It is taken as it is now. */
export function planRetrieval(hub: unknown, request: RetrieveRequest): Plan {
  checkAgainst(schema, request);
  requireStore(hub, request.hybrid !== undefined && request.hybrid !== false);
  const given: AnyRequest = request;
  const { query, vector, embedder, reranker } = given;
  if (query === undefined && vector === undefined) throw missing("query", "a query or a vector", "neither");
  if (vector === undefined && embedder === undefined) throw missing("embedder", "an embedder", "no vector");
  if (vector !== undefined && embedder !== undefined) {
    throw missing("embedder", "no embedder beside a vector", "both");
  }
  if (vector === undefined && given.embedderId !== undefined) {
    throw missing("embedderId", "a vector for embedderId to be about", "an embedder");
  }
  if (query === undefined && reranker !== undefined) throw missing("query", "words to rerank by", "none");
  if (query === undefined && given.hybrid !== undefined && given.hybrid !== false) {
    throw missing("query", "words to search by", "none");
  }
  if (query !== undefined) requireShort(query);
  if (typeof given.dedup === "object") checkOptions(given.dedup);
  const filter = given.filter === undefined ? undefined : checkedFilter(given.filter);
  const topK =
    given.topK ?? (reranker === undefined ? RETRIEVE_DEFAULTS.topK : RETRIEVE_DEFAULTS.topKReranked);
  const rerankPool = given.rerankPool ?? RETRIEVE_DEFAULTS.rerankPool;
  const hybrid = hybridOf(given.hybrid);
  const dedup = given.dedup === true ? {} : given.dedup === false ? undefined : given.dedup;
  return {
    collection: given.collection,
    query,
    // Copied: it is read only when the store has answered. A vector, by the schema.
    vector: copyOf(vector) as Plan["vector"],
    embedder,
    embedderId: embedder?.id ?? given.embedderId,
    topK,
    filter,
    minScore: given.minScore,
    reranker,
    rerankPool,
    rerankTimeoutMs: given.rerankTimeoutMs ?? RETRIEVE_DEFAULTS.rerankTimeoutMs,
    hybrid,
    dedup,
    budgetTokens: given.budgetTokens,
    countTokens: given.countTokens,
    depth: Math.max(
      dedup === undefined ? topK : DEDUP_DEPTH * topK,
      reranker === undefined ? 0 : rerankPool,
      hybrid?.pool ?? 0,
    ),
    signal: given.signal,
  };
}

function requireStore(hub: unknown, byWords: boolean): void {
  const methods = byWords ? ["searchVectors", "searchText", "get", "collections"] : ["searchVectors"];
  if (hasFunctions(hub, methods)) return;
  throw wrongArgument("hub", `a store with ${methods.join(", ")}, such as a VectorStoreHub`, hub);
}

/** Refuses a query that is longer than any question. */
export function requireShort(query: string): void {
  const bytes = Buffer.byteLength(query);
  if (bytes <= QUERY_BYTES_MAX) return;
  throw new SluiceError("OPTION_INVALID", "The query is too long.", {
    field: "query",
    expected: `at most ${QUERY_BYTES_MAX} bytes`,
    received: `${bytes} bytes`,
  });
}

function hybridOf(hybrid: boolean | HybridOptions | undefined): Plan["hybrid"] {
  if (hybrid === undefined || hybrid === false) return undefined;
  const { k, pool } = hybrid === true ? {} : hybrid;
  return { k: k ?? RETRIEVE_DEFAULTS.hybridK, pool: pool ?? RETRIEVE_DEFAULTS.hybridPool };
}

function missing(field: string, expected: string, received: string): SluiceError {
  return new SluiceError("OPTION_INVALID", `The request needs ${expected}.`, { field, expected, received });
}

function isEmbedder(value: unknown): boolean {
  if (!hasFunctions(value, ["embed"])) return false;
  try {
    // It is an object, by the line above.
    const { id, dimension } = value as Partial<Record<keyof Embedder, unknown>>;
    return typeof id === "string" && id !== "" && Number.isSafeInteger(dimension) && Number(dimension) > 0;
  } catch {
    return false;
  }
}

/** Whether something has these methods; an object that throws when it is asked has none. */
export function hasFunctions(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  try {
    // Any object may be asked for any key.
    return names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
  } catch {
    return false;
  }
}
