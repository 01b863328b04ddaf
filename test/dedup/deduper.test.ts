/**
 * A fitted reference: batches against it, its own copies, growth, order of calls, and the end of its life.
 */
import { afterEach, describe, expect, it } from "vitest";
import type { TextRecord } from "../../src/main.js";
import { dedup, Deduper, loadEmbedder } from "../../src/main.js";
import { decisionOf, stableJson } from "../support/decision.js";
import { readEtcd } from "../support/etcd.js";

const TEXTUAL = { methods: ["exact", "normalized", "lexical"] } as const;
const open: Array<Deduper<never>> = [];

/** A deduper that is closed after the test. */
async function fitted<T extends TextRecord>(
  records: readonly T[],
  options: Parameters<typeof Deduper.from>[1] = {},
): Promise<Deduper<T>> {
  const deduper = await Deduper.from(records, options);
  open.push(deduper as unknown as Deduper<never>);
  return deduper;
}

afterEach(() => {
  for (const deduper of open.splice(0)) deduper.close();
});

describe("a batch against a reference", () => {
  it("names the witness by its place in the reference, with its id", async () => {
    const reference = [
      { id: "r0", text: "zero" },
      { id: "r1", text: "the quick brown fox jumps over the lazy dog" },
    ];
    const deduper = await fitted(reference);
    const result = await deduper.deduplicate([
      { id: "b0", text: "the quick brown fox jumps over the lazy dog today" },
      { id: "b1", text: "something new under the sun" },
      { id: "b2", text: "zero" },
    ]);
    expect(result.selected.map(({ id }) => id)).toEqual(["b1"]);
    expect(result.filtered.map(({ id, reason, duplicateOf }) => ({ id, reason, duplicateOf }))).toEqual([
      {
        id: "b0",
        reason: "lexical",
        duplicateOf: { position: null, referencePosition: 1, referenceId: "r1" },
      },
      { id: "b2", reason: "exact", duplicateOf: { position: null, referencePosition: 0, referenceId: "r0" } },
    ]);
    expect(result.filtered[0]?.duplicates[0]?.record).toBe(reference[1]);
  });

  it("finds copies inside the batch too, and prefers a witness in the reference", async () => {
    const deduper = await fitted<string>(["known text"], TEXTUAL);
    const result = await deduper.deduplicate(["new text", "new text", "known text", "known  text"]);
    expect([...result.selectedPositions]).toEqual([0]);
    expect(result.filtered.map(({ reason, duplicateOf }) => [reason, duplicateOf])).toEqual([
      ["exact", { position: 0 }],
      ["exact", { position: null, referencePosition: 0 }],
      ["normalized", { position: null, referencePosition: 0 }],
    ]);
  });

  it("groups only what the batch itself kept", async () => {
    const deduper = await fitted<string>(["known"], TEXTUAL);
    const result = await deduper.deduplicate(["new", "new", "known"]);
    expect(result.selectedWithDuplicates()).toEqual([
      { record: "new", duplicates: [{ record: "new", score: 1 }] },
    ]);
  });

  it("leaves the reference as it is without add", async () => {
    const deduper = await fitted<string>(["a"], TEXTUAL);
    await deduper.deduplicate(["b"]);
    expect(deduper.size).toBe(1);
    expect((await deduper.deduplicate(["b"])).selected).toEqual(["b"]);
  });

  it("with add remembers what was selected, and only that", async () => {
    const deduper = await fitted<string>(["a"], TEXTUAL);
    await deduper.deduplicate(["b", "b", "a"], { add: true });
    expect(deduper.size).toBe(2);
    const { filtered } = await deduper.deduplicate(["b"]);
    expect(filtered[0]?.duplicateOf).toEqual({ position: null, referencePosition: 1 });
  });

  it("may change thresholds, guards and keep from batch to batch", async () => {
    const deduper = await fitted<string>(["order 1001 costs 25 dollars in total"]);
    const batch = ["order 1002 costs 95 dollars in total"];
    expect((await deduper.deduplicate(batch)).selected).toHaveLength(0);
    expect((await deduper.deduplicate(batch, { guards: ["numbers"] })).selected).toHaveLength(1);
    expect((await deduper.deduplicate(batch, { threshold: 0.999 })).selected).toHaveLength(1);
  });

  it("may ask for what the fit did not: guards, the longest, the highest, the profile document", async () => {
    const reference = ["the order 25 has arrived at the door today"];
    const against = async (): Promise<Deduper<TextRecord>> => fitted<TextRecord>(reference, TEXTUAL);
    const other = "the order 25 has arrived at the door today 26";
    const options = { jaccard: 0.8 };
    expect(
      (await (await against()).deduplicate([other], { ...options, guards: ["numbers"] })).vetoed,
    ).toHaveLength(1);
    const longest = await (
      await against()
    ).deduplicate(["new text", "new  text"], { keep: "longest", add: true });
    expect(longest.selected).toEqual(["new  text"]);
    const rows = [
      { text: "new text", rank: 1 },
      { text: "new text", rank: 2 },
    ];
    const highest = await (await against()).deduplicate(rows, { keep: { field: "rank", prefer: "highest" } });
    expect(highest.selected).toEqual([rows[1]]);
    const both = await (await against()).deduplicate(["new text", "new text!"], { profile: "document" });
    expect(both.selected).toHaveLength(2);
  });

  it("may be rethresholded while the reference stays", async () => {
    const deduper = await fitted<string>(["the cat sat on the mat"]);
    const result = await deduper.deduplicate(["a cat sat on a mat"], { threshold: 0.99, floor: 0.5 });
    expect(result.selected).toHaveLength(1);
    expect(result.rethreshold(0.5).selected).toHaveLength(0);
  });

  it("is what dedup does with `against`: a deduper, a list or a stream", async () => {
    const reference = ["known text", "another known text"];
    const batch = ["new text", "known  text", "new text"];
    async function* streamed(): AsyncGenerator<string> {
      for (const text of reference) yield await Promise.resolve(text);
    }
    const expected = decisionOf(await (await fitted<string>(reference)).deduplicate(batch));
    for (const against of [await fitted<string>(reference), reference, streamed()]) {
      expect(decisionOf(await dedup<string>(batch, { against }))).toEqual(expected);
    }
  });
});

