/**
 * `sluice index build` and `sluice index search`: an index in a file, made from a store and asked without it.
 */
import { Command } from "commander";
import { addFlags } from "./command-flags.js";
import {
  INDEX_BUILD_FLAGS,
  INDEX_SEARCH_FLAGS,
  readIndexBuildFlags,
  readIndexSearchFlags,
  type IndexBuildFlags,
  type IndexSearchFlags,
} from "./index-flags.js";
import { interruptible } from "./interruption.js";
import { displayFor } from "./run-display.js";
import { StandardOutput } from "./standard-output.js";

/** The command, ready to be added to the program. */
export function indexCommand(): Command {
  return new Command("index")
    .summary("build an index file from a store, and search it")
    .description(
      "An index in a file: it can be thrown away, and is built again from the store without embedding anything.",
    )
    .addCommand(buildCommand())
    .addCommand(searchCommand());
}

function buildCommand(): Command {
  const command = new Command("build").description(
    "Builds an index file from a collection; nothing is embedded.",
  );
  return addFlags(command, INDEX_BUILD_FLAGS).action(async (flags: IndexBuildFlags) => {
    const task = readIndexBuildFlags(flags);
    const display = await displayFor(process.stderr, task.verbosity);
    const { buildIndex } = await import("./index-build.js");
    await interruptible(async (signal) => buildIndex(task, { signal, display }));
  });
}

function searchCommand(): Command {
  const command = new Command("search")
    .description("Searches an index file and prints the hits as JSON lines, best first.")
    .argument("<FILE>", "an index file");
  return addFlags(command, INDEX_SEARCH_FLAGS).action(async (file: string, flags: IndexSearchFlags) => {
    const task = readIndexSearchFlags(file, flags);
    const display = await displayFor(process.stderr, task.verbosity);
    const { searchIndex } = await import("./index-search.js");
    await interruptible(async (signal) =>
      searchIndex(task, { signal, standardOutput: new StandardOutput(), display }),
    );
  });
}
