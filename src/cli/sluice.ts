#!/usr/bin/env node
/**
 * The `sluice` command: which commands there are, and how a run ends.
 *
 * Exit status: 0 done, 1 the work failed, 2 wrong usage or wrong input. Data goes to standard output or `--out`; progress,
 * the table and errors go to standard error.
 */
import { Command, CommanderError } from "commander";
import { VERSION } from "../package.js";
import { dedupCommand } from "./dedup-command.js";
import { doctorCommand } from "./doctor-command.js";
import { asSluiceError, errorLines } from "./error-line.js";

const DONE = 0;
const WRONG_USAGE = 2;

function program(): Command {
  const sluice = new Command("sluice")
    .description("Measured gates between a corpus and an agent's context window.")
    .version(VERSION)
    .option("--debug", "print stacks with errors")
    .showSuggestionAfterError()
    .addCommand(dedupCommand())
    .addCommand(doctorCommand());
  for (const command of [sluice, ...sluice.commands]) {
    // Errors are printed in one place, in one form: below.
    command.exitOverride().configureOutput({ outputError: () => undefined });
  }
  return sluice;
}

/** Runs the command line and gives the exit status. */
async function main(argv: readonly string[]): Promise<number> {
  const sluice = program();
  try {
    await sluice.parseAsync([...argv], { from: "user" });
    return DONE;
  } catch (error) {
    // `--help` and `--version` end in an error of commander that is none.
    if (error instanceof CommanderError && error.exitCode === 0) return DONE;
    // Called without a command: commander has printed the help, there is nothing to add.
    if (error instanceof CommanderError && error.code === "commander.help") return WRONG_USAGE;
    const known = asSluiceError(error);
    process.stderr.write(errorLines(known, sluice.opts()["debug"] === true ? "stack" : "lines"));
    return known.meaning.exit;
  }
}

process.exitCode = await main(process.argv.slice(2));
