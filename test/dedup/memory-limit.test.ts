/**
 * The bound on memory: what exceeds it is refused before it is there, and nothing that was there is lost.
 */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { dedup, dedupFile, Deduper } from "../../src/main.js";
import { failureOf, records, refuses } from "../support/refusal-table.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

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
      title: "that what is said of dropped records exceeds",
      work: () =>
        dedup(
          Array.from({ length: 200_000 }, () => "a"),
          { methods: ["exact"], memoryBytes: 2_000_000 },
        ),
      code: "MEMORY_LIMIT",
      details: { field: "memoryBytes" },
    },
    {
      title: "that what is said of the dropped records of a file exceeds",
      work: () =>
        dedupFile(new TemporaryFolder().write("in.txt", "a\n".repeat(1_000_000)), {
          methods: ["exact"],
          memoryBytes: 30_000_000,
        }),
      code: "MEMORY_LIMIT",
      details: { field: "memoryBytes" },
    },
    {
      title: "that one line of a file exceeds",
      work: () =>
        dedupFile(new TemporaryFolder().write("in.txt", `short\n${"a".repeat(30_000_000)}`), {
          methods: ["exact"],
          memoryBytes: 5_000_000,
        }),
      code: "MEMORY_LIMIT",
      details: { field: "memoryBytes", line: 2 },
    },
    {
      title: "that a packed line exceeds",
      work: () =>
        dedupFile(new TemporaryFolder().write("in.txt.gz", gzipSync(new Uint8Array(100_000_000))), {
          methods: ["exact"],
          memoryBytes: 50_000_000,
        }),
      code: "MEMORY_LIMIT",
      details: { field: "memoryBytes", line: 1 },
    },
    {
      title: "that a line of the reference exceeds",
      work: () => {
        const folder = new TemporaryFolder();
        const against = folder.write("old.txt", "a".repeat(30_000_000));
        return dedupFile(folder.write("in.txt", "a\n"), {
          methods: ["exact"],
          against,
          memoryBytes: 5_000_000,
        });
      },
      code: "MEMORY_LIMIT",
      details: { field: "memoryBytes", line: 1 },
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

  it("lets a file in that is larger, if its records are not", async () => {
    const path = new TemporaryFolder().write("in.txt", `${"a".repeat(100)}\n`.repeat(50_000));
    const result = await dedupFile(path, { methods: ["exact"], memoryBytes: 4_900_000 });
    expect(result.selectedCount).toBe(1);
    expect(result.report.bytes["input"]).toBeGreaterThan(4_900_000);
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
