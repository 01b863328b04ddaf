/**
 * The defaults of dedup. A changed default changes what stays in somebody's corpus: change only on purpose.
 */
import { expect, it } from "vitest";
import { dedup, DEDUP_DEFAULTS } from "../../src/main.js";

const PINNED = {
  methods: ["exact", "normalized", "lexical", "semantic"],
  normalize: "space",
  empty: "keep",
  jaccard: 0.8,
  shingles: { unit: "word", size: 3 },
  threshold: 0.9,
  guards: [],
  keep: "first",
  duplicatesMax: 100,
  columns: ["text"],
  id: "id",
  embedder: "static-en",
};

it("are these", () => {
  expect(DEDUP_DEFAULTS).toEqual(PINNED);
});

it("are in force: a run without options is the run with all of them", async () => {
  const records = ["a b c d", "a b  c d", "A b c d", "d c b a", "", " "];
  const [bare, full] = [await dedup(records), await dedup(records, DEDUP_DEFAULTS)];
  expect(bare.report.options).toEqual(full.report.options);
  expect(bare.filtered).toEqual(full.filtered);
});
