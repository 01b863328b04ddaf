/**
 * Writes a corpus, then a mutated copy of it: the work of the large rows, and of a second crawl that found edited pages.
 *
 *   node bench/corpora/mutate.mjs INPUT.jsonl OUTPUT.jsonl
 *
 * Each record of the copy meets one mutation, drawn by a generator with a fixed seed, so that the output is the same bytes
 * everywhere. The program prints the output's SHA-256 and how many records met each mutation. Of the copy, one fifth is an exact
 * copy; the other four fifths are near-duplicates of their original: swapped words and typos touch one or two words, a
 * number changes in its value, a sentence is appended, or the last tenth to half of the words is cut.
 */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

import { seededUnit } from "../evaluation/random.mjs";

const SEED = 0x51_7c_c1_b7;
const NUMBER = /\d+/g;
const SENTENCES = [
  "This page was last reviewed by the documentation team.",
  "See the reference for more details.",
  "Was this section helpful?",
  "The behaviour may change in a future release.",
];

/** Cumulative shares, in the order in which they are drawn. */
const MUTATIONS = [
  { name: "copy", upTo: 0.2, apply: (/** @type {string} */ text) => text },
  { name: "swapped_words", upTo: 0.4, apply: swapWords },
  { name: "typos", upTo: 0.55, apply: makeTypos },
  { name: "changed_number", upTo: 0.7, apply: changeNumber },
  { name: "appended_sentence", upTo: 0.85, apply: appendSentence },
  { name: "truncated", upTo: 1, apply: truncate },
];

/** @param {() => number} next @param {number} count */
const below = (next, count) => Math.floor(next() * count);

/** @param {string} text @param {() => number} next */
function swapWords(text, next) {
  const words = text.split(" ");
  if (words.length < 2) return text;
  const at = below(next, words.length - 1);
  [words[at], words[at + 1]] = [words[at + 1] ?? "", words[at] ?? ""];
  return words.join(" ");
}

/** Doubles or drops one character in one or two words. @param {string} text @param {() => number} next */
function makeTypos(text, next) {
  const words = text.split(" ");
  for (let typos = 1 + below(next, 2); typos > 0; typos -= 1) {
    const at = below(next, words.length);
    const letters = [...(words[at] ?? "")];
    if (letters.length < 4) continue;
    const letter = 1 + below(next, letters.length - 2);
    letters.splice(letter, 1, ...(next() < 0.5 ? [] : [letters[letter] ?? "", letters[letter] ?? ""]));
    words[at] = letters.join("");
  }
  return words.join(" ");
}

/** A text without a number has two words swapped instead. @param {string} text @param {() => number} next */
function changeNumber(text, next) {
  const numbers = [...text.matchAll(NUMBER)];
  const chosen = numbers[below(next, numbers.length)];
  if (chosen === undefined) return swapWords(text, next);
  const changed = String(BigInt(chosen[0]) + BigInt(1 + below(next, 9)));
  return text.slice(0, chosen.index) + changed + text.slice(chosen.index + chosen[0].length);
}

/** @param {string} text @param {() => number} next */
function appendSentence(text, next) {
  return `${text} ${SENTENCES[below(next, SENTENCES.length)]}`;
}

/** Keeps the first half to nine tenths of the words. @param {string} text @param {() => number} next */
function truncate(text, next) {
  const words = text.split(" ");
  return words.slice(0, Math.max(1, Math.floor(words.length * (0.5 + 0.4 * next())))).join(" ");
}

/**
 * Writes INPUT and its mutated copy to OUTPUT.
 * @param {string} input
 * @param {string} output
 * @returns {Promise<{records: number, sha256: string, mutations: Record<string, number>}>}
 */
export async function mutateCorpus(input, output) {
  const next = seededUnit(SEED);
  const hash = createHash("sha256");
  const sink = createWriteStream(output);
  /** @type {Record<string, number>} */
  const mutations = {};
  let records = 0;

  /** @param {string} text */
  const write = async (text) => {
    const line = `${JSON.stringify({ id: records, text })}\n`;
    records += 1;
    hash.update(line);
    if (!sink.write(line)) await once(sink, "drain");
  };
  for await (const text of texts(input)) await write(text);
  for await (const text of texts(input)) {
    const drawn = next();
    const mutation = MUTATIONS.find(({ upTo }) => drawn < upTo);
    if (mutation === undefined) throw new Error(`no mutation for ${drawn}`);
    mutations[mutation.name] = (mutations[mutation.name] ?? 0) + 1;
    await write(mutation.apply(text, next));
  }
  sink.end();
  await once(sink, "finish");
  return { records, sha256: hash.digest("hex"), mutations };
}

/** @param {string} path @returns {AsyncGenerator<string>} */
async function* texts(path) {
  for await (const line of createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Infinity })) {
    yield JSON.parse(line).text;
  }
}

const [, program, input, output] = process.argv;
if (program !== undefined && import.meta.url === pathToFileURL(program).href) {
  if (input === undefined || output === undefined) {
    console.error("usage: node bench/corpora/mutate.mjs INPUT.jsonl OUTPUT.jsonl");
    process.exit(2);
  }
  console.log(JSON.stringify(await mutateCorpus(input, output)));
}
