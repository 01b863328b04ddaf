/**
 * Our `dedup` by meaning over vectors in hand: keep one unless an earlier kept one reaches the cosine.
 *
 *   node bench/in-process/self_join.mjs FILE.vectors [--threshold 0.9] [--threads 1]
 *
 * The records are numbers as texts, so that no two are the same and nothing is embedded.
 */
import { parseArgs } from "node:util";

import { dedup } from "../../dist/main.js";
import { readVectorFile } from "../corpora/vector-file.mjs";
import { positionsHash } from "../peers/passages.mjs";
import { startWatch } from "../peers/stopwatch.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    threshold: { type: "string", default: "0.9" },
    threads: { type: "string", default: "1" },
  },
});
const { header, rows } = readVectorFile(positionals[0] ?? "");
const records = Array.from({ length: header.rows }, (_, at) => String(at));

const spent = startWatch();
const { selectedPositions } = await dedup(records, {
  methods: ["semantic"],
  normalize: "none",
  threshold: Number(values.threshold),
  threads: Number(values.threads),
  embeddings: { data: rows, dimension: header.dimension },
});
const inner = { ...spent(), runs: 1 };
const answer = { selected: selectedPositions.length, positionsHash: positionsHash(selectedPositions) };
console.log(JSON.stringify({ records: header.rows, ...answer, inner }));
