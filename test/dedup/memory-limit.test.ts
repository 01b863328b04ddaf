/**
 * The bound on memory: what exceeds it is refused before it is there, and nothing that was there is lost.
 */
import { describe, expect, it } from "vitest";
import { dedup, Deduper } from "../../src/main.js";
import { failureOf, records, refuses } from "../support/refusal-table.js";

/** Every pair is near and differs in a number: all are kept, and every pair is a veto that the walk remembers. */
const template = Array.from(
  { length: 2500 },
  (_, n) => `This page is page number ${n} of the printed manual`,
);
const nearButVetoed = {
  methods: ["lexical"],
  jaccard: 0.3,
  guards: ["numbers"],
  duplicatesMax: 100_000,
} as const;
/** Enough for the records above, and far too little for three million vetoes. */
const memoryBytes = 3_000_000;

describe("a bound on memory", () => {
  refuses([
    {
      title: "that the records exceed",
      work: () => dedup(records, { memoryBytes: 1000 }),
      code: "MEMORY_LIMIT",
      details: { field: "memoryBytes", expected: "at most 1000 bytes" },
    },
    {
      title: "that the vectors exceed",
      work: () => dedup(records, { memoryBytes: 120_000 }),
      code: "MEMORY_LIMIT",
      details: { field: "memoryBytes" },
    },
    {
      title: "that the walk exceeds",
      work: () => dedup(template, { ...nearButVetoed, memoryBytes }),
      code: "MEMORY_LIMIT",
      details: { field: "memoryBytes" },
    },
  ]);

  it("that is enough changes nothing", async () => {
    expect((await dedup(["a", "a"], { memoryBytes: 1e9 })).selected).toEqual(["a"]);
    const [bounded, free] = await Promise.all(
      [{ memoryBytes: 1e9 }, {}].map(async (bound) => dedup(template, { ...nearButVetoed, ...bound })),
    );
    expect(bounded?.report.counts).toEqual(free?.report.counts);
  });

  it("would have let the records in whose walk exceeds it", async () => {
    expect((await dedup(template, { methods: ["exact"], memoryBytes })).selected).toHaveLength(
      template.length,
    );
    const { bytes } = (await dedup(template, nearButVetoed)).report;
    expect(bytes["batch"]).toBeLessThan(memoryBytes);
  });

  it("that a walk against a deduper exceeds leaves the deduper as it was", async () => {
    const deduper = await Deduper.from<string>(template, {
      methods: ["lexical"],
      jaccard: 0.3,
      memoryBytes,
    });
    const others = template.map((line) => `${line} 7`);
    const failure = await failureOf(() =>
      deduper.deduplicate(others, { guards: ["numbers"], duplicatesMax: 100_000, memoryBytes, add: true }),
    );
    expect(failure.code).toBe("MEMORY_LIMIT");
    expect(deduper.size).toBe(template.length);
    const result = await deduper.deduplicate(["something new", template[3] ?? ""], { add: true });
    expect(result.selected).toEqual(["something new"]);
    expect(result.filtered[0]?.duplicateOf).toEqual({ position: null, referencePosition: 3 });
    expect(deduper.size).toBe(template.length + 1);
    deduper.close();
  });

  it("that its own walk exceeds leaves the deduper as it was", async () => {
    const deduper = await Deduper.from<string>(template, {
      methods: ["lexical"],
      jaccard: 0.3,
      memoryBytes,
    });
    const options = { guards: ["numbers"], duplicatesMax: 100_000 } as const;
    expect((await failureOf(() => deduper.selfDeduplicate(options))).code).toBe("MEMORY_LIMIT");
    expect((await deduper.selfDeduplicate()).selected).toHaveLength(1);
    deduper.close();
  });
});
