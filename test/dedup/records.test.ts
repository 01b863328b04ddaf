/**
 * What records may be, how they may come, and that they come out as they went in.
 */
import { describe, expect, it } from "vitest";
import type { TextRecord } from "../../src/main.js";
import { dedup } from "../../src/main.js";
import { TEXTUAL, summary } from "../support/decision-table.js";

describe("records", () => {
  it("strings in, strings out, also when all are exact copies", async () => {
    const { selected, filtered, selectedWithDuplicates } = await dedup(["a", "a", "a"]).then((result) => ({
      selected: result.selected,
      filtered: result.filtered,
      selectedWithDuplicates: result.selectedWithDuplicates(),
    }));
    expect(selected).toEqual(["a"]);
    expect(filtered.map(({ record }) => record)).toEqual(["a", "a"]);
    expect(selectedWithDuplicates).toEqual([
      {
        record: "a",
        duplicates: [
          { record: "a", score: 1 },
          { record: "a", score: 1 },
        ],
      },
    ]);
  });

  it("objects in, the same objects out", async () => {
    const records = [
      { text: "a", n: 1 },
      { text: "a", n: 2 },
    ];
    const result = await dedup(records);
    expect(result.selected[0]).toBe(records[0]);
    expect(result.filtered[0]?.record).toBe(records[1]);
    expect(result.filtered[0]?.duplicates[0]?.record).toBe(records[0]);
  });

  it("strings and objects may be mixed", async () => {
    const result = await dedup<TextRecord>(["a", { text: "a" }]);
    expect(summary(result)).toEqual({ stay: [0], go: ["1 exact 0 1"] });
  });

  const list = ["x", "y", "x"];
  function* generated(): Generator<string> {
    yield* list;
  }
  async function* awaited(): AsyncGenerator<string> {
    for (const text of list) yield await Promise.resolve(text);
  }
  it.each([
    ["an array", (): Iterable<string> => list],
    ["a generator", generated],
    ["an async generator", awaited],
    ["an iterator of a map", (): Iterable<string> => new Map(list.map((text, key) => [key, text])).values()],
  ])("may come as %s", async (_, source) => {
    expect(summary(await dedup(source()))).toEqual({ stay: [0, 1], go: ["2 exact 0 1"] });
  });

  it("are compared in the chosen columns, as a tuple", async () => {
    const records = [
      { q: "a", a: "b" },
      { q: "ab", a: "" },
      { q: "a", a: "b" },
      { q: "a\nb", a: "" },
    ];
    const result = await dedup(records, { columns: ["q", "a"], methods: ["normalized"] });
    expect(summary(result)).toEqual({ stay: [0, 1, 3], go: ["2 exact 0 1"] });
    expect(result.columns).toEqual(["q", "a"]);
  });

  it("have each column embedded apart", async () => {
    const records = [
      { q: "where is the station", a: "turn left at the corner" },
      { q: "turn left at the corner", a: "where is the station" },
      { q: "where is the station", a: "turn left at the corner!" },
    ];
    const result = await dedup(records, { columns: ["q", "a"], methods: ["semantic"] });
    expect([...result.selectedPositions]).toEqual([0, 1]);
    expect(result.report.options["dimension"]).toBe(512);
  });

  it.each([
    ["the default field", {}, ["7", undefined], "7"],
    ["a chosen field", { id: "key" }, ["k0", "k1"], "k0"],
  ])("have an id from %s", async (_, options, [first, second], witness) => {
    const records = [
      { id: 7, key: "k0", text: "a" },
      { id: null, key: "k1", text: "a" },
    ];
    const { filtered } = await dedup(records, options);
    expect(filtered[0]?.id).toBe(second);
    expect(filtered[0]?.duplicateOf).toEqual({ position: 0, id: witness });
    expect(witness).toBe(first);
  });

  it("with lone surrogates stay different, and equal ones are copies", async () => {
    const result = await dedup(["\ud83d", "\ude00", "\ud83d", "a\ud83d", "\ufffd"], {
      methods: ["normalized"],
    });
    expect(summary(result)).toEqual({ stay: [0, 1, 3, 4], go: ["2 exact 0 1"] });
  });

  it("may be none", async () => {
    const result = await dedup<string>([]);
    expect(result.selected).toEqual([]);
    expect(result.filtered).toEqual([]);
    expect(result.duplicateRatio).toBe(0);
    expect(result.exactDuplicateRatio).toBe(0);
    expect(result.histogram().reduce((sum, { count }) => sum + count, 0)).toBe(0);
    expect(result.rethreshold(0.95).selected).toEqual([]);
  });

  it("may be one enormous text", async () => {
    const long = "word ".repeat(400_000);
    const result = await dedup([long, `${long}  `, "short"], { methods: TEXTUAL });
    expect(summary(result)).toEqual({ stay: [0, 2], go: ["1 normalized 0 1"] });
  });

  it("may be a hundred thousand lines of one template", async () => {
    const lines = Array.from(
      { length: 100_000 },
      (_, n) => `This page is page number ${n} of the printed manual`,
    );
    const { selectedPositions, report } = await dedup(lines, { methods: TEXTUAL, jaccard: 0.3 });
    expect([...selectedPositions]).toEqual([0]);
    expect(report.counts["lexical"]).toBe(99_999);
    expect(report.limits).toEqual([]);
  });
});
