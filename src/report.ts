/**
 * What every stage prints: its numbers, as plain data.
 *
 * A stage that cannot print a number is a setting, not a stage.
 */

/** The report of one stage. Survives `structuredClone` and `JSON.stringify`. */
export interface StageReport {
  /** Name of the stage, for example `dedup`. */
  readonly stage: string;
  /** The way that the stage took, where it chooses between several: for a search `exact`, `exact-subset`, `graph` and so on. */
  readonly strategy?: string;
  /** Version of the package that made the report. */
  readonly version: string;
  /** The options that were in force, defaults included. */
  readonly options: Readonly<Record<string, unknown>>;
  /** How many of what: records, selected, filtered, and so on. */
  readonly counts: Readonly<Record<string, number>>;
  /** Wall time of each step, in seconds. */
  readonly seconds: Readonly<Record<string, number>>;
  /** Memory and sizes, in bytes. */
  readonly bytes: Readonly<Record<string, number>>;
  /** Every bound that bit, as a sentence. Empty when nothing was capped. */
  readonly limits: readonly string[];
}

/** How far a piece of work is. */
export interface Progress {
  /** Name of the step, for example `read`, `embed`, `lexical`. */
  readonly step: string;
  /** Records (or bytes) done in this step. */
  readonly done: number;
  /** How many there are in this step; 0 when not known. */
  readonly total: number;
}

/** The seconds of steps, and their sum as `total` behind them. */
export function withTotal(steps: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return { ...steps, total: Object.values(steps).reduce((sum, step) => sum + step, 0) };
}

/** Tells a caller how far the work is. Rejects with the error of a callback that fails, also of one that is async. */
export async function tell(onProgress: (progress: Progress) => unknown, progress: Progress): Promise<void> {
  await onProgress(progress);
}
