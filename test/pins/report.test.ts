/**
 * The shape of a report, a dropped record and a vetoed pair: what dashboards and files rely on. Change only on purpose.
 */
import { expect, it } from "vitest";
import { dedup } from "../../src/main.js";

const records = [
  { id: "a", text: "the order 25 has arrived at the door" },
  { id: "b", text: "the order 26 has arrived at the door" },
  { id: "c", text: "the order 25 has arrived at the door" },
];

it("a report", async () => {
  const { report } = await dedup(records);
  expect(Object.keys(report)).toEqual([
    "stage",
    "version",
    "options",
    "counts",
    "seconds",
    "bytes",
    "limits",
  ]);
  expect(report.stage).toBe("dedup");
  expect(Object.keys(report.options)).toEqual([
    "methods",
    "normalize",
    "empty",
    "jaccard",
    "shingles",
    "threshold",
    "floor",
    "guards",
    "keep",
    "duplicatesMax",
    "referenceOnly",
    "columns",
    "threads",
    "embedder",
    "dimension",
  ]);
  expect(Object.keys(report.counts)).toEqual([
    "records",
    "exact",
    "normalized",
    "lexical",
    "semantic",
    "empty",
    "selected",
    "filtered",
    "classes",
    "without_vector",
    "vetoed",
    "vetoes_cut",
    "duplicates_cut",
    "groups",
    "near",
    "tokens",
    "unknown_tokens",
    "largest_group_1",
  ]);
  expect(Object.keys(report.seconds)).toEqual([
    "read",
    "embed",
    "order",
    "lexical",
    "semantic",
    "resolve",
    "spell",
    "total",
  ]);
  expect(Object.keys(report.bytes)).toEqual(["batch"]);
});

it("a dropped record and a vetoed pair", async () => {
  const { filtered, vetoed } = await dedup(records, { guards: ["numbers"], threshold: 0.7 });
  expect(Object.keys(filtered[0] ?? {})).toEqual([
    "position",
    "id",
    "record",
    "reason",
    "exact",
    "score",
    "duplicateOf",
    "duplicates",
  ]);
  expect(Object.keys(vetoed[0] ?? {})).toEqual([
    "position",
    "id",
    "record",
    "comparedWith",
    "score",
    "guard",
  ]);
});
