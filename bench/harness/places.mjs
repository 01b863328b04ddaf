/** Where things are: the folders of the harness, and what a `{placeholder}` in a definition's command stands for. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The repository's root folder. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** This folder, `bench/`. */
export const BENCH = join(ROOT, "bench");
/** What `install.mjs` makes and git ignores: interpreters, weights, unpacked corpora. */
export const INSTALLED = join(BENCH, ".peers");
/** The folder of unpacked corpora. */
export const CORPORA = join(INSTALLED, "corpora");
/** The folder of committed results. */
export const RECORDS = join(BENCH, "records");
/** The static model that our rows and the peers' rows share. */
export const POTION = join(INSTALLED, "models", "potion-base-8M");
/** The Python interpreter that has the peers. */
export const PEER_PYTHON = join(INSTALLED, "venv", "bin", "python");
/** The folder with the npm peers that have native code. */
export const NODE_PEERS = join(INSTALLED, "node-packages");
/** Any Python 3.11 or later: enough to measure a process and to unpack xz. */
export const SYSTEM_PYTHON = "python3";
/** Our command line, as `npm run build` leaves it. */
export const SLUICE = join(ROOT, "dist", "cli", "sluice.js");
/** The Rust examples, as `cargo build --release --example` leaves them. */
const EXAMPLES = join(resolve(ROOT, process.env["CARGO_TARGET_DIR"] ?? "target"), "release", "examples");

/**
 * The command with its placeholders replaced.
 * @param {readonly string[]} command
 * @param {Readonly<Record<string, string>>} files the run's own files: `corpus`, `report`, `filtered`
 * @returns {string[]}
 */
export function fillIn(command, files) {
  /** @type {Record<string, string>} */
  const values = {
    node: process.execPath,
    python: PEER_PYTHON,
    sluice: SLUICE,
    bench: BENCH,
    installed: INSTALLED,
    root: ROOT,
    examples: EXAMPLES,
    potion: POTION,
    ...files,
  };
  return command.map((part) =>
    part.replaceAll(/\{(\w+)\}/g, (_, name) => {
      const value = values[name];
      if (value === undefined) throw new Error(`{${name}} is not a place; places are ${Object.keys(values)}`);
      return value;
    }),
  );
}

/**
 * What a command needs and is not there, as an instruction; `undefined` when it can run.
 * @param {readonly string[]} command with its placeholders
 * @returns {string | undefined}
 */
export function missingFor(command) {
  const text = command.join(" ");
  if (text.includes("{sluice}") && !existsSync(SLUICE)) return "run `npm run build` first";
  if (text.includes("{bench}/in-process/") && !existsSync(join(ROOT, "dist", "main.js"))) {
    return "run `npm run build` first";
  }
  if (text.includes("{python}") && !existsSync(PEER_PYTHON)) return "run `node bench/install.mjs` first";
  // Peers in Node whose package has native code are named after it: `hnswlib_node.mjs`, `usearch_node.mjs`.
  if (/\{bench\}\/peers\/\w+_node\w*\.mjs/.test(text) && !existsSync(NODE_PEERS)) {
    return "run `node bench/install.mjs` first";
  }
  if (text.includes("{potion}") && !existsSync(POTION)) return "run `node bench/install.mjs` first";
  if (command[0]?.startsWith("{installed}/target") && !existsSync(fillIn([command[0]], {})[0] ?? "")) {
    return "run `node bench/install.mjs --with-rust` first";
  }
  return undefined;
}