describe("the reference itself", () => {
  it("is deduplicated as dedup would have, on real text", async () => {
    const passages = readEtcd().slice(0, 3000);
    const embedder = await loadEmbedder("static-en");
    const deduper = await fitted(passages, { embedder });
    const self = await deduper.selfDeduplicate();
    expect(decisionOf(self)).toEqual(decisionOf(await dedup(passages, { embedder })));
    expect(self.report.counts["records"]).toBe(3000);
    expect(deduper.size).toBe(3000);
  });

  it("is deduplicated by any policy that the fit prepared", async () => {
    const rows = [
      { text: "a b c", rank: 1 },
      { text: "a b  c", rank: 2 },
    ];
    const highest = { field: "rank", prefer: "highest" } as const;
    expect((await (await fitted(rows)).selfDeduplicate({ keep: "longest" })).selected).toEqual([rows[1]]);
    const ranked = await fitted(rows, { keep: highest });
    expect((await ranked.selfDeduplicate()).selected).toEqual([rows[1]]);
    expect((await ranked.selfDeduplicate({ keep: "first" })).selected).toEqual([rows[0]]);
    await expect((await fitted(rows)).selfDeduplicate({ keep: highest })).rejects.toMatchObject({
      code: "OPTION_INVALID",
      details: { field: "keep", received: "rank" },
    });
  });

  it("holds what was added, copies included", async () => {
    const deduper = await fitted<string>(["a"], TEXTUAL);
    expect(await deduper.add(["a", "b", "b "])).toEqual({ added: 3, items: 4 });
    const self = await deduper.selfDeduplicate();
    expect(self.filtered.map(({ position, reason }) => [position, reason])).toEqual([
      [1, "exact"],
      [3, "normalized"],
    ]);
  });

  it("may be empty at first", async () => {
    const deduper = await fitted<string>([]);
    expect((await deduper.deduplicate(["a", "a"], { add: true })).selected).toEqual(["a"]);
    expect((await deduper.deduplicate(["a"])).selected).toEqual([]);
    expect(deduper.size).toBe(1);
  });

  it("grows with vectors: a text added later is found semantically", async () => {
    const deduper = await fitted<string>(["stock prices fell sharply"]);
    await deduper.add(["dog bites man"]);
    const { filtered } = await deduper.deduplicate(["man bites dog"]);
    expect(filtered[0]).toMatchObject({ reason: "semantic", duplicateOf: { referencePosition: 1 } });
    expect((await deduper.selfDeduplicate({ threshold: 0.1 })).report.counts["records"]).toBe(2);
  });
});

