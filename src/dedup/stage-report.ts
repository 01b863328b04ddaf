/**
 * The report of the dedup stage: counts, ratios, seconds of every step, bytes, and every bound that bit.
 */
import type { NativeOutcome } from "#native";
import { withTotal, type StageReport } from "../report.js";
import { VERSION } from "../package.js";
import type { Embedded } from "./embed-classes.js";
import type { BatchPlan } from "./plan.js";

/** Distinct vectors up to which the exact join is meant to be used; above, its cost is said in `limits`. */
const EXACT_JOIN_CLASSES = 100_000;
/** Share of unknown tokens above which a static embedder does not understand a corpus. */
const UNKNOWN_SHARE_MAX = 0.3;

/** What went into one run besides the outcome. */
export interface RunNumbers {
  readonly plan: BatchPlan;
  readonly threshold: number;
  readonly embedded: Embedded | undefined;
  /** A field to prefer records by that none has. */
  readonly missingField?: string | undefined;
  /** Seconds of the steps so far, without the walk. */
  readonly seconds: Readonly<Record<string, number>>;
  readonly bytes: Readonly<Record<string, number>>;
}

/** Puts the numbers together. */
export function dedupReport(outcome: NativeOutcome, run: RunNumbers): StageReport {
  const { plan, embedded } = run;
  const counts: Record<string, number> = { ...outcome.counts, near: outcome.nearPositions.length };
  if (embedded?.coverage !== undefined) {
    counts["tokens"] = embedded.coverage.tokens;
    counts["unknown_tokens"] = embedded.coverage.unknown;
  }
  outcome.largestGroups.forEach((size, rank) => (counts[`largest_group_${rank + 1}`] = size));
  return {
    stage: "dedup",
    version: VERSION,
    options: {
      ...plan.rules,
      threshold: run.threshold,
      columns: plan.columns,
      threads: plan.threads,
      ...(embedded === undefined ? {} : { embedder: embedded.embedderId, dimension: embedded.dimension }),
      ...(plan.memoryBytes === undefined ? {} : { memoryBytes: plan.memoryBytes }),
    },
    counts,
    seconds: withTotal({ ...run.seconds, ...outcome.seconds }),
    bytes: run.bytes,
    limits: limitsOf(counts, run),
  };
}

function limitsOf(
  counts: Readonly<Record<string, number>>,
  { plan, embedded, missingField }: RunNumbers,
): string[] {
  const limits: string[] = [];
  if (missingField !== undefined) {
    limits.push(`No record has the field ${missingField}: the first record of each group stays.`);
  }
  if (plan.threadsAsked !== undefined) {
    limits.push(`${plan.threadsAsked} threads were asked for; this process may use ${plan.threads}.`);
  }
  const count = (name: string): number => counts[name] ?? 0;
  if (count("duplicates_cut") > 0) {
    limits.push(
      `${count("duplicates_cut")} witnesses beyond duplicatesMax ${plan.rules.duplicatesMax} are not listed.`,
    );
  }
  if (count("vetoes_cut") > 0) {
    limits.push(
      `${count("vetoes_cut")} vetoes beyond duplicatesMax ${plan.rules.duplicatesMax} are not listed.`,
    );
  }
  if (embedded !== undefined && count("classes") > EXACT_JOIN_CLASSES) {
    limits.push(
      `The semantic join compared ${count("classes")} distinct texts exactly; above ${EXACT_JOIN_CLASSES} its cost grows with the square.`,
    );
  }
  if (count("without_vector") > 0) {
    limits.push(
      `${count("without_vector")} distinct texts have no vector and were not compared semantically.`,
    );
  }
  const tokens = count("tokens");
  if (tokens > 0 && count("unknown_tokens") / tokens > UNKNOWN_SHARE_MAX) {
    const share = Math.round((100 * count("unknown_tokens")) / tokens);
    limits.push(
      `The embedder does not know ${share} % of the tokens: use the embedder "hash" or one for this language.`,
    );
  }
  return limits;
}
