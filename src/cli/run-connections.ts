/**
 * What a run of any command is connected to: the signal that ends it, standard output, and the display on standard error.
 */
import type { RunDisplay } from "./run-display.js";
import type { StandardOutput } from "./standard-output.js";

/** What a run is connected to. */
export interface RunConnections {
  readonly signal: AbortSignal;
  readonly standardOutput: StandardOutput;
  readonly display: RunDisplay;
}
