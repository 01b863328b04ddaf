// The laws of the index rows: the truth is the truth, and recall is counted against it. Run with `node --test bench/harness/`.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { distinctCorpus } from "../corpora/distinct.mjs";
import { LOTS, readVectorFile, vectorFileParts } from "../corpora/vector-file.mjs";
import { smallestEffort } from "../peers/graph-trial.mjs";
import { readTexts } from "../peers/passages.mjs";
import { judgeHits } from "../peers/recall.mjs";
import { nearestScores } from "../reference/nearest.mjs";

/** Five rows about a query along the first axis: cosines 1, .8, .6, 0, -1, whatever their length. */
const ROWS = Float32Array.from(
  [
    [2, 0, 0, 0],
    [0.8, 0.6, 0, 0],
    [3, 4, 0, 0],
    [0, 0, 5, 0],
    [-1, 0, 0, 0],
  ].flat(),
);
const QUERIES = Float32Array.from([7, 0, 0, 0]);
const FILTERS = [
  { percent: 100, lots: LOTS },
  { percent: 0.02, lots: 2 },
];
const HEADER = { rows: 5, queries: 1, dimension: 4, k: 3, filters: FILTERS };

/** @returns {import("../corpora/vector-file.mjs").VectorFile} */
function file() {
  const work = { rows: ROWS, queries: QUERIES, dimension: 4, k: 3, filters: FILTERS };
  return { header: HEADER, rows: ROWS, queries: QUERIES, truths: nearestScores(work) };
}

/** @param {Iterable<number>} numbers */
const rounded = (numbers) => Array.from(numbers, (number) => Number(number.toFixed(6)));

test("the nearest are the best cosines among the rows that match, NaN where fewer do", () => {
  assert.deepEqual(file().truths.map(rounded), [
    [1, 0.8, 0.6],
    [1, 0.8, NaN],
  ]);
  const nothing = { rows: new Float32Array(4), queries: QUERIES, dimension: 4, k: 3, filters: FILTERS };
  assert.throws(() => nearestScores(nothing), /vector 0 is zero/);
});

test("a file of vectors is read as it was written", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const path = join(folder, "five.vectors");
  writeFileSync(path, Buffer.concat(vectorFileParts(file())));
  assert.deepEqual(readVectorFile(path), file());
  rmSync(folder, { recursive: true });
});

test("recall and the number of hits are judged apart", () => {
  /** @type {[string, number[], number, number, number][]} */
  const cases = [
    ["all", [0, 1, 2], 0, 1, 0],
    ["in another order", [2, 0, 1], 0, 1, 0],
    ["one is no near one", [0, 1, 3], 0, 2 / 3, 0],
    ["one is missing", [0, 1], 0, 2 / 3, 1],
    ["one comes twice", [0, 1, 1], 0, 2 / 3, 1],
    ["one too many", [0, 1, 2, 3], 0, 1, 1],
    ["a row that is not there", [0, 1, 9], 0, 2 / 3, 0],
    ["all that match", [1, 0], 1, 1, 0],
    ["more than match", [0, 1, 2], 1, 1, 1],
    ["nothing", [], 0, 0, 1],
  ];
  for (const [name, found, filter, recall, wrongCounts] of cases) {
    assert.deepEqual(judgeHits(file(), [found], filter), { recall, wrongCounts }, name);
  }
});

test("the effort is the smallest that reaches the recall, the largest where none does", async () => {
  const efforts = [10, 20, 40, 80];
  /** @type {[number, number][]} */
  const cases = [
    [1, 10],
    [10, 10],
    [11, 20],
    [40, 40],
    [79, 80],
    [1_000, 80],
  ];
  for (const [enough, chosen] of cases) {
    const recallWith = (/** @type {number} */ effort) => Promise.resolve(effort >= enough ? 0.975 : 0.974);
    assert.equal(await smallestEffort(recallWith, efforts), chosen, `enough: ${enough}`);
  }
});

test("distinct texts come once, from every input in order, up to the count", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const [lines, tabbed, output] = [join(folder, "a.jsonl"), join(folder, "b.tsv"), join(folder, "out.jsonl")];
  const texts = ["one way", "two ways", "one way", "12 -- 34"];
  writeFileSync(lines, texts.map((text) => `${JSON.stringify({ text })}\n`).join(""));
  writeFileSync(tabbed, "wiki\ttwo ways\nwiki\ttabs\tstay\nwiki\tlast one\n");
  /** @type {[number, string[]][]} */
  const cases = [
    [9, ["one way", "two ways", "tabs\tstay", "last one"]],
    [3, ["one way", "two ways", "tabs\tstay"]],
  ];
  for (const [count, expected] of cases) {
    const { records } = await distinctCorpus([lines, tabbed], count, output);
    assert.deepEqual([records, readTexts(output)], [expected.length, expected]);
  }
  rmSync(folder, { recursive: true });
});
