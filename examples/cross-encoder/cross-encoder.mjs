// A cross-encoder reads a question and a passage together. Give the folder of yours as an argument; without one, a small model
// of the tests with random weights shows what goes in and what comes out. Needs `npm install --ignore-scripts onnxruntime-node`.
import assert from "node:assert/strict";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { loadCrossEncoder } from "sluice";

const folder =
  process.argv[2] ?? fileURLToPath(new URL("../../test/rerank/data/xlm-roberta", import.meta.url));
const encoder = await loadCrossEncoder(folder, { threads: 1 });

const passages = [
  "To stop the pump, press the red button.",
  "The pump starts by itself after a power cut.",
  "The first kings of the island were born in the north.",
];
const scores = await encoder.rerank("How do I stop the pump?", passages);
passages.forEach((passage, position) => console.log(scores[position].toFixed(4), passage));

// A score belongs to its passage, whatever stands beside it. As `reranker` of `retrieve` it orders the candidates.
const [alone] = await encoder.rerank("How do I stop the pump?", [passages[1]]);
assert.ok(Math.abs(alone - scores[1]) < 1e-5);
await encoder.close();
