/**
 * Progress as bars on a terminal: one bar a step.
 */
import { MultiBar, Presets, type SingleBar } from "cli-progress";
import type { Progress, StageReport } from "../report.js";
import { reportTable } from "./report-table.js";
import type { RunDisplay } from "./run-display.js";

/** One bar a step; steps may take turns, as those of the walk do. */
export class BarDisplay implements RunDisplay {
  readonly #stream: NodeJS.WriteStream;
  readonly #bars = new Map<string, SingleBar>();
  #screen: MultiBar | undefined;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  progress({ step, done, total }: Progress): void {
    this.#screen ??= new MultiBar(
      { stream: this.#stream, hideCursor: true, format: "{step} {bar} {percentage}% | {value}/{total}" },
      Presets.shades_classic,
    );
    let bar = this.#bars.get(step);
    if (bar === undefined) {
      bar = this.#screen.create(Math.max(total, done), done, { step: step.padEnd(10) });
      this.#bars.set(step, bar);
    }
    bar.setTotal(Math.max(total, done));
    bar.update(done);
  }

  stop(): void {
    this.#screen?.stop();
    this.#screen = undefined;
    this.#bars.clear();
  }

  table(report: StageReport): void {
    // The last progress of a step comes before its end.
    for (const bar of this.#bars.values()) bar.update(bar.getTotal());
    this.stop();
    this.#stream.write(`${reportTable(report)}\n`);
  }
}
