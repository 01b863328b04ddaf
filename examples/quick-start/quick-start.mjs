// Texts in, distinct texts out, and for each dropped one: why, and because of which.
import assert from "node:assert/strict";
import { dedup } from "sluice";

const { selected, filtered } = await dedup([
  "Paris is the capital of France.",
  "Paris is the capital of  France.",
  "The capital of France is Paris.",
  "The Seine flows through Paris.",
]);
for (const { record, reason, score, duplicateOf } of filtered)
  console.log(`${reason} ${score.toFixed(2)} of record ${duplicateOf?.position}: ${record}`);
assert.deepEqual(selected, ["Paris is the capital of France.", "The Seine flows through Paris."]);
