/**
 * `sluice retrieve`: from a question to the passages that fit.
 */
import { Command } from "commander";
import { addFlags } from "./command-flags.js";
import { interruptible } from "./interruption.js";
import { readRetrieveFlags, RETRIEVE_FLAGS, type RetrieveFlags } from "./retrieve-flags.js";
import { displayFor } from "./run-display.js";
import { StandardOutput } from "./standard-output.js";

/** The command, ready to be added to the program. */
export function retrieveCommand(): Command {
  const command = new Command("retrieve")
    .summary("find passages: filter, floor, hybrid, dedup, budget")
    .description(
      "Prints the passages of a collection that answer a query as JSON lines, best first; on standard error, what was left out " +
        "and why.",
    );
  return addFlags(command, RETRIEVE_FLAGS).action(async (flags: RetrieveFlags) => {
    const task = readRetrieveFlags(flags);
    const display = await displayFor(process.stderr, task.verbosity);
    const tell = (line: string): void => void process.stderr.write(line);
    const { runRetrieve } = await import("./retrieve-run.js");
    await interruptible(async (signal) =>
      runRetrieve(task, { signal, standardOutput: new StandardOutput(), display }, tell),
    );
  });
}
