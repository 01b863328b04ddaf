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
import { asSluiceError, errorLines, type FailedCommand } from "./error-line.js";
import { indexCommand } from "./index-command.js";
import { INDEX_BUILD_FLAGS_BY_OPTION, INDEX_SEARCH_FLAGS_BY_OPTION } from "./index-flags.js";
import { ingestCommand } from "./ingest-command.js";
import { INGEST_FLAGS_BY_OPTION } from "./ingest-flags.js";
import { retrieveCommand } from "./retrieve-command.js";
import { RETRIEVE_FLAGS_BY_OPTION } from "./retrieve-flags.js";
import { STORE_ADVICE } from "./store-flags.js";

const DONE = 0;
const WRONG_USAGE = 2;

function program(): Command {
  const sluice = new Command("sluice")
    .description("Measured gates between a corpus and an agent's context window.")
    .version(VERSION)
    .option("--debug", "print stacks with errors")
    .showSuggestionAfterError()
    .addCommand(dedupCommand())
    .addCommand(ingestCommand())
    .addCommand(indexCommand())
    .addCommand(retrieveCommand())
    .addCommand(doctorCommand());
  for (const command of [
    sluice,
    ...sluice.commands,
    ...sluice.commands.flatMap(({ commands }) => commands),
  ]) {
    // Errors are printed in one place, in one form: below.
    command.exitOverride().configureOutput({ outputError: () => undefined });
  }
  return sluice;
}

/** What errors of a command say in its own words; `dedup` is the one that is not here. */
const COMMANDS: readonly FailedCommand[] = [
  {
    name: "sluice ingest",
    flags: INGEST_FLAGS_BY_OPTION,
    advice: {
      ...STORE_ADVICE,
      ABORTED: "The points of acknowledged batches are stored; run the same command again to go on.",
      PARTIAL_WRITE: "Repair these lines and run again: points that are stored already stay as they are.",
    },
  },
  { name: "sluice index build", flags: INDEX_BUILD_FLAGS_BY_OPTION, advice: STORE_ADVICE },
  { name: "sluice index search", flags: INDEX_SEARCH_FLAGS_BY_OPTION },
  { name: "sluice retrieve", flags: RETRIEVE_FLAGS_BY_OPTION, advice: STORE_ADVICE },
];

function commandOf(argv: readonly string[]): FailedCommand | undefined {
  const words = argv.filter((word) => !word.startsWith("-"));
  return COMMANDS.find(({ name }) => name.split(" ").every((word, at) => at === 0 || word === words[at - 1]));
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
    process.stderr.write(
      errorLines(known, sluice.opts()["debug"] === true ? "stack" : "lines", commandOf(argv)),
    );
    return known.meaning.exit;
  }
}

process.exitCode = await main(process.argv.slice(2));
