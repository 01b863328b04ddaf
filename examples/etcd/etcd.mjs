// A real corpus: the documentation of six releases says the same thing up to 49 times. What is left, by which method?
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { dedup } from "sluice";

const lines = gunzipSync(readFileSync(new URL("passages.jsonl.gz", import.meta.url))).toString();
const passages = lines
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));

/** Methods, and how many paragraphs stay. */
const expected = [
  [["exact"], 3970],
  [["exact", "lexical"], 3560],
  ["all", 2591],
];
for (const [methods, count] of expected) {
  const { selected, report } = await dedup(passages, { methods });
  const share = (100 * selected.length) / passages.length;
  console.log(
    `${String(methods).padEnd(14)} ${selected.length} of ${passages.length} stay (${share.toFixed(1)} %), ` +
      `${report.seconds.total.toFixed(2)} s`,
  );
  assert.equal(selected.length, count);
}

const result = await dedup(passages);
const [largest] = result.selectedWithDuplicates().sort((a, b) => b.duplicates.length - a.duplicates.length);
console.log(`most repeated, ${largest.duplicates.length} times: ${largest.record.text.slice(0, 60)}`);
assert.equal(largest.duplicates.length, result.report.counts.largest_group_1);
