/**
 * `sluice ingest`: fills a collection from a file, and goes on where it was interrupted.
 */
import { Command } from "commander";
import { addFlags } from "./command-flags.js";
import { INGEST_FLAGS, readIngestFlags, type IngestFlags } from "./ingest-flags.js";
import { interruptible } from "./interruption.js";
import { displayFor } from "./run-display.js";
import { StandardOutput } from "./standard-output.js";

/** The command, ready to be added to the program. */
export function ingestCommand(): Command {
  const command = new Command("ingest")
    .summary("embed passages and put them into a store")
    .description(
      'Puts the lines of FILE, {"text", "id"?, "vector"?, "payload"?} as JSON (gzip and zstd too), into a collection. The same ' +
        "command after an interruption goes on behind the last acknowledged batch.",
    )
    .argument("<FILE>", "input, or - for standard input");
  return addFlags(command, INGEST_FLAGS).action(async (input: string, flags: IngestFlags) => {
    const task = readIngestFlags(input, flags);
    const display = await displayFor(process.stderr, task.verbosity);
    const { runIngest } = await import("./ingest-run.js");
    await interruptible(async (signal) =>
      runIngest(task, { signal, standardOutput: new StandardOutput(), display }),
    );
  });
}
