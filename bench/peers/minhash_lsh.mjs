/**
 * npm `minhash`: a `Minhash` a record, then query and insert into `LshIndex`, in input order.
 *
 * Its `query` throws on a text with a band that was never inserted, which is nearly every text; to give it an answer at all,
 * this program asks the index band by band.
 */
import { performance } from "node:perf_hooks";

import { LshIndex, Minhash } from "minhash";

import { printAnswer, readTexts, shingles } from "./passages.mjs";

const THRESHOLD = 0.8;

let started = performance.now();
/** @param {string} step */
const lap = (step) => {
  const now = performance.now();
  seconds[step] = (now - started) / 1000;
  started = now;
};
/** @type {Record<string, number>} */
const seconds = {};

const texts = readTexts(process.argv[2] ?? "");
lap("read");

const index = new LshIndex({ bandSize: 8 });
const sketches = new Map();
const selected = [];
for (const [position, text] of texts.entries()) {
  const sketch = new Minhash({ numPerm: 128 });
  for (const shingle of shingles(text)) sketch.update(shingle);
  if ([...near(sketch)].some((candidate) => sketches.get(candidate).jaccard(sketch) >= THRESHOLD)) continue;
  index.insert(String(position), sketch);
  sketches.set(String(position), sketch);
  selected.push(position);
}
lap("shingle_and_deduplicate");
printAnswer(texts.length, selected, seconds);

/**
 * @param {import("minhash").Minhash} sketch
 * @returns {Set<string>}
 */
function near(sketch) {
  return new Set(index.getHashbands(sketch).flatMap((/** @type {string} */ band) => index.index[band] ?? []));
}
