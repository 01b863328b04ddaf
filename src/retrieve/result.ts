/**
 * What a retrieval gives back: every candidate, either as a result or with the reason why not.
 */
import type { RerankStatus } from "../rerank/reranker.js";
import type { StageReport } from "../report.js";
import type { Hit, PointId } from "../stores/vector-store.js";

/** A result, best first. */
export interface Retrieved extends Hit {
  /** The score of the vector, whatever the order comes from: higher is better, in the unit of the metric. */
  readonly score: number;
  /** What the reranker said, on its own scale; absent where it was not asked about this hit, or failed. */
  readonly rerankScore?: number;
  /** The fused score of a hybrid search, where the hit was in its pool. */
  readonly fusedScore?: number;
  /** Tokens of the text, by `countTokens`. */
  readonly tokens: number;
}

/** A candidate that is not among the results. At every step the ones before it had already gone. */
export type Omitted = { readonly id: PointId; readonly score: number } & (
  | { readonly reason: "below_floor" }
  | {
      readonly reason: "duplicate";
      /** The better-ranked hit it is a copy of. */
      readonly of: PointId;
      readonly by: "exact" | "normalized" | "lexical" | "semantic";
      /** How similar both are: Jaccard (lexical), cosine (semantic), else 1. */
      readonly similarity: number;
    }
  | { readonly reason: "beyond_top_k" }
  | { readonly reason: "budget"; readonly tokens: number }
);

/** What a retrieval gives. `results` and `omitted` together are all candidates, each once. */
export interface RetrieveResult {
  readonly results: readonly Retrieved[];
  readonly omitted: readonly Omitted[];
  readonly rerank: RerankStatus;
  /** Tokens of all results. */
  readonly tokens: number;
  readonly report: StageReport;
}
