// The measures against values worked out by hand. Run with `node --test bench/evaluation/`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { areaUnderCurve, bestF1, meanRanks, spearman } from "./metrics.mjs";

test("equal values share their mean rank", () => {
  for (const [values, ranks] of [
    [[], []],
    [[7], [1]],
    [
      [30, 10, 20],
      [3, 1, 2],
    ],
    [
      [5, 5, 1],
      [2.5, 2.5, 1],
    ],
    [
      [2, 2, 2, 2],
      [2.5, 2.5, 2.5, 2.5],
    ],
  ]) {
    assert.deepEqual([...meanRanks(values)], ranks);
  }
});

test("the area under the curve counts ordered couples, a tie as half", () => {
  for (const [scores, positive, area] of [
    [[0.9, 0.8, 0.2, 0.1], [true, true, false, false], 1],
    [[0.9, 0.8, 0.2, 0.1], [false, false, true, true], 0],
    [[0.5, 0.5, 0.5], [true, false, false], 0.5],
    // Couples: 0.9 beats both, 0.3 beats 0.1 but not 0.4.
    [[0.9, 0.4, 0.3, 0.1], [true, false, true, false], 0.75],
  ]) {
    assert.equal(areaUnderCurve(scores, positive), area);
  }
});

test("the best F1 comes with the threshold that reaches it", () => {
  const scores = [0.9, 0.8, 0.7, 0.6];
  assert.deepEqual(bestF1(scores, [true, true, false, false]), { f1: 1, threshold: 0.8 });
  // At 0.6 everything is taken: precision 2/4, recall 1.
  assert.deepEqual(bestF1(scores, [false, false, true, true]), { f1: 4 / 6, threshold: 0.6 });
  // A tie cannot be cut in two: both 0.8 are taken or none.
  assert.deepEqual(bestF1([0.8, 0.8, 0.1], [true, false, false]), { f1: 2 / 3, threshold: 0.8 });
});

test("Spearman sees order only", () => {
  assert.equal(spearman([1, 2, 3, 4], [10, 20, 400, 8000]), 1);
  assert.equal(spearman([1, 2, 3, 4], [4, 3, 2, 1]), -1);
  // One swap of neighbours among four: 1 - 6 * 2 / (4 * 15).
  assert.ok(Math.abs(spearman([1, 2, 3, 4], [1, 3, 2, 4]) - 0.8) < 1e-12);
  assert.ok(Number.isNaN(spearman([1, 1], [1, 2])));
});