describe("fromEmbeddings", () => {
  it("compares vectors with vectors", async () => {
    const vectors = (data: readonly number[]): { data: Float32Array; dimension: number } => ({
      data: Float32Array.from(data),
      dimension: 2,
    });
    const deduper = await Deduper.fromEmbeddings<string>(vectors([1, 0, 0, 1]), ["east", "north"]);
    const result = await deduper.deduplicate(["up", "diagonal"], { embeddings: vectors([0.01, 3, 1, 1]) });
    expect(result.selected).toEqual(["diagonal"]);
    expect(result.filtered[0]?.duplicateOf).toEqual({ position: null, referencePosition: 1 });
    expect(await deduper.add(["west"], { embeddings: vectors([-1, 0]) })).toEqual({ added: 1, items: 3 });
    const again = await deduper.deduplicate(["left"], { embeddings: vectors([-2, 0]) });
    expect(again.filtered[0]?.duplicateOf).toEqual({ position: null, referencePosition: 2 });
    deduper.close();
  });
});

describe("many calls at once", () => {
  it("with add equal some sequential order: no text is selected twice", async () => {
    const deduper = await fitted<string>([], TEXTUAL);
    const batches = Array.from({ length: 20 }, (_, b) =>
      Array.from({ length: 10 }, (__, n) => `text number ${(b * 7 + n * 3) % 40}`),
    );
    const results = await Promise.all(
      batches.map(async (batch) => deduper.deduplicate(batch, { add: true })),
    );
    const selected = results.flatMap((result) => result.selected);
    expect(new Set(selected).size).toBe(selected.length);
    expect(new Set(selected)).toEqual(new Set(batches.flat()));
    expect(deduper.size).toBe(selected.length);
  });

  it("in the order in which they were made, when all read equally fast", async () => {
    const batches = Array.from({ length: 8 }, (_, b) => [`shared text`, `own text of ${b}`]);
    const [together, oneByOne] = [await fitted<string>([], TEXTUAL), await fitted<string>([], TEXTUAL)];
    const atOnce = await Promise.all(
      batches.map(async (batch) => together.deduplicate(batch, { add: true })),
    );
    for (const [index, batch] of batches.entries()) {
      const alone = await oneByOne.deduplicate(batch, { add: true });
      expect(atOnce[index]?.selected).toEqual(alone.selected);
    }
  });

  it("of reads give one answer each", async () => {
    const deduper = await fitted<string>(["a", "b", "c"]);
    const results = await Promise.all(
      Array.from({ length: 10 }, async () => deduper.deduplicate(["b", "d", "d"])),
    );
    expect(new Set(results.map(stableJson)).size).toBe(1);
  });

  it("go on after one of them failed", async () => {
    const deduper = await fitted<string>(["a"], TEXTUAL);
    const [failed, good] = await Promise.allSettled([
      deduper.deduplicate([null as never], { add: true }),
      deduper.deduplicate(["b"], { add: true }),
    ]);
    expect(failed.status).toBe("rejected");
    expect(good.status).toBe("fulfilled");
    expect(deduper.size).toBe(2);
  });
});

describe("the end", () => {
  it("may come twice", async () => {
    const deduper = await fitted<string>(["a"], TEXTUAL);
    deduper.close();
    expect(() => {
      deduper.close();
    }).not.toThrow();
  });

  it("comes with the block for `await using`, after work that is under way", async () => {
    const deduper = await Deduper.from<string>(["a"], TEXTUAL);
    const work = deduper.deduplicate(["b"]);
    // Let the batch reach the queue.
    await new Promise((resolve) => setTimeout(resolve, 20));
    await deduper[Symbol.asyncDispose]();
    expect((await work).selected).toEqual(["b"]);
    await expect(deduper.deduplicate(["b"])).rejects.toMatchObject({ code: "CLOSED" });
  });

  it("leaves results that were made before readable", async () => {
    const deduper = await fitted<string>(["a"], TEXTUAL);
    const result = await deduper.deduplicate(["a", "b"]);
    deduper.close();
    expect(result.selected).toEqual(["b"]);
    expect(result.filtered[0]?.duplicates).toEqual([{ record: "a", score: 1 }]);
    expect(() => result.rethreshold(0.95)).toThrow(expect.objectContaining({ code: "CLOSED" }));
  });
});
