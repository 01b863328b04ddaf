/**
 * The end of a deduper, while its calls run.
 */
import { describe, expect, it } from "vitest";
import type { TextRecord } from "../../src/main.js";
import { dedup, Deduper } from "../../src/main.js";
import { failureOf } from "../support/refusal-table.js";

describe("close", () => {
  const calls = {
    deduplicate: (deduper: Deduper<TextRecord>, lines: TextRecord[]) =>
      deduper.deduplicate(lines, { threads: 1 }),
    selfDeduplicate: (deduper: Deduper<TextRecord>) => deduper.selfDeduplicate({ threads: 1 }),
    filterOutliers: (deduper: Deduper<TextRecord>) => deduper.filterOutliers({ threads: 1 }),
    findRepresentative: (deduper: Deduper<TextRecord>) => deduper.findRepresentative({ threads: 1 }),
  };
  it.each(Object.keys(calls) as Array<keyof typeof calls>)("ends a %s that runs", async (call) => {
    const lines = Array.from({ length: 12_000 }, (_, n) => `page ${n * 7919} of manual ${n % 977}`);
    const deduper = await Deduper.from<TextRecord>(lines, { methods: ["semantic"], embedder: "hash" });
    const others = lines.map((line) => `${line}, revised`);
    const failure = failureOf(() => calls[call](deduper, others));
    await new Promise((resolve) => setTimeout(resolve, 30));
    deduper.close();
    expect((await failure).code).toBe("CLOSED");
  });

  it("inside onProgress ends the call", async () => {
    const lines = Array.from({ length: 12_000 }, (_, n) => `page ${n * 7919} of manual ${n % 977}`);
    const deduper = await Deduper.from<TextRecord>(lines, { methods: ["semantic"], embedder: "hash" });
    const onProgress = (): void => {
      deduper.close();
    };
    const failure = await failureOf(() => deduper.selfDeduplicate({ onProgress, threads: 1 }));
    expect(failure.code).toBe("CLOSED");
  });
});

describe("await using", () => {
  it("waits for calls that have begun, also while their records come in", async () => {
    async function* slow(): AsyncGenerator<string> {
      for (const text of ["a", "b"]) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        yield text;
      }
    }
    const deduper = await Deduper.from<string>(["a"]);
    const result = deduper.deduplicate(slow());
    await deduper[Symbol.asyncDispose]();
    expect((await result).selected).toEqual(["b"]);
    expect((await failureOf(() => deduper.deduplicate(["c"]))).code).toBe("CLOSED");
  });
});

describe("a result against records", () => {
  it("holds the reference that was fitted for it until it is closed", async () => {
    const result = await dedup(["the pump stops", "a red button"], { against: ["the pump stops."] });
    const again = result.rethreshold(0.95);
    result.close();
    expect((await failureOf(() => again.rethreshold(0.97))).code).toBe("CLOSED");
    expect(result.selected).toEqual(["a red button"]);
  });
});
