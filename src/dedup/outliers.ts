/**
 * Outliers: records that are unlike everything around them, by their mean cosine to their nearest neighbours.
 */
import type { NativeOutliers } from "#native";
import { z } from "zod";
import type { StageReport } from "../report.js";
import { share } from "./options.js";
import type { DedupVectors, DedupWork } from "./options.js";
import type { RecordList } from "./result.js";
import { neighbours, rankedAt, rankReport } from "./typicality.js";
import type { StageRun, Typical } from "./typicality.js";

/** Options of `filterOutliers`. */
export interface OutlierOptions extends Pick<DedupWork, "threads" | "signal" | "onProgress"> {
  /** Share of the records that are outliers, 0 to 1, rounded up. Default 0.1. */
  readonly share?: number | undefined;
  /** Nearest distinct texts that are averaged. Default 100. */
  readonly neighbours?: number | undefined;
}

/** Options of `filterOutliersIn`. */
export interface BatchOutlierOptions extends OutlierOptions {
  /** Vectors of this batch, when the reference was made from vectors. */
  readonly embeddings?: DedupVectors["embeddings"] | undefined;
}

/** Both sides of the cut. Plain data: survives `structuredClone` and `JSON.stringify`. */
export interface OutlierResult<T> {
  /** Records that stay, in input order. */
  readonly selected: ReadonlyArray<Typical<T>>;
  /** Outliers, in input order. */
  readonly filtered: ReadonlyArray<Typical<T>>;
  /** The share that was asked for. */
  readonly share: number;
  /** The numbers of the stage. */
  readonly report: StageReport;
}

/** The defaults. */
export const OUTLIER_DEFAULTS = { share: 0.1, neighbours: 100 } as const;

/** What `filterOutliers` checks its options against. */
export const outlierOptions = z.strictObject({ share: share.optional(), neighbours: neighbours.optional() });

/** Turns the columns of the core into the caller's result. */
export function outliersOf<T>(
  outcome: NativeOutliers,
  list: RecordList<T>,
  run: StageRun<{ readonly share: number; readonly neighbours: number }>,
): OutlierResult<T> {
  const at = (position: number): Typical<T> => rankedAt(list, position, outcome.scores[position]);
  const limits: string[] = [];
  const { records = 0, without_score: without = 0, filtered = 0 } = outcome.counts;
  if (records > 0 && without === records && run.options.share > 0) {
    limits.push("No record has both a vector and a neighbour: there is nothing to judge by, and all stay.");
  }
  if (without < records && without > filtered) {
    limits.push(`${without - filtered} records without a score stay: the share is full.`);
  }
  return {
    selected: Array.from(outcome.selected, at),
    filtered: Array.from(outcome.filtered, at),
    share: run.options.share,
    report: rankReport("outliers", outcome, run, limits),
  };
}
