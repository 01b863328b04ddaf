/**
 * What every JavaScript peer shares: read a corpus, cut shingles, print one line of JSON. The twin of `passages.py`.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const SHINGLE_WORDS = 3;

/**
 * The `text` of each line of a JSONL file, in order.
 * @param {string} path
 * @returns {string[]}
 */
export function readTexts(path) {
  const lines = readFileSync(path, "utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => JSON.parse(line).text);
}

/**
 * The word 3-grams of the lower-cased text; a shorter text is one shingle.
 * @param {string} text
 * @returns {string[]}
 */
export function shingles(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [text];
  const count = Math.max(1, words.length - SHINGLE_WORDS + 1);
  return Array.from({ length: count }, (_, start) => words.slice(start, start + SHINGLE_WORDS).join(" "));
}

/**
 * SHA-256 of the positions, joined by commas: equal for equal selections.
 * @param {Iterable<number>} positions
 * @returns {string}
 */
export function positionsHash(positions) {
  return createHash("sha256")
    .update([...positions].join(","))
    .digest("hex");
}

/**
 * The one line that the harness reads.
 * @param {number} records
 * @param {ArrayLike<number> & Iterable<number>} selectedPositions
 * @param {Record<string, number>} seconds wall seconds of named steps
 */
export function printAnswer(records, selectedPositions, seconds) {
  const hash = positionsHash(selectedPositions);
  console.log(JSON.stringify({ records, selected: selectedPositions.length, positionsHash: hash, seconds }));
}
