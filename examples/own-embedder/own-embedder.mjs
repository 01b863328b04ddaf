// Bring your own model: anything that turns texts into numbers. Here, counts of letters: anagrams become copies.
import assert from "node:assert/strict";
import { dedup } from "sluice";

/** @type {import("sluice").Embedder} */
const letters = {
  id: "letter-counts@1",
  dimension: 26,
  embed: async (texts, { signal } = {}) => {
    signal?.throwIfAborted();
    const rows = new Float32Array(texts.length * 26);
    texts.forEach((text, row) => {
      for (const letter of text.toLowerCase().match(/[a-z]/g) ?? [])
        rows[row * 26 + letter.charCodeAt(0) - 97] += 1;
    });
    return rows; // A row of zeros says: no letters, compare me with nothing.
  },
};

const { filtered, report } = await dedup(
  ["Dormitory", "Dirty room", "Astronomer", "Moon starer", "Mud hut", "42"],
  {
    embedder: letters,
    threshold: 0.999,
  },
);
for (const { record, score, duplicates } of filtered)
  console.log(`${record} = ${duplicates[0].record} (${score})`);
for (const limit of report.limits) console.log(limit);
assert.deepEqual(
  filtered.map(({ record }) => record),
  ["Dirty room", "Moon starer"],
);
assert.equal(report.options.embedder, "letter-counts@1");
