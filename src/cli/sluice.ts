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
import { FLAGS_BY_OPTION } from "./dedup-flags.js";
import { doctorCommand } from "./doctor-command.js";
import { columnAdvice, type ColumnFlags } from "./column-flag.js";
import type { SluiceError } from "../errors.js";
import { asSluiceError, errorLines, SLUICE, type FailedCommand } from "./error-line.js";
import { indexCommand } from "./index-command.js";
import { INDEX_BUILD_FLAGS_BY_OPTION, INDEX_SEARCH_FLAGS_BY_OPTION } from "./index-flags.js";
import { ingestCommand } from "./ingest-command.js";
import { INGEST_FLAGS_BY_OPTION } from "./ingest-flags.js";
import { retrieveCommand } from "./retrieve-command.js";
import { RETRIEVE_FLAGS_BY_OPTION } from "./retrieve-flags.js";
import { STORE_ADVICE } from "./store-flags.js";
import { StandardOutput } from "./standard-output.js";

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
  for (const command of commandsOf(sluice)) {
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
  { name: "sluice dedup", flags: FLAGS_BY_OPTION },
  { name: "sluice index build", flags: INDEX_BUILD_FLAGS_BY_OPTION, advice: STORE_ADVICE },
  { name: "sluice index search", flags: INDEX_SEARCH_FLAGS_BY_OPTION },
  { name: "sluice index", flags: new Map() },
  { name: "sluice retrieve", flags: RETRIEVE_FLAGS_BY_OPTION, advice: STORE_ADVICE },
  { name: "sluice doctor", flags: new Map() },
];

/** The command that failed; about a missing column, with the flag that asked for it. */
function failedCommand(sluice: Command, argv: readonly string[], error: SluiceError): FailedCommand {
  const words = argv.filter((word) => !word.startsWith("-"));
  const failed =
    COMMANDS.find(({ name }) => name.split(" ").every((word, at) => at === 0 || word === words[at - 1])) ??
    SLUICE;
  if (error.code !== "COLUMN_MISSING") return failed;
  // Commander keeps what was typed for each command; of the flags asked for here every value is text.
  const typed: ColumnFlags = sluice.commands.find((command) => command.name() === words[0])?.opts() ?? {};
  const advice = columnAdvice(error.details, typed, failed.flags);
  return { ...failed, advice: { ...failed.advice, COLUMN_MISSING: advice } };
}

/** Does what was asked for. Help and version go the way of all data: a full disk is an error, a reader that left is none. */
async function run(sluice: Command, argv: readonly string[]): Promise<void> {
  const told: string[] = [];
  for (const command of commandsOf(sluice)) {
    command.configureOutput({
      writeOut: (text) => {
        told.push(text);
      },
    });
  }
  try {
    await sluice.parseAsync([...argv], { from: "user" });
  } catch (error) {
    // `--help` and `--version` end in an error of commander that is none.
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
    await new StandardOutput().write(Buffer.from(told.join("")));
  }
}

function commandsOf(sluice: Command): readonly Command[] {
  return [sluice, ...sluice.commands, ...sluice.commands.flatMap(({ commands }) => commands)];
}

/** Runs the command line and gives the exit status. */
async function main(argv: readonly string[]): Promise<number> {
  const sluice = program();
  try {
    await run(sluice, argv);
    return DONE;
  } catch (error) {
    // Called without a command: commander has printed the help, there is nothing to add.
    if (error instanceof CommanderError && error.code === "commander.help") return WRONG_USAGE;
    const known = asSluiceError(error);
    const detail = sluice.opts()["debug"] === true ? "stack" : "lines";
    process.stderr.write(errorLines(known, detail, failedCommand(sluice, argv, known)));
    return known.meaning.exit;
  }
}

process.exitCode = await main(process.argv.slice(2));
