// Evaluates embedders on `definition.json` and writes a record.
//
//   node bench/evaluation/evaluate.mjs [--embedder NAME ...] [--out FOLDER]
//
// NAME is what `loadEmbedder` takes: "static-en", "hash", or the folder of a model. Default: static-en and hash.
// Exits with 1 when a figure lies further from `expected.json` than its tolerance, after the record is written.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadEmbedder, veto } from "../../dist/main.js";
import { describeMachine } from "../harness/machine.mjs";
import { deviations } from "./expectation.mjs";
import { table } from "./table.mjs";
import { TASK_KINDS } from "./tasks.mjs";

/** @param {string} path */
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** @param {string} path */
const readJson = (path) => JSON.parse(readFileSync(here(path), "utf8"));

const { values: options } = parseArgs({
  options: {
    embedder: { type: "string", multiple: true, default: ["static-en", "hash"] },
    out: { type: "string", default: here("../records") },
  },
});

const definition = readJson("definition.json");
/** @type {Record<string, { id: string, seconds: number, tasks: Record<string, Record<string, number>> }>} */
const results = {};
for (const name of options.embedder) {
  const embedder = await loadEmbedder(name);
  const started = performance.now();
  /** @type {Record<string, Record<string, number>>} */
  const tasks = {};
  for (const task of definition.tasks) {
    const kind = TASK_KINDS[/** @type {keyof typeof TASK_KINDS} */ (task.kind)];
    tasks[task.name] = await kind(task, here(task.file), definition.seed, embedder, veto);
  }
  results[basename(name)] = { id: embedder.id, seconds: (performance.now() - started) / 1000, tasks };
}

const date = new Date().toISOString().slice(0, 10);
const record = {
  definition: definition.name,
  title: definition.title,
  date,
  seed: definition.seed,
  machine: describeMachine(),
  results,
};
const text = table(record, readJson("../../training/static-en/results.json"));
mkdirSync(options.out, { recursive: true });
const file = join(options.out, `${definition.name}-${date}`);
writeFileSync(`${file}.json`, `${JSON.stringify(record, null, 2)}\n`);
writeFileSync(`${file}.md`, text);
process.stdout.write(text);

const found = deviations(results, readJson("expected.json"));
for (const deviation of found) process.stderr.write(`not as expected: ${deviation}\n`);
process.exitCode = found.length === 0 ? 0 : 1;
