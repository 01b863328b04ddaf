/**
 * Representatives: a few records that are typical of all and unlike each other.
 */
import type { NativeRepresentativeRules, NativeRepresentatives } from "#native";
import { z } from "zod";
import type { StageReport } from "../report.js";
import { share } from "./options.js";
import type { DedupVectors, DedupWork } from "./options.js";
import type { RecordList } from "./result.js";
import { howMany, neighbours, rankedAt, rankReport } from "./typicality.js";
import type { StageRun, Typical } from "./typicality.js";

/** Every strategy. */
export const DIVERSITY_STRATEGIES = ["mmr", "msd", "cover", "dpp", "ssd"] as const;
/** What makes a selection diverse; see `crates/rank` for what each maximises. */
export type DiversityStrategy = (typeof DIVERSITY_STRATEGIES)[number];

/** Options of `findRepresentative`. */
export interface RepresentativeOptions extends Pick<DedupWork, "threads" | "signal" | "onProgress"> {
  /** How many are wanted. Default 10. */
  readonly count?: number | undefined;
  /** How they are made diverse. Default `"mmr"`. */
  readonly strategy?: DiversityStrategy | undefined;
  /** 0: only typical, 1: only diverse. Default 0.5. */
  readonly diversity?: number | undefined;
  /**
   * Most typical distinct texts to pick from. Default `"auto"`: a tenth of all, between 100 and 1,000, and at least
   * `count`. Time grows with it; for `"cover"`, with its square.
   */
  readonly candidateLimit?: number | "auto" | undefined;
  /** Nearest distinct texts that are averaged. Default 100. */
  readonly neighbours?: number | undefined;
}

/** Options of `findRepresentativeIn`. */
export interface BatchRepresentativeOptions extends RepresentativeOptions {
  /** Vectors of this batch, when the reference was made from vectors. */
  readonly embeddings?: DedupVectors["embeddings"] | undefined;
}

/** A record that was picked. */
export interface Representative<T> extends Typical<T> {
  /** What the strategy gave for it when it was picked. Gains of two strategies cannot be compared. */
  readonly gain: number;
}

/** What was picked. Plain data: survives `structuredClone` and `JSON.stringify`. */
export interface RepresentativeResult<T> {
  /** The representatives, in the order in which they were picked. Each is the first record with its text. */
  readonly selected: ReadonlyArray<Representative<T>>;
  /** The other candidates, the most typical first. Records that were no candidates are not listed. */
  readonly filtered: ReadonlyArray<Typical<T>>;
  /** The numbers of the stage. */
  readonly report: StageReport;
}

/** The options after defaults. */
export interface ResolvedRepresentative {
  readonly count: number;
  readonly strategy: DiversityStrategy;
  readonly diversity: number;
  readonly candidateLimit: number | "auto";
  readonly neighbours: number;
}

/** The defaults. */
export const REPRESENTATIVE_DEFAULTS: ResolvedRepresentative = {
  count: 10,
  strategy: "mmr",
  diversity: 0.5,
  candidateLimit: "auto",
  neighbours: 100,
};

/** What `findRepresentative` checks its options against. */
export const representativeOptions = z.strictObject({
  count: howMany.optional(),
  strategy: z.enum(DIVERSITY_STRATEGIES).optional(),
  diversity: share.optional(),
  candidateLimit: z.union([howMany, z.literal("auto")]).optional(),
  neighbours: neighbours.optional(),
});

/** The options as the core takes them. */
export function nativeRepresentative({
  candidateLimit,
  ...rules
}: ResolvedRepresentative): NativeRepresentativeRules {
  return { ...rules, ...(candidateLimit === "auto" ? {} : { candidateLimit }) };
}

/** Turns the columns of the core into the caller's result. */
export function representativesOf<T>(
  outcome: NativeRepresentatives,
  list: RecordList<T>,
  run: StageRun<ResolvedRepresentative>,
): RepresentativeResult<T> {
  const limits: string[] = [];
  const { classes = 0, candidates = 0, without_score: without = 0 } = outcome.counts;
  if (candidates < classes) {
    limits.push(`${candidates} of ${classes} distinct texts were candidates.`);
  }
  if (without > 0) limits.push(`${without} records have no score and were no candidates.`);
  return {
    selected: Array.from(outcome.selected, (position, pick) => ({
      ...rankedAt(list, position, outcome.selectedScores[pick]),
      gain: outcome.gains[pick] ?? 0,
    })),
    filtered: Array.from(outcome.filtered, (position, rank) =>
      rankedAt(list, position, outcome.filteredScores[rank]),
    ),
    report: rankReport("representative", outcome, run, limits),
  };
}
