/**
 * What a run shows on standard error while it works and when it is done: bars on a terminal, a line a step elsewhere, and
 * the numbers as a table at the end.
 */
import type { Progress, StageReport } from "../report.js";

/** Shows how far a run is. */
export interface RunDisplay {
  /** Takes a step of progress; call it as often as you like. */
  progress(progress: Progress): void;
  /** Ends what is on the screen; anything else may be printed afterwards. */
  stop(): void;
  /** Ends what is on the screen as done, and prints the numbers of a stage. */
  table(report: StageReport): void;
}

/** The display for a stream and a wish. Only what it needs is loaded: a quiet run starts 15 ms earlier. */
export async function displayFor(
  stream: NodeJS.WriteStream,
  verbosity: "normal" | "quiet",
): Promise<RunDisplay> {
  if (verbosity === "quiet") return new SilentDisplay();
  if (stream.isTTY) {
    const { BarDisplay } = await import("./bar-display.js");
    return new BarDisplay(stream);
  }
  const { LineDisplay } = await import("./line-display.js");
  return new LineDisplay(stream);
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
