/**
 * The main job, from a fresh clone: the paragraphs of six releases of the etcd documentation, deduplicated offline.
 *
 * `npm start` runs it on the committed corpus; `npm start -- FILE [options]` on your own.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { root, setUp } from "./setup.mjs";

setUp();

const given = process.argv.slice(2);
const output = join(root, ".sluice");
mkdirSync(output, { recursive: true });
const sluice = join(root, "dist/cli/sluice.js");
const demonstration = [
  join(root, "examples/etcd/passages.jsonl.gz"),
  ...["--out", join(output, "selected.jsonl")],
  ...["--filtered", join(output, "filtered.jsonl")],
  ...["--report", join(output, "report.json")],
];

const work = [sluice, "dedup", ...(given.length > 0 ? given : demonstration)];
// The command has said what went wrong; its exit status is ours.
const { status } = spawnSync(process.execPath, work, { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
if (given.length === 0) {
  console.log("selected passages   .sluice/selected.jsonl");
  console.log("dropped, with why   .sluice/filtered.jsonl");
  console.log("every number        .sluice/report.json, explained in docs/report.md");
}
