/**
 * Progress as lines, for a log file or a pipe.
 */
import type { Progress, StageReport } from "../report.js";
import { reportTable } from "./report-table.js";
import type { RunDisplay } from "./run-display.js";

/** One line when a step begins; a log file stays short. */
export class LineDisplay implements RunDisplay {
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
