/**
 * What a run shows on standard error while it works and when it is done: bars on a terminal, a line a step elsewhere, and
 * the numbers as a table at the end.
 */
import { Presets, SingleBar } from "cli-progress";
import Table from "cli-table3";
import type { Progress, StageReport } from "../report.js";

/** Shows how far a run is. */
export interface RunDisplay {
  /** Takes a step of progress; call it as often as you like. */
  progress(progress: Progress): void;
  /** Ends what is on the screen; anything else may be printed afterwards. */
  stop(): void;
  /** Prints the numbers of a stage. */
  table(report: StageReport): void;
}

/** The display for a stream and a wish. */
export function displayFor(stream: NodeJS.WriteStream, verbosity: "normal" | "quiet"): RunDisplay {
  if (verbosity === "quiet") return new SilentDisplay();
  return stream.isTTY ? new BarDisplay(stream) : new LineDisplay(stream);
}

class SilentDisplay implements RunDisplay {
  progress(): void {
    // The user asked for silence.
  }
  stop(): void {
    // Nothing was shown.
  }
  table(): void {
    // The user asked for silence.
  }
}

/** One bar a step. */
class BarDisplay implements RunDisplay {
  readonly #stream: NodeJS.WriteStream;
  #bar: SingleBar | undefined;
  #step = "";

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  progress({ step, done, total }: Progress): void {
    if (step !== this.#step) {
      this.stop();
      this.#step = step;
      const known = "{bar} {percentage}% | {value}/{total} | {duration_formatted}";
      const format = `${step.padEnd(10)} ${total > 0 ? known : "{value} | {duration_formatted}"}`;
      this.#bar = new SingleBar({ stream: this.#stream, format, hideCursor: true }, Presets.shades_classic);
      this.#bar.start(Math.max(total, done), done);
    }
    if (total > 0) this.#bar?.setTotal(total);
    this.#bar?.update(done);
  }

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#step = "";
  }

  table(report: StageReport): void {
    this.stop();
    this.#stream.write(`${reportTable(report)}\n`);
  }
}

/** One line when a step begins; a log file stays short. */
class LineDisplay implements RunDisplay {
  readonly #stream: NodeJS.WriteStream;
  readonly #seen = new Set<string>();

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  progress({ step }: Progress): void {
    if (this.#seen.has(step)) return;
    this.#seen.add(step);
    this.#stream.write(`sluice: ${step}\n`);
  }

  stop(): void {
    // Lines need no end.
  }

  table(report: StageReport): void {
    this.#stream.write(`${reportTable(report)}\n`);
  }
}

/** The numbers of a stage as a table: counts with their share of the input, seconds, sizes, and every limit that bit. */
export function reportTable(report: StageReport): string {
  const records = report.counts["records"] ?? 0;
  const table = new Table({
    head: [report.stage, "number", "share"],
    colAligns: ["left", "right", "right"],
    style: { head: [], border: [], compact: true },
  });
  for (const [name, count] of Object.entries(report.counts)) {
    const isShare = SHARES.has(name);
    // What is not part of the sum is shown when there is something to see.
    if (count === 0 && !isShare && name !== "records") continue;
    const share = isShare && records > 0 ? `${((100 * count) / records).toFixed(2)} %` : "";
    table.push([words(name), grouped(count), share]);
  }
  for (const [step, seconds] of Object.entries(report.seconds)) {
    if (seconds < SECONDS_LEAST && step !== "total") continue;
    table.push([`${words(step)} time`, `${seconds.toFixed(3)} s`, ""]);
  }
  for (const [name, bytes] of Object.entries(report.bytes)) table.push([words(name), size(bytes), ""]);
  const limits = report.limits.map((limit) => `limit: ${limit}`);
  return [table.toString(), ...limits].join("\n");
}

/** Counts of records, which are shares of the input. */
const SHARES: ReadonlySet<string> = new Set([
  "exact",
  "normalized",
  "lexical",
  "semantic",
  "selected",
  "filtered",
]);

/** Steps shorter than this are not worth a row. */
const SECONDS_LEAST = 0.0005;

function words(name: string): string {
  return name.replaceAll("_", " ");
}

function grouped(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
}

function size(bytes: number): string {
  let value = bytes;
  for (const unit of ["B", "KiB", "MiB"]) {
    if (value < 1024) return `${unit === "B" ? value : value.toFixed(1)} ${unit}`;
    value /= 1024;
  }
  return `${value.toFixed(2)} GiB`;
}
