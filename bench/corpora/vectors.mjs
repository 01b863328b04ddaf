/**
 * Writes the vectors of a corpus with the right answers of a search: the work of the rows of the group `index`.
 *
 *   node bench/corpora/vectors.mjs INPUT.jsonl OUTPUT.vectors QUERIES
 *
 * The vectors are those of the embedder that ships. QUERIES texts, evenly spread over the file, are queries and no rows. The right
 * answers come from `reference/nearest.mjs`, which compares everything with everything. The program prints the output's SHA-256.
 */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";

import { readTexts } from "../peers/passages.mjs";
import { nearestScores } from "../reference/nearest.mjs";
import { LOTS, vectorFileParts } from "./vector-file.mjs";

const K = 10;
/** What a filter leaves, in per cent. */
const PERCENTS = [100, 50, 10, 1, 0.1, 0.01];

/**
 * Writes the vectors of INPUT to OUTPUT.
 * @param {string} input
 * @param {number} queryCount
 * @param {string} output
 * @returns {Promise<{rows: number, queries: number, sha256: string}>}
 */
export async function vectorCorpus(input, queryCount, output) {
  const { loadEmbedder } = await import("../../dist/main.js");
  const embedder = await loadEmbedder("static-en");
  const texts = readTexts(input);
  const every = Math.floor(texts.length / queryCount);
  const isQuery = texts.map((_, at) => at % every === every - 1 && at < every * queryCount);
  const queries = await embedder.embed(texts.filter((_, at) => isQuery[at]));
  const rows = await embedder.embed(texts.filter((_, at) => !isQuery[at]));

  const { dimension } = embedder;
  const filters = PERCENTS.map((percent) => ({ percent, lots: Math.round((percent / 100) * LOTS) }));
  const truths = nearestScores({ rows, queries, dimension, k: K, filters });
  const header = { rows: rows.length / dimension, queries: queryCount, dimension, k: K, filters };

  const hash = createHash("sha256");
  const parts = vectorFileParts({ header, rows, queries, truths });
  for (const part of parts) hash.update(part);
  await pipeline(Readable.from(parts), createWriteStream(output));
  return { rows: header.rows, queries: queryCount, sha256: hash.digest("hex") };
}

const [, program, input, output, queries] = process.argv;
if (program !== undefined && import.meta.url === pathToFileURL(program).href) {
  if (input === undefined || output === undefined || !(Number(queries) > 0)) {
    console.error("usage: node bench/corpora/vectors.mjs INPUT.jsonl OUTPUT.vectors QUERIES");
    process.exit(2);
  }
  console.log(JSON.stringify(await vectorCorpus(input, Number(queries), output)));
}
