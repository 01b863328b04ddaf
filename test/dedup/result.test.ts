/**
 * What a result holds, and what can be asked of it without running again.
 */
import { describe, expect, it } from "vitest";
import type { DedupResult } from "../../src/main.js";
import { dedup, Deduper } from "../../src/main.js";
import { fox, TEXTUAL } from "../support/decision-table.js";

describe("a result", () => {
  it("is plain data: it survives structuredClone and JSON", async () => {
    const result = await dedup(["a", "a", "b"]);
    const clone = structuredClone(result) as unknown as Record<string, unknown>;
    expect(Object.keys(clone).sort()).toEqual(
      [
        "columns",
        "duplicateRatio",
        "exactDuplicateRatio",
        "filtered",
        "report",
        "selected",
        "selectedPositions",
        "threshold",
        "vetoed",
      ].sort(),
    );
    expect(clone["selected"]).toEqual(["a", "b"]);
    const read = JSON.parse(JSON.stringify(result)) as typeof result;
    expect(read.filtered).toEqual(result.filtered);
    expect(read.selectedPositions).toEqual([...result.selectedPositions]);
  });

  it("is not changed by what a caller does to its positions", async () => {
    const result = await dedup(["a", "a", "b"]);
    result.selectedPositions.fill(99);
    expect(result.selected).toEqual(["a", "b"]);
  });

  it("has ratios over all records", async () => {
    const result = await dedup(["a", "a", "a ", "b"], { methods: ["normalized"] });
    expect(result.duplicateRatio).toBe(2 / 4);
    expect(result.exactDuplicateRatio).toBe(1 / 4);
  });

  it("lists the least similar near-duplicates, worst first", async () => {
    const records = [fox, `${fox} today`, `${fox} today again`, "other", "other"];
    const result = await dedup(records, { methods: TEXTUAL });
    const least = result.leastSimilar(5).map(({ position, score }) => [position, Number(score.toFixed(3))]);
    expect(least).toEqual([
      [2, 0.846],
      [1, 0.917],
    ]);
    expect(result.leastSimilar(1)).toHaveLength(1);
    expect(result.leastSimilar(0)).toEqual([]);
  });

  it("has a histogram from the floor to 1 that shows what lies below the threshold", async () => {
    const records = [
      "the cat sat on the mat",
      "a cat sat on a mat",
      "stock prices fell sharply",
      "mat on the sat cat the",
    ];
    const wide = await dedup(records, { methods: ["semantic"], threshold: 0.99, floor: 0.5 });
    const bins = wide.histogram(5);
    expect(bins[0]?.from).toBe(0.5);
    expect(bins.at(-1)?.to).toBe(1);
    bins.slice(1).forEach((bin, index) => {
      expect(bin.from).toBeCloseTo(bins[index]?.to ?? -1, 12);
    });
    // One dropped (the same words), one kept with a neighbour between floor and threshold.
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    const narrow = await dedup(records, { methods: ["semantic"], threshold: 0.99 });
    expect(narrow.histogram(5).reduce((sum, { count }) => sum + count, 0)).toBe(1);
  });

  describe("of lexical and semantic copies", () => {
    const copies = [
      fox,
      `${fox} today`,
      "dog bites man",
      "man bites dog",
      "the cat sat on the mat",
      "a cat sat on a mat",
    ];
    const mixed = (): Promise<DedupResult<string>> => dedup(copies, { threshold: 0.99, floor: 0.5 });

    it.each([
      { reason: undefined, positions: [1, 3] },
      { reason: "lexical" as const, positions: [1] },
      { reason: "semantic" as const, positions: [3] },
    ])("lists the least similar for $reason", async ({ reason, positions }) => {
      const least = (await mixed()).leastSimilar(10, reason);
      expect(least.map(({ position }) => position).toSorted()).toEqual(positions);
    });

    it.each([
      { reason: undefined, from: 0.5, counts: 2 },
      { reason: "semantic" as const, from: 0.5, counts: 2 },
      { reason: "lexical" as const, from: 0.8, counts: 1 },
    ])(
      "has a histogram for $reason from $from to 1, and no other score in it",
      async ({ reason, from, counts }) => {
        const bins = (await mixed()).histogram(4, reason);
        expect([bins[0]?.from, bins.at(-1)?.to]).toEqual([from, 1]);
        expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(counts);
      },
    );
  });

  it("that was walked again reports the seconds of that walk alone", async () => {
    const { report } = (await dedup(["the cat sat on the mat", "a cat"])).rethreshold(0.95);
    expect(Object.keys(report.seconds)).toEqual([
      "order",
      "lexical",
      "semantic",
      "resolve",
      "spell",
      "total",
    ]);
    const { total = 0, ...steps } = report.seconds;
    expect(total).toBeCloseTo(
      Object.values(steps).reduce((sum, step) => sum + step, 0),
      12,
    );
  });

  it("is walked again upwards, and down to the floor, but not below it", async () => {
    const records = ["the cat sat on the mat", "a cat sat on a mat", "mat on the sat cat the"];
    const result = await dedup(records, { methods: ["semantic"], threshold: 0.95, floor: 0.5 });
    expect(result.rethreshold(0.5).selected).toHaveLength(1);
    expect(result.rethreshold(1).threshold).toBe(1);
    expect(() => result.rethreshold(0.4)).toThrow(
      expect.objectContaining({
        code: "THRESHOLD_BELOW_FLOOR",
        details: expect.objectContaining({ field: "threshold" }) as object,
      }),
    );
  });
});

describe("a closed result", () => {
  const results = {
    "of dedup": () => dedup(["a", "a", "b"]),
    "of a deduper": async () => (await Deduper.from<string>(["x"])).deduplicate(["a", "a", "b"]),
    "of a deduper about itself": async () => (await Deduper.from<string>(["a", "a", "b"])).selfDeduplicate(),
  };
  describe.each(Object.entries(results))("%s", (_, make) => {
    it("stays readable and is not walked again, nor are those that it gave", async () => {
      const result = await make();
      const stricter = result.rethreshold(0.95);
      result.close();
      result.close();
      for (const closed of [result, stricter]) {
        expect(closed.selected).toEqual(["a", "b"]);
        expect(closed.filtered.map(({ reason }) => reason)).toEqual(["exact"]);
        expect(closed.selectedWithDuplicates()).toHaveLength(2);
        expect(() => closed.rethreshold(0.96)).toThrow(expect.objectContaining({ code: "CLOSED" }));
      }
    });

    it("is closed at the end of a block for `await using`", async () => {
      const result = await make();
      await result[Symbol.asyncDispose]();
      expect(() => result.rethreshold(0.95)).toThrow(expect.objectContaining({ code: "CLOSED" }));
    });
  });

  it("leaves the deduper and its other results alone", async () => {
    const deduper = await Deduper.from<string>(["a"]);
    const [first, second] = [await deduper.selfDeduplicate(), await deduper.deduplicate(["a", "b"])];
    first.close();
    expect(second.rethreshold(0.95).selected).toEqual(["b"]);
    second.close();
    expect((await deduper.selfDeduplicate()).rethreshold(0.95).selected).toEqual(["a"]);
    deduper.close();
  });
});
