// The check of an answer can fail: on a worse figure, a better one, a missing one, and NaN.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deviations } from "./expectation.mjs";

const expected = { tolerance: 0.01, embedders: { ours: { task: { auc: 0.9 } } }, atLeast: {} };
const result = (figures) => ({ ours: { tasks: { task: figures } } });

test("a figure is as expected within the tolerance, and only then", () => {
  for (const [figures, count] of [
    [{ auc: 0.9 }, 0],
    [{ auc: 0.905, extra: 1 }, 0],
    [{ auc: 0.88 }, 1],
    [{ auc: 0.92 }, 1],
    [{ auc: NaN }, 1],
    [{}, 1],
  ]) {
    assert.equal(deviations(result(figures), expected).length, count, JSON.stringify(figures));
  }
});

test("a bar is broken from below only", () => {
  const promised = { tolerance: 0.01, embedders: {}, atLeast: { ours: { task: { precision: 0.85 } } } };
  for (const [figures, count] of [
    [{ precision: 0.85 }, 0],
    [{ precision: 0.99 }, 0],
    [{ precision: 0.8499 }, 1],
    [{ precision: NaN }, 1],
    [{}, 1],
  ]) {
    assert.equal(deviations(result(figures), promised).length, count, JSON.stringify(figures));
  }
});

test("an embedder that was not asked for is not missed", () => {
  assert.deepEqual(deviations({}, expected), []);
});
