/**
 * What every run of `sluice dedup` shares, whatever the format: its outputs, the list of dropped records, the report.
 */
import type { JsonLine } from "../dedup/pair-lines.js";
import { withTotal, type Progress, type StageReport } from "../report.js";
import type { ByteSink } from "./atomic-output.js";
import type { DedupTask } from "./dedup-flags.js";
import type { OutputSet } from "./output-set.js";
import type { RunConnections } from "./run-connections.js";
import type { WorkFolder } from "./work-folder.js";

/** Names of the outputs, as in the flags. */
export type OutputName = "out" | "filtered" | "vetoed" | "report";

/** What a path that is read from is to the user. */
export interface InputOrigin {
  /** What the user calls it. */
  readonly name: string;
  /** Whether its lines are the user's lines, or stand for rows of a Parquet file. */
  readonly lines: "own" | "rows";
}

/** A run that is under way. */
export interface Run extends RunConnections {
  readonly task: DedupTask;
  readonly folder: WorkFolder;
  readonly outputs: OutputSet<OutputName>;
  readonly onProgress: (progress: Progress) => void;
  /** Where the inputs are read from, and what they are to the user. */
  readonly origins: Map<string, InputOrigin>;
}

/** Lines gathered before they are written. */
const LINES_PER_WRITE = 1024;

/** Writes records as JSON lines where there is a sink for them, and tells each position where someone wants to know. */
export async function writeLines(
  records: Iterable<JsonLine>,
  sink: ByteSink | undefined,
  signal: AbortSignal,
  onPosition?: (position: number) => void,
): Promise<void> {
  if (sink === undefined && onPosition === undefined) return;
  let lines: string[] = [];
  const flush = async (): Promise<void> => {
    signal.throwIfAborted();
    if (lines.length > 0) await sink?.write(Buffer.from(lines.join("")));
    lines = [];
  };
  for (const { position, json } of records) {
    onPosition?.(position);
    // Ids are not parsed on the way: a long number keeps its digits.
    if (sink !== undefined) lines.push(`${json}\n`);
    if (lines.length >= LINES_PER_WRITE) await flush();
  }
  await flush();
}

/** The report of the stage with the steps and the memory of the whole run. A step that is there already takes longer. */
export function completed(report: StageReport, steps: Readonly<Record<string, number>>): StageReport {
  const { total: _withoutThese, ...before } = report.seconds;
  const seconds = { ...before };
  for (const [step, taken] of Object.entries(steps)) seconds[step] = (seconds[step] ?? 0) + taken;
  return {
    ...report,
    seconds: withTotal(seconds),
    // maxRSS comes in KiB.
    bytes: { ...report.bytes, peak_memory: process.resourceUsage().maxRSS * 1024 },
  };
}

/** Seconds from a `performance.now()`. */
export function secondsSince(started: number): number {
  return (performance.now() - started) / 1000;
}
