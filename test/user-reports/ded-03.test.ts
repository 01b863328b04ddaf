/** DED-03: facts that differ only in a date, a version or an amount embed alike, and one was thrown away silently. */
import { describe, expect, it } from "vitest";
import { dedup } from "../../src/main.js";

const DIFFERENT: ReadonlyArray<readonly [string, string]> = [
  ["The contract ends on October 15th", "The contract ends on October 16th"],
  ["v1.2 is supported", "v1.3 is supported"],
  ["The invoice is for 1,250.00 euros", "The invoice is for 1,520.00 euros"],
  ["Ticket AB-1207 is closed", "Ticket AB-1208 is closed"],
];

describe("DED-03", () => {
  it.each(DIFFERENT)("the numbers guard keeps both: %j, %j", async (a, b) => {
    const result = await dedup([a, b], { threshold: 0.7, jaccard: 0.3, guards: ["numbers"] });
    expect(result.selected).toEqual([a, b]);
    expect(new Set(result.vetoed.map(({ guard }) => guard))).toEqual(new Set(["numbers"]));
  });

  it.each(DIFFERENT)("without it the second is dropped, with a score to audit: %j, %j", async (a, b) => {
    const { filtered } = await dedup([a, b], { threshold: 0.7, jaccard: 0.3 });
    expect(filtered).toHaveLength(1);
    expect(filtered[0]?.duplicateOf).toEqual({ position: 0 });
  });

  it("a paraphrase with the same numbers is still removed", async () => {
    const records = ["The contract ends on October 15th", "The contract will end on October 15th"];
    expect((await dedup(records, { threshold: 0.8, guards: ["numbers"] })).selected).toHaveLength(1);
  });
});
