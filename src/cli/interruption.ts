/**
 * Ctrl-C, `kill` and a closed terminal: the first signal aborts the work in order, the second ends the process at once.
 */
import { SluiceError } from "../errors.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** Runs work that can be aborted. The handlers are there only while it runs. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) endBy(name);
    controller.abort(new SluiceError("ABORTED", `The work was interrupted by ${name}.`));
  };
  const endBy = (name: NodeJS.Signals): void => {
    // Those who wait for the exit remove the temporary files. `process.exit` would wait for a blocked system call; the signal
    // without its handler does not.
    process.emit("exit", 1);
    process.off(name, onSignal);
    process.kill(process.pid, name);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal);
  }
}
