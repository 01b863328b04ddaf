/**
 * Our static embedder over all passages of a file; the probe is that of the peers.
 *
 *   node bench/in-process/embed_texts.mjs CORPUS --model NAME|FOLDER [--seconds N]
 *
 * With `--seconds`, all passages are embedded again until so much CPU is spent; `inner` is the mean of a pass, all threads
 * included.
 */
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";

import { loadEmbedder } from "../../dist/main.js";
import { readTexts } from "../peers/passages.mjs";

const PROBE_EVERY = 1000;
const PROBE_LENGTH = 12;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { model: { type: "string", default: "static-en" }, seconds: { type: "string", default: "0" } },
});
const started = performance.now();
const texts = readTexts(positionals[0] ?? "");
const read = performance.now();
const embedder = await loadEmbedder(values.model);
const loaded = performance.now();
const startedCpu = process.cpuUsage();
let vectors, spentSeconds;
let passes = 0;
do {
  vectors = await embedder.embed(texts);
  passes += 1;
  const { user, system } = process.cpuUsage(startedCpu);
  spentSeconds = (user + system) / 1e6;
} while (spentSeconds < Number(values.seconds));
const embedded = performance.now();

const { dimension } = embedder;
const probe = [];
for (let first = 0; first + 1 < texts.length && probe.length < PROBE_LENGTH; first += PROBE_EVERY) {
  probe.push(cosine(vectors, first, first + 1));
}
const seconds = {
  read: (read - started) / 1000,
  load_model: (loaded - read) / 1000,
  embed: (embedded - loaded) / 1000,
};
const inner = {
  cpuSeconds: spentSeconds / passes,
  wallSeconds: seconds.embed / passes,
  loadSeconds: seconds.load_model,
  runs: passes,
};
const selected = vectors.length / dimension;
console.log(JSON.stringify({ records: texts.length, selected, dimension, probe, seconds, inner }));

/** @param {Float32Array} vectors @param {number} a @param {number} b */
function cosine(vectors, a, b) {
  let [ab, aa, bb] = [0, 0, 0];
  for (let at = 0; at < dimension; at += 1) {
    const [x, y] = [vectors[a * dimension + at] ?? 0, vectors[b * dimension + at] ?? 0];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return Number((ab / Math.max(Math.sqrt(aa * bb), 1e-12)).toFixed(4));
}
