/**
 * Vectors that the caller brings: row by row, or by an embedder.
 */
import { describe, expect, it } from "vitest";
import { dedup, Deduper, loadEmbedder } from "../../src/main.js";
import { summary } from "../support/decision-table.js";

describe("vectors in hand", () => {
  it("are used row by row; copies take the vector of the first", async () => {
    const data = Float32Array.of(1, 0, 0, 1, 0, 2, 3, 0.01, 5, 5);
    const records = ["a", "b", "b", "c", "d"];
    const result = await dedup(records, { embeddings: { data, dimension: 2 }, methods: ["semantic"] });
    expect(summary(result)).toEqual({ stay: [0, 1, 4], go: ["2 exact 1 1", "3 semantic 0 1"] });
    expect(result.report.options["embedder"]).toBe("caller");
  });

  it("belong to the embedder that is named beside them, which then embeds every batch", async () => {
    const embedder = await loadEmbedder("static-en");
    const fitted = ["the pump stops", "a red button"];
    const embeddings = { data: await embedder.embed(fitted), dimension: embedder.dimension };
    const byVectors = await Deduper.fromEmbeddings(embeddings, fitted, { embedder });
    const byTexts = await Deduper.from(fitted, { embedder });
    const batch = ["the pumps stop", "something else", "a red button"];
    const [one, other] = [await byVectors.deduplicate(batch), await byTexts.deduplicate(batch)];
    expect(one.filtered).toEqual(other.filtered);
    expect(one.filtered.length).toBeGreaterThan(0);
    expect(one.report.options["embedder"]).toBe(embedder.id);
  });

  it("reach a threshold of 1 when they point the same way exactly", async () => {
    const data = Float32Array.of(3, 4, 6, 8, -3, -4);
    const result = await dedup(["a", "b", "c"], { embeddings: { data, dimension: 2 }, threshold: 0.999_999 });
    expect([...result.selectedPositions]).toEqual([0, 2]);
  });
});

describe("a threshold of 1", () => {
  it("drops what points the same way, whatever rounding makes of the length", async () => {
    const records = Array.from({ length: 200 }, (_, index) => `word${index} of its own`);
    const dimension = 17;
    const row = Float32Array.from({ length: dimension }, (_, index) => Math.sin(index + 1) * 3);
    const data = new Float32Array(records.length * dimension);
    records.forEach((_, index) => {
      data.set(
        row.map((component) => component * (index + 1)),
        index * dimension,
      );
    });
    const { selected, filtered } = await dedup(records, {
      methods: ["semantic"],
      threshold: 1,
      embeddings: { data, dimension },
    });
    expect(selected).toEqual([records[0]]);
    expect(new Set(filtered.map(({ score }) => score))).toEqual(new Set([1]));
  });
});

describe("your own embedder", () => {
  it("sees each distinct normal form once, and its zero rows are compared with nothing", async () => {
    const seen: string[] = [];
    const embedder = {
      id: "by-length",
      dimension: 2,
      embed: (texts: readonly string[]): Promise<Float32Array> => {
        seen.push(...texts);
        return Promise.resolve(
          Float32Array.from(texts.flatMap((text) => (text === "zero" ? [0, 0] : [text.length, 1]))),
        );
      },
    };
    const result = await dedup(["zero", "abcdef", "abcdef", " abcdef", "ghijkl", "zero "], {
      embedder,
      methods: ["normalized", "semantic"],
    });
    expect(seen).toEqual(["zero", "abcdef", "ghijkl"]);
    expect(summary(result)).toEqual({
      stay: [0, 1],
      go: ["2 exact 1 1", "3 normalized 1 1", "4 semantic 1 1", "5 normalized 0 1"],
    });
    expect(result.report.limits).toEqual([
      "1 distinct texts have no vector and were not compared semantically.",
    ]);
  });
});

describe("half of a surrogate pair", () => {
  it.each([
    ["alone", "\ud83d", "\ufffd"],
    ["before text", "\ude00 ab", "\ufffd ab"],
    ["behind text", "ab \ud83d", "ab \ufffd"],
    ["twice", "\ude00\ud83d", "\ufffd\ufffd"],
    ["beside a whole pair", "\u{1f600}\ud83d", "\u{1f600}\ufffd"],
  ])("is one U+FFFD to an embedder of yours and to ours: %s", async (_, text, seen) => {
    const asked: string[] = [];
    const hash = await loadEmbedder("hash");
    const mine = {
      id: hash.id,
      dimension: hash.dimension,
      embed: (texts: readonly string[]): Promise<Float32Array> => {
        asked.push(...texts);
        return hash.embed(texts);
      },
    };
    const { filtered } = await dedup([text, seen], { embedder: mine, methods: ["semantic"] });
    expect(asked).toEqual([seen, seen]);
    expect(await hash.embed([text])).toEqual(await hash.embed([seen]));
    // Different texts to every method that compares bytes; one vector, where there is one.
    const ours = await dedup([text, seen], { embedder: "hash", methods: ["semantic"] });
    expect(ours.filtered).toEqual(filtered);
    expect(filtered.filter(({ reason }) => reason !== "semantic")).toEqual([]);
  });
});
