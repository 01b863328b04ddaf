/**
 * What outliers and representatives share: a record with its score, the check of options, and the report.
 */
import { z } from "zod";
import { withTotal, type StageReport } from "../report.js";
import { VERSION } from "../package.js";
import { checkAgainst } from "../argument.js";
import type { DedupVectors, DedupWork } from "./options.js";
import type { Coverage } from "./embed-classes.js";
import type { BatchPlan } from "./plan.js";
import { at } from "./result.js";
import type { RecordList } from "./result.js";
import { vectorLimits } from "./stage-report.js";
import type { ReferenceNumbers } from "./stage-report.js";

/** A record and how typical it is. */
export interface Typical<T> {
  /** Position in the input, or in the reference where its own items are ranked. */
  readonly position: number;
  /** The caller's id, if the record has one. */
  readonly id?: string;
  readonly record: T;
  /**
   * Mean cosine to the nearest distinct texts of the reference; higher is more typical. `null` without one: the text
   * is blank or has no vector, or nothing else is there.
   */
  readonly score: number | null;
}

/** How the work is done, and the vectors of a batch. */
export type RankedWork = Pick<DedupWork, "threads" | "signal" | "onProgress"> &
  Pick<DedupVectors, "embeddings">;

/** What a ranking gave, and what its report is made of besides. */
export interface Ranked<T, N> {
  readonly outcome: N;
  /** The records that were ranked. */
  readonly list: RecordList<T>;
  readonly run: RankedRun;
}

/** What a report is made of besides the outcome. */
export interface RankedRun {
  readonly plan: BatchPlan;
  readonly embedder: string | undefined;
  readonly dimension: number | undefined;
  /** What the embedder made of a batch, where one is ranked and it counts tokens. */
  readonly coverage: Coverage | undefined;
  readonly reference: ReferenceNumbers;
  /** Seconds of the steps before the ranking. */
  readonly seconds: Readonly<Record<string, number>>;
  readonly bytes: Readonly<Record<string, number>>;
}

/** A run with the options of its stage, defaults included. */
export interface StageRun<Options> extends RankedRun {
  readonly options: Options;
}

/** How many: a number that fits the core. */
export const howMany = z.int().min(0).max(0xffff_ffff);
/** How many neighbours are averaged. */
export const neighbours = howMany.min(1);

/** The options of a stage as TypeScript sees a literal of its defaults: wider than the values in it. */
type Widened<Options> = { readonly [Name in keyof Options]: Exclude<Options[Name], undefined> };

/** Checks the options of a stage and fills in its defaults. */
export function withDefaults<Options extends object>(
  defaults: Widened<Options>,
  schema: z.ZodType,
  given: Options,
): Widened<Options> {
  checkAgainst(schema, given);
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  // Every name of `given` has a default, and what is present has the type of its name.
  return { ...defaults, ...Object.fromEntries(present) };
}

/** Puts the numbers of a stage together. */
export function rankReport(
  stage: string,
  outcome: { readonly counts: Record<string, number>; readonly seconds: Record<string, number> },
  run: StageRun<object>,
  limits: readonly string[],
): StageReport {
  const { plan, embedder, dimension, coverage, reference } = run;
  return {
    stage,
    version: VERSION,
    options: {
      ...run.options,
      normalize: plan.rules.normalize,
      columns: plan.columns,
      threads: plan.threads,
      ...(embedder === undefined ? {} : { embedder, dimension }),
    },
    counts: outcome.counts,
    seconds: withTotal({ ...run.seconds, ...outcome.seconds }),
    bytes: run.bytes,
    limits: [
      ...limits,
      // Records without a score, which have no vector, are told by the stage itself.
      ...vectorLimits({ coverage }),
      ...vectorLimits({ coverage: reference.coverage }, " of the reference"),
    ],
  };
}

/** A record with its score; the core writes NaN where there is none. */
export function rankedAt<T>(list: RecordList<T>, position: number, score: number | undefined): Typical<T> {
  const record = at(list.records, position);
  const id = list.idOf(position);
  return {
    position,
    ...(id === undefined ? {} : { id }),
    record,
    score: score === undefined || Number.isNaN(score) ? null : score,
  };
}
