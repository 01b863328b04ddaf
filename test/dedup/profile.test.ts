/**
 * The profile `document`: near-duplicates against the reference only, exact copies inside the batch too.
 */
import { describe, expect, it } from "vitest";
import { dedup } from "../../src/main.js";

describe("the profile document", () => {
  it("looks for near-duplicates in the reference only; exact copies inside a batch go", async () => {
    const options = { against: ["fitted text"], profile: "document" } as const;
    const result = await dedup(["new text one", "new text one!", "new text one", "fitted text"], options);
    expect([...result.selectedPositions]).toEqual([0, 1]);
    expect(result.filtered.map(({ duplicateOf }) => duplicateOf)).toEqual([
      { position: 0 },
      { position: null, referencePosition: 0 },
    ]);
  });

  it("looks inside the batch where there is no reference, by exact and semantic only, in no normal form", async () => {
    const { report, selected, filtered } = await dedup(["a", "a", "a "], { profile: "document" });
    expect(selected).toEqual(["a"]);
    expect(filtered.map(({ reason }) => reason)).toEqual(["exact", "semantic"]);
    expect(report.options["methods"]).toEqual(["exact", "semantic"]);
    expect(report.options["normalize"]).toBe("none");
  });
});
