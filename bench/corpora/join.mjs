/**
 * Joins the paragraphs of a page to passages of the length that retrieval indexes: the work of the row `embed-passages`.
 *
 *   node bench/corpora/join.mjs INPUT.jsonl OUTPUT.jsonl
 *
 * Paragraphs of one page that follow each other are joined by a space until they have `BYTES_MIN` bytes; what is left at a page's
 * end is left out. A text that came before, in this page or another, is passed over, so that no passage is embedded twice. The
 * program prints the output's SHA-256, how many passages it has and their mean length.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";

/** Chosen for the mean that it gives over the Symfony documentation: 658 bytes a passage. */
const BYTES_MIN = 500;

/**
 * Writes the passages of INPUT to OUTPUT.
 * @param {string} input
 * @param {string} output
 * @returns {Promise<{records: number, bytesMean: number, sha256: string}>}
 */
export async function joinCorpus(input, output) {
  const hash = createHash("sha256");
  let [records, bytes] = [0, 0];
  async function* lines() {
    for await (const { src, text } of passages(input)) {
      const line = `${JSON.stringify({ id: records, src, text })}\n`;
      records += 1;
      bytes += Buffer.byteLength(text);
      hash.update(line);
      yield line;
    }
  }
  await pipeline(lines, createWriteStream(output));
  return { records, bytesMean: bytes / records, sha256: hash.digest("hex") };
}

/** @param {string} path @returns {AsyncGenerator<{src: string, text: string}>} */
async function* passages(path) {
  /** @type {Set<string>} */
  const seen = new Set();
  let [page, passage] = ["", ""];
  for await (const line of createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Infinity })) {
    /** @type {{src: string, text: string}} */
    const { src, text } = JSON.parse(line);
    if (src !== page) [page, passage] = [src, ""];
    if (seen.has(text)) continue;
    seen.add(text);
    passage = passage === "" ? text : `${passage} ${text}`;
    if (Buffer.byteLength(passage) < BYTES_MIN) continue;
    yield { src, text: passage };
    passage = "";
  }
}

const [, program, input, output] = process.argv;
if (program !== undefined && import.meta.url === pathToFileURL(program).href) {
  if (input === undefined || output === undefined) {
    console.error("usage: node bench/corpora/join.mjs INPUT.jsonl OUTPUT.jsonl");
    process.exit(2);
  }
  console.log(JSON.stringify(await joinCorpus(input, output)));
}
