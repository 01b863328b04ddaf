// Reads the labelled texts and draws pairs from them.
//
// The one idea: what is drawn depends on the file and the seed only, so that every embedder is asked about the same pairs.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { seededRandom } from "./random.mjs";

/** @typedef {{ a: string, b: string }} Pair */
/** @typedef {{ text: string, label: string, split: string }} Utterance */

/** @param {string} path */
function lines(path) {
  const bytes = readFileSync(path);
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8").split("\n").filter(Boolean);
}

/**
 * Utterances with an intent and a split.
 * @param {string} path
 * @returns {Utterance[]}
 */
export function readIntents(path) {
  return lines(path).map((line) => JSON.parse(line));
}

/**
 * Pairs with a human score of similarity.
 * @param {string} path
 * @returns {Array<Pair & { score: number }>}
 */
export function readSimilarities(path) {
  return lines(path).map((line) => JSON.parse(line));
}

/**
 * Edited pairs: the kind of edit, and whether the two still mean the same. A line break in a text is written `\n`.
 * @param {string} path
 * @returns {Array<Pair & { kind: string, same: boolean }>}
 */
export function readEdits(path) {
  return lines(path).map((line) => {
    const [kind, label, a, b] = line.split("\t").map((column) => column.replaceAll("\\n", "\n"));
    return { kind, same: label === "1", a, b };
  });
}

/**
 * Draws `count` pairs of one intent and `count` pairs of two intents, alternating; intents count alike, however frequent.
 * @param {readonly Utterance[]} utterances
 * @param {number} count
 * @param {number} seed
 * @returns {Array<Pair & { same: boolean }>}
 */
export function drawPairs(utterances, count, seed) {
  /** @type {Map<string, string[]>} */
  const byIntent = new Map();
  for (const { text, label } of utterances) {
    const texts = byIntent.get(label);
    if (texts) texts.push(text);
    else byIntent.set(label, [text]);
  }
  const intents = [...byIntent.keys()].sort().map((label) => byIntent.get(label) ?? []);
  const several = intents.filter((texts) => texts.length > 1);
  const random = seededRandom(seed);
  /** Two different positions below `length`. @param {number} length */
  const two = (length) => {
    const first = random(length);
    const second = random(length - 1);
    return [first, second < first ? second : second + 1];
  };
  const pairs = [];
  for (let i = 0; i < count; i += 1) {
    const texts = several[random(several.length)];
    const [a, b] = two(texts.length);
    pairs.push({ a: texts[a], b: texts[b], same: true });
    const [left, right] = two(intents.length).map((position) => intents[position]);
    pairs.push({ a: left[random(left.length)], b: right[random(right.length)], same: false });
  }
  return pairs;
}

/**
 * The first `perIntent` utterances of every intent, and the rest, in order.
 * @param {readonly Utterance[]} utterances
 * @param {number} perIntent
 */
export function firstOfEachIntent(utterances, perIntent) {
  /** @type {Map<string, number>} */
  const taken = new Map();
  const first = [];
  const rest = [];
  for (const utterance of utterances) {
    const before = taken.get(utterance.label) ?? 0;
    taken.set(utterance.label, before + 1);
    (before < perIntent ? first : rest).push(utterance);
  }
  return { first, rest };
}
