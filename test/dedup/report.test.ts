/**
 * The numbers of a run, and the sentences about every bound that bit.
 */
import { describe, expect, it } from "vitest";
import { dedup } from "../../src/main.js";
import { TEXTUAL } from "../support/decision-table.js";

describe("a report", () => {
  it("counts every record once", async () => {
    const { counts } = (await dedup(["a", "a", "a ", "b c d e", "b c d e f g", " "], { empty: "drop" }))
      .report;
    const reasons = ["exact", "normalized", "lexical", "semantic", "empty"].map(
      (reason) => counts[reason] ?? 0,
    );
    expect(reasons.reduce((sum, count) => sum + count, 0)).toBe(counts["filtered"]);
    expect((counts["selected"] ?? 0) + (counts["filtered"] ?? 0)).toBe(counts["records"]);
  });

  it("has the sizes of the largest groups", async () => {
    const { counts } = (await dedup(["a", "a", "b", "a", "b"], { methods: ["exact"] })).report;
    expect(counts["groups"]).toBe(2);
    expect(counts["largest_group_1"]).toBe(2);
    expect(counts["largest_group_2"]).toBe(1);
  });

  it("says when witnesses beyond duplicatesMax are not listed", async () => {
    const records = ["a b c d e f", "c d e f g h", "a b c d e f g h"];
    const { filtered, report } = await dedup(records, { methods: TEXTUAL, jaccard: 0.5, duplicatesMax: 1 });
    expect(filtered[0]?.duplicates).toHaveLength(1);
    expect(report.limits).toEqual(["1 witnesses beyond duplicatesMax 1 are not listed."]);
    expect(report.counts["duplicates_cut"]).toBe(1);
  });

  it("says when the embedder does not know the language", async () => {
    const { report } = await dedup([
      "\u0f56\u0f7c\u0f51\u0f0b\u0f61\u0f72\u0f42",
      "\u{1f600}\u{1f601} \u{1f602}",
    ]);
    expect(report.limits.join(" ")).toMatch(/The embedder does not know \d+ % of the tokens/);
  });

  it("says how many texts have no vector", async () => {
    const { report } = await dedup(["\u{1f600}", "plain English words"]);
    expect(report.counts["without_vector"]).toBe(1);
    expect(report.limits.join(" ")).toContain("1 distinct texts have no vector");
  });

  it("is silent about languages with the embedder that hashes characters", async () => {
    const { report, selected } = await dedup(["\u4eca\u5929\u5929\u6c14\u5f88\u597d", "\u{1f600}"], {
      embedder: "hash",
    });
    expect(selected).toHaveLength(2);
    expect(report.limits).toEqual([]);
  });

  it("says which vectors were compared", async () => {
    const { options } = (await dedup(["a"])).report;
    expect(options["embedder"]).toMatch(/^static-en-256-int4@[0-9a-f]{16}$/);
    expect(options["dimension"]).toBe(256);
  });
});
