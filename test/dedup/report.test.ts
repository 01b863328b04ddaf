/**
 * The numbers of a run, and the sentences about every bound that bit.
 */
import { describe, expect, it } from "vitest";
import type { StageReport } from "../../src/main.js";
import { dedup, dedupFile, Deduper } from "../../src/main.js";
import { TEXTUAL } from "../support/decision-table.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

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

describe("a report about a batch against a reference", () => {
  const tibetan = "\u0f56\u0f7c\u0f51\u0f0b\u0f61\u0f72\u0f42";
  const strange = [tibetan, "\u{1f600}", "\u{1f600}\u{1f601} \u{1f602}"];
  const batch = ["plain English words"];
  interface Way {
    readonly title: string;
    readonly fits: "in the call" | "before";
    readonly report: () => Promise<StageReport>;
  }
  const ways: readonly Way[] = [
    {
      title: "records",
      fits: "in the call",
      report: async () => (await dedup(batch, { against: strange })).report,
    },
    {
      title: "a file",
      fits: "in the call",
      report: async () => {
        const folder = new TemporaryFolder();
        const [input, against] = [batch, strange].map((texts, n) =>
          folder.write(`${n}.jsonl`, texts.map((text) => `${JSON.stringify({ text })}\n`).join("")),
        );
        const result = await dedupFile(input ?? "", { against });
        result.close();
        return result.report;
      },
    },
    {
      title: "a Deduper",
      fits: "before",
      report: async () => (await (await Deduper.from(strange)).deduplicate(batch)).report,
    },
    {
      title: "a Deduper that was added to",
      fits: "before",
      report: async () => {
        const deduper = await Deduper.from<string>([]);
        await deduper.add(strange);
        return (await dedup(batch, { against: deduper })).report;
      },
    },
    {
      title: "a Deduper that selected texts were added to",
      fits: "before",
      report: async () => {
        const deduper = await Deduper.from<string>([]);
        await deduper.deduplicate(strange, { add: true });
        return (await deduper.deduplicate(batch)).report;
      },
    },
  ];
  it.each(ways)("tells what the embedder made of $title", async ({ fits, report }) => {
    const { counts, seconds, limits } = await report();
    const { reference_tokens: tokens = 0, reference_unknown_tokens: unknown = 0 } = counts;
    expect(counts).toMatchObject({ reference_records: 3, without_vector: 0, unknown_tokens: 0 });
    expect(counts["reference_without_vector"]).toBe(2);
    expect(unknown).toBeGreaterThan(0);
    expect(unknown).toBeLessThanOrEqual(tokens);
    expect(limits).toEqual([
      "2 distinct texts of the reference have no vector and were not compared semantically.",
      expect.stringMatching(/^The embedder does not know \d+ % of the tokens of the reference: /),
    ]);
    const { total = 0, ...steps } = seconds;
    expect("reference" in steps).toBe(fits === "in the call");
    expect(total).toBeCloseTo(
      Object.values(steps).reduce((sum, step) => sum + step, 0),
      12,
    );
  });

  it("says nothing of vectors that nobody compares", async () => {
    const { counts, limits } = (await dedup(batch, { against: strange, methods: TEXTUAL })).report;
    expect(Object.keys(counts).filter((name) => name.startsWith("reference"))).toEqual(["reference_records"]);
    expect(limits).toEqual([]);
  });

  it("speaks of the items as of a batch where they are one", async () => {
    const deduper = await Deduper.from(strange);
    const self = (await deduper.selfDeduplicate()).report;
    expect(self.limits.join()).toMatch(/know \d+ % of the tokens: /);
    expect(self.options["embedder"]).toMatch(/^static-en/);
    for (const { report } of [await deduper.filterOutliers(), await deduper.findRepresentative()]) {
      expect(report.limits.join()).toMatch(/know \d+ % of the tokens of the reference: /);
    }
  });
});

describe("a field of ids that was asked for", () => {
  const records = [
    { id: 1, text: "a" },
    { id: 2, text: "b" },
  ];
  it.each([
    {
      title: "no record has",
      input: records,
      id: "nope",
      told: ["No record has the field nope, so that none has an id."],
    },
    { title: "one record has", input: [...records, { nope: 3, text: "c" }], id: "nope", told: [] },
    { title: "nobody needs: there are no records", input: [], id: "nope", told: [] },
    { title: "is the default", input: [{ text: "a" }], id: undefined, told: [] },
  ])("and that $title is told as it should be, from memory and from a file", async ({ input, id, told }) => {
    const options = { methods: ["exact"] as const, id };
    expect((await dedup(input, options)).report.limits).toEqual(told);
    const lines = input.map((record) => `${JSON.stringify(record)}\n`).join("");
    const path = new TemporaryFolder().write("in.jsonl", lines);
    const result = await dedupFile(path, options);
    expect(result.report.limits).toEqual(told);
    const against = await dedupFile(path, { ...options, against: path });
    expect(against.report.limits).toEqual(
      told.flatMap((line) => [line, line.replace("record", "item of the reference")]),
    );
    result.close();
    against.close();
  });
});
