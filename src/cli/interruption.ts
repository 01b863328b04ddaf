/**
 * Ctrl-C and `kill`: the first signal aborts the work in order, the second ends the process at once.
 */
import { SluiceError } from "../errors.js";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Exit status of a process that was ended by force. */
const KILLED = 1;

/** Runs work that can be aborted. The handlers are there only while it runs. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(KILLED);
    controller.abort(new SluiceError("ABORTED", `The work was interrupted by ${name}.`));
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal);
  }
}
