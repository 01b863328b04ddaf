/**
 * Our static embedder over all passages of a file; the probe is that of the peers.
 *
 *   node bench/in-process/embed_texts.mjs CORPUS --model NAME|FOLDER
 */
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";

import { loadEmbedder } from "../../dist/main.js";
import { readTexts } from "../peers/passages.mjs";

const PROBE_EVERY = 1000;
const PROBE_LENGTH = 12;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { model: { type: "string", default: "static-en" } },
});
const started = performance.now();
const texts = readTexts(positionals[0] ?? "");
const read = performance.now();
const embedder = await loadEmbedder(values.model);
const loaded = performance.now();
const vectors = await embedder.embed(texts);
const embedded = performance.now();

const { dimension } = embedder;
const probe = [];
for (let first = 0; first + 1 < texts.length && probe.length < PROBE_LENGTH; first += PROBE_EVERY) {
  probe.push(cosine(first, first + 1));
}
const seconds = {
  read: (read - started) / 1000,
  load_model: (loaded - read) / 1000,
  embed: (embedded - loaded) / 1000,
};
console.log(
  JSON.stringify({ records: texts.length, selected: vectors.length / dimension, dimension, probe, seconds }),
);

/** @param {number} a @param {number} b */
function cosine(a, b) {
  let [ab, aa, bb] = [0, 0, 0];
  for (let at = 0; at < dimension; at += 1) {
    const [x, y] = [vectors[a * dimension + at] ?? 0, vectors[b * dimension + at] ?? 0];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return Number((ab / Math.max(Math.sqrt(aa * bb), 1e-12)).toFixed(4));
}
