/**
 * `sluice dedup`: drops the copies in a file.
 */
import { Command } from "commander";
import { addDedupFlags, readDedupFlags, type DedupFlags } from "./dedup-flags.js";
import { runDedup } from "./dedup-run.js";
import { interruptible } from "./interruption.js";
import { displayFor } from "./run-display.js";
import { StandardOutput } from "./standard-output.js";

/** The command, ready to be added to the program. */
export function dedupCommand(): Command {
  const command = new Command("dedup")
    .summary("drop copies: exact, normalized, lexical, semantic")
    .description(
      "Drops copies from FILE (JSON lines, CSV, TSV, text or Parquet; gzip and zstd too) and says for every dropped record " +
        "which kept one it is a copy of, why, and with which verified score.",
    )
    .argument("<FILE>", "input, or - for standard input");
  return addDedupFlags(command).action(async (input: string, flags: DedupFlags) => {
    const task = readDedupFlags(input, flags);
    const display = await displayFor(process.stderr, task.verbosity);
    await interruptible(async (signal) =>
      runDedup(task, { signal, standardOutput: new StandardOutput(), display }),
    );
  });
}
