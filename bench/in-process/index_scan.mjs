/**
 * Our `flat` backend, one query at a time on one thread: every row is compared.
 *
 *   node bench/in-process/index_scan.mjs FILE.vectors [--hide N]
 *
 * `bytesPerSecond` counts the bytes that the rows have as f32, whatever is read of them. `--hide N` takes N items out first.
 */
import { parseArgs } from "node:util";

import { Index } from "../../dist/main.js";
import { readVectorFile } from "../corpora/vector-file.mjs";
import { judgeHits } from "../peers/recall.mjs";
import { meanOfPasses } from "../peers/stopwatch.mjs";

const ONE_THREAD = { threads: 1 };
const QUERIES = 100;
const QUERY_SECONDS = 3;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { hide: { type: "string", default: "0" } },
});
const file = readVectorFile(positionals[0] ?? "");
const { dimension, k } = file.header;
file.header.queries = Math.min(QUERIES, file.header.queries);
const items = Array.from({ length: file.header.rows }, (_, at) => at);
const index = await Index.fromVectorsAndItems(file.rows, items, "flat", { dimension }, ONE_THREAD);
await index.remove(items.slice(0, Number(values.hide)));

/** @type {number[][]} */
let found = [];
const mean = await meanOfPasses(async () => {
  found = [];
  for (let at = 0; at < file.header.queries; at += 1) {
    const query = file.queries.slice(at * dimension, (at + 1) * dimension);
    const { results } = await index.queryTopK(query, k, ONE_THREAD);
    found.push((results[0] ?? []).map(({ item }) => item));
  }
}, QUERY_SECONDS);
const measures = {
  bytesPerSecond: (file.rows.byteLength * file.header.queries) / mean.cpuSeconds,
  queriesPerCpuSecond: file.header.queries / mean.cpuSeconds,
  recallAt10: judgeHits(file, found).recall,
};
console.log(JSON.stringify({ records: file.header.rows, measures, inner: { ...mean, runs: 1 } }));
