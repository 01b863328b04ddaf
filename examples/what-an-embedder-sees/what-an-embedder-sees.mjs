// Two embedders come with the package. What does each take for similar, and what does neither see?
import assert from "node:assert/strict";
import { loadEmbedder, veto } from "sluice";

const pairs = [
  ["The server crashed during the night.", "The server went down last night."],
  ["deduplication of passages", "deduplicatoin of pasages"],
  ["今天天气很好啊", "今天天气很好"],
  ["Version 1.2 is supported.", "Version 1.3 is supported."],
  ["The pump may be started.", "The pump may not be started."],
];

/** The cosine of two texts: vectors have length one, so that it is their inner product. */
async function cosine(embedder, pair) {
  const rows = await embedder.embed(pair); // One flat array, row after row.
  const [a, b] = [rows.subarray(0, embedder.dimension), rows.subarray(embedder.dimension)];
  return a.reduce((sum, component, index) => sum + component * b[index], 0);
}

const meaning = await loadEmbedder("static-en"); // English, by the meaning of its words.
const spelling = await loadEmbedder("hash"); // Any language, by its characters.
// A model2vec folder loads by its path: await loadEmbedder("models/potion-base-8M").
const table = [];
for (const pair of pairs) {
  const row = [await cosine(meaning, pair), await cosine(spelling, pair), veto(...pair)];
  console.log(`${row[0].toFixed(2)}  ${row[1].toFixed(2)}  ${row[2] ?? "-"}  ${pair.join("  ~  ")}`);
  table.push(row);
}
const [paraphrase, typo, chinese, version, negation] = table;
assert.ok(paraphrase[0] > paraphrase[1], "meaning knows that crashed and went down are alike");
assert.ok(typo[1] > typo[0], "spelling forgives a typo");
assert.ok(chinese[1] > 0.5, "spelling needs no vocabulary");

// Both take another version and a negation for the same; the guard does not.
assert.ok(version[0] > 0.9 && negation[0] > 0.9);
assert.deepEqual([version[2], negation[2], paraphrase[2]], ["numbers", "negation", null]);
