/**
 * Writes the first texts of several corpora that differ: what an index holds.
 *
 *   node bench/corpora/distinct.mjs OUTPUT.jsonl COUNT INPUT...
 *
 * Inputs are read in order: JSONL with a field `text`, or lines of `source <tab> text` where the name ends in `.tsv`. A text that
 * came before is passed over, and so is one without three letters in a row, which has no vector. The program prints the output's
 * SHA-256 and how many texts it has.
 */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";

const WORD = /[A-Za-z]{3}/;

/**
 * Writes the first `count` distinct texts of `inputs`, or all where there are fewer.
 * @param {readonly string[]} inputs
 * @param {number} count
 * @param {string} output
 * @returns {Promise<{records: number, sha256: string}>}
 */
export async function distinctCorpus(inputs, count, output) {
  const hash = createHash("sha256");
  let records = 0;
  async function* lines() {
    for await (const text of distinctTexts(inputs)) {
      if (records === count) return;
      const line = `${JSON.stringify({ id: records, text })}\n`;
      records += 1;
      hash.update(line);
      yield line;
    }
  }
  await pipeline(lines, createWriteStream(output));
  return { records, sha256: hash.digest("hex") };
}

/** @param {readonly string[]} inputs @returns {AsyncGenerator<string>} */
async function* distinctTexts(inputs) {
  const seen = new Set();
  for (const path of inputs) {
    const tabbed = path.endsWith(".tsv");
    const input = createReadStream(path, "utf8");
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      /** @type {string} */
      const text = tabbed ? line.slice(line.indexOf("\t") + 1) : JSON.parse(line).text;
      if (seen.has(text) || !WORD.test(text)) continue;
      seen.add(text);
      yield text;
    }
  }
}

const [, program, output, count, ...inputs] = process.argv;
if (program !== undefined && import.meta.url === pathToFileURL(program).href) {
  if (output === undefined || !(Number(count) > 0) || inputs.length === 0) {
    console.error("usage: node bench/corpora/distinct.mjs OUTPUT.jsonl COUNT INPUT...");
    process.exit(2);
  }
  console.log(JSON.stringify(await distinctCorpus(inputs, Number(count), output)));
}
