/**
 * What guards do to a deduplication: keep a pair apart, say so, and leave true copies alone.
 */
import { describe, expect, it } from "vitest";
import { dedup } from "../../src/main.js";
import { summary } from "../support/decision-table.js";

describe("a guard", () => {
  const pairs: ReadonlyArray<readonly [string, string, string]> = [
    ["numbers", "order 1001 costs 25 dollars in total", "order 1002 costs 95 dollars in total"],
    ["negation", "the service is available in this region", "the service is not available in this region"],
    ["order", "dog bites man", "man bites dog"],
  ];
  it.each(pairs)("%s keeps a pair apart and says so", async (guard, a, b) => {
    const records = [a, b];
    expect((await dedup(records)).selected).toHaveLength(1);
    const result = await dedup(records, { guards: ["numbers", "negation", "antonyms", "names", "order"] });
    expect(result.selected).toEqual(records);
    expect(result.vetoed).toEqual([
      { position: 1, record: b, comparedWith: { position: 0 }, score: expect.any(Number) as number, guard },
    ]);
    expect(result.vetoed[0]?.score).toBeGreaterThanOrEqual(0.9);
    expect(result.report.counts["vetoed"]).toBe(1);
  });

  it("keeps apart what another guard would not", async () => {
    const records = ["the order 25 has arrived", "the order has arrived", "the order 26 has arrived"];
    const result = await dedup(records, { threshold: 0.7, guards: ["names"] });
    const guarded = await dedup(records, { threshold: 0.7, guards: ["numbers"] });
    expect(result.selected).toHaveLength(1);
    expect(guarded.selected).toEqual(records);
  });

  it("names itself on a dropped record that it kept apart from another one", async () => {
    const records = [
      "order 25 has arrived at the gate",
      "order 26 has arrived at the gate",
      "order 26 has arrived at the gate now",
    ];
    const { selectedPositions, filtered } = await dedup(records, {
      methods: ["lexical"],
      jaccard: 0.3,
      guards: ["numbers"],
    });
    expect([...selectedPositions]).toEqual([0, 1]);
    expect(filtered).toMatchObject([{ position: 2, duplicateOf: { position: 1 }, vetoes: ["numbers"] }]);
  });

  it("never touches exact and normalized copies", async () => {
    const result = await dedup(["order 1", "order 1", "order  1"], { guards: ["numbers"] });
    expect(summary(result)).toEqual({ stay: [0], go: ["1 exact 0 1", "2 normalized 0 1"] });
  });
});
