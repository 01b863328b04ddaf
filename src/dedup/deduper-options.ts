/**
 * What the calls of a `Deduper` may be given, and what `add` gives back.
 */
import type { Embedder } from "../embed/embedder.js";
import type { DedupOptions, DedupRules, DedupVectors, DedupWork } from "./options.js";

/** Options of `deduplicate`: rules may be tightened from batch to batch, columns and embedder stay those of the fit. */
export interface DeduplicateOptions extends DedupWork, Pick<DedupRules, ChangingRule> {
  /** Vectors of this batch, when the reference was made from vectors. */
  readonly embeddings?: DedupVectors["embeddings"] | undefined;
  /** Add what was selected to the reference. Default false. */
  readonly add?: boolean | undefined;
}

/** Options of `add`: how the work is done, and the vectors of the records. */
export type AddOptions = DedupWork & Pick<DeduplicateOptions, "embeddings">;

/** Rules that may differ from batch to batch. */
type ChangingRule = "threshold" | "floor" | "jaccard" | "guards" | "keep" | "duplicatesMax" | "profile";

/** Vectors of records, one row a record. */
export type Embeddings = NonNullable<DedupVectors["embeddings"]>;
/** Options of `fromEmbeddings`. */
export type FromEmbeddingsOptions = Omit<DedupOptions, "embeddings" | "embedder"> & {
  readonly embedder?: Embedder | undefined;
};

/** Options that only a comparison could use, and `add` makes none. */
export const COMPARING: ReadonlyArray<ChangingRule | "add"> = [
  "add",
  "threshold",
  "floor",
  "jaccard",
  "guards",
  "keep",
  "duplicatesMax",
  "profile",
];

/** What `add` did. */
export interface AddReport {
  /** Items added. */
  readonly added: number;
  /** Items in the reference now. */
  readonly items: number;
}
