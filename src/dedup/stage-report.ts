/**
 * The report of the dedup stage: counts, ratios, seconds of every step, bytes, and every bound that bit.
 */
import type { NativeOutcome } from "#native";
import { withTotal, type StageReport } from "../report.js";
import { VERSION } from "../package.js";
import type { Coverage, Embedded } from "./embed-classes.js";
import type { BatchPlan } from "./plan.js";

/** Distinct vectors up to which the exact join is meant to be used; above, its cost is said in `limits`. */
const EXACT_JOIN_CLASSES = 100_000;
/** Share of unknown tokens above which a static embedder does not understand a corpus. */
const UNKNOWN_SHARE_MAX = 0.3;

/** What went into one run besides the outcome. */
export interface RunNumbers {
  readonly plan: BatchPlan;
  readonly threshold: number;
  readonly embedded: Omit<Embedded, "seconds"> | undefined;
  /** A field to prefer records by that none has. */
  readonly missingField?: string | undefined;
  /** A field with ids that was asked for and that none has. */
  readonly missingId?: string | undefined;
  /** What is known of the reference, where there is one. */
  readonly reference?: ReferenceNumbers | undefined;
  /** Seconds of the steps so far, without the walk. */
  readonly seconds: Readonly<Record<string, number>>;
  readonly bytes: Readonly<Record<string, number>>;
}

/** What a report says of the items that a batch was compared with. */
export interface ReferenceNumbers {
  readonly records: number;
  readonly coverage?: Coverage | undefined;
  /** Distinct texts without a vector, where vectors are compared. */
  readonly withoutVector?: number | undefined;
  /** A field with ids that was asked for and that none has. */
  readonly missingId?: string | undefined;
}

/** Puts the numbers together. */
export function dedupReport(outcome: NativeOutcome, run: RunNumbers): StageReport {
  const { plan, embedded } = run;
  const counts: Record<string, number> = { ...outcome.counts, near: outcome.nearPositions.length };
  if (embedded?.coverage !== undefined) {
    counts["tokens"] = embedded.coverage.tokens;
    counts["unknown_tokens"] = embedded.coverage.unknown;
  }
  Object.assign(counts, countsOf(run.reference));
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

function countsOf(reference: ReferenceNumbers | undefined): Record<string, number> {
  if (reference === undefined) return {};
  const { records, coverage, withoutVector } = reference;
  return {
    reference_records: records,
    ...(withoutVector === undefined ? {} : { reference_without_vector: withoutVector }),
    ...(coverage === undefined
      ? {}
      : { reference_tokens: coverage.tokens, reference_unknown_tokens: coverage.unknown }),
  };
}

function limitsOf(
  counts: Readonly<Record<string, number>>,
  { plan, embedded, missingField, missingId, reference }: RunNumbers,
): string[] {
  const limits: string[] = [];
  if (missingField !== undefined) {
    limits.push(`No record has the field ${missingField}: the first record of each group stays.`);
  }
  if (missingId !== undefined) limits.push(`No record has the field ${missingId}, so that none has an id.`);
  if (reference?.missingId !== undefined) {
    limits.push(`No item of the reference has the field ${reference.missingId}, so that none has an id.`);
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
  limits.push(
    ...vectorLimits({ withoutVector: count("without_vector"), coverage: embedded?.coverage }),
    ...vectorLimits(reference, " of the reference"),
  );
  return limits;
}

/** What must be said about the vectors of some texts: which have none, and whether the embedder understands them. */
export function vectorLimits(
  texts: Pick<ReferenceNumbers, "withoutVector" | "coverage"> | undefined,
  whose = "",
): string[] {
  const limits: string[] = [];
  const { withoutVector = 0, coverage = { tokens: 0, unknown: 0 } } = texts ?? {};
  if (withoutVector > 0) {
    limits.push(`${withoutVector} distinct texts${whose} have no vector and were not compared semantically.`);
  }
  if (coverage.tokens > 0 && coverage.unknown / coverage.tokens > UNKNOWN_SHARE_MAX) {
    const share = Math.round((100 * coverage.unknown) / coverage.tokens);
    limits.push(
      `The embedder does not know ${share} % of the tokens${whose}: use the embedder "hash" or one for this language.`,
    );
  }
  return limits;
}
