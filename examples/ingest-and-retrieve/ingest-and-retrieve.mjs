// A corpus goes into a store, and a question gets the passages that fit a prompt: the store and the index are plain files, the
// process may die in between, and nothing is embedded twice.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const command = fileURLToPath(new URL("../../dist/cli/sluice.js", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "sluice-example-"));
const sluice = async (...args) =>
  (await promisify(execFile)(process.execPath, [command, ...args, "--quiet"], { cwd: folder })).stdout;
const linesOf = (text) => text.split("\n").filter(Boolean).map(JSON.parse);

const passages = [
  { text: "Close the valve before you open the lid.", payload: { part: "lid" } },
  { text: "Close the valve before you open the lid!", payload: { part: "lid" } },
  { text: "The lid weighs twelve kilograms.", payload: { part: "lid" } },
  { text: "Change the oil of the pump once a year.", payload: { part: "pump" } },
];
const store = ["--store", "file:./manual.sluice", "--collection", "manual"];
try {
  await writeFile(join(folder, "manual.jsonl"), passages.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await sluice("ingest", "manual.jsonl", ...store);
  await sluice("ingest", "manual.jsonl", ...store); // Again: the same points, not twice as many.

  const query = ["--query", "How do I open the lid?"];
  const found = linesOf(
    await sluice("retrieve", ...store, ...query, "--hybrid", "--dedup", "--budget", "30"),
  );
  for (const { score, text } of found) console.log(`${score.toFixed(2)} ${text}`);
  assert.match(found[0].text, /^Close the valve/);
  assert.equal(found.filter(({ text }) => text.startsWith("Close the valve")).length, 1);
  assert.ok(found.reduce((sum, { tokens }) => sum + tokens, 0) <= 30);

  // An index can be thrown away: it is built from the store, and searched without it.
  await sluice("index", "build", ...store, "--backend", "hnsw", "--out", "manual.index");
  const pump = linesOf(
    await sluice("index", "search", "manual.index", ...query, "--filter", '{"part": "pump"}'),
  );
  console.log(`${pump[0].score.toFixed(2)} ${pump[0].text}`);
  assert.deepEqual(
    pump.map(({ text }) => text),
    [passages[3].text],
  );
} finally {
  await rm(folder, { recursive: true });
}
