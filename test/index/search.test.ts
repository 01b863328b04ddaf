/**
 * What a user does with an index: build, ask, add, remove, save, load, rebuild.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Index, registerBackend } from "../../src/main.js";

interface Note {
  readonly title: string;
  readonly lang: string;
}

const notes: readonly Note[] = [
  { title: "east", lang: "en" },
  { title: "north-east", lang: "de" },
  { title: "north", lang: "en" },
  { title: "west", lang: "en" },
];
const compass = Float32Array.of(1, 0, 0.6, 0.8, 0, 2, -3, 0);
const east = Float32Array.of(2, 0);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-index-"));
});
afterAll(() => rm(folder, { recursive: true }));

function build(metric: "cosine" | "dot" | "l2" = "cosine", backend = "flat"): Promise<Index<Note>> {
  return Index.fromVectorsAndItems<Note, string>(compass, notes, backend, { dimension: 2, metric });
}

const titles = (result: Awaited<ReturnType<Index<Note>["queryTopK"]>>): string[][] =>
  result.results.map((hits) => hits.map((hit) => hit.item.title));

describe("a query", () => {
  it("gives the best items first, by cosine", async () => {
    await using index = await build();
    const result = await index.queryTopK(east, 3);
    expect(titles(result)).toEqual([["east", "north-east", "north"]]);
    expect(result.results[0]?.map((hit) => hit.score.toFixed(6))).toEqual([
      "1.000000",
      "0.600000",
      "0.000000",
    ]);
  });

  it("has scores in the natural unit of the metric, and a distance only for l2", async () => {
    await using dot = await build("dot");
    expect((await dot.queryTopK(east, 1)).results[0]?.[0]).toEqual({ position: 0, item: notes[0], score: 2 });
    await using l2 = await build("l2");
    const [hit] = (await l2.queryTopK(east, 1)).results[0] ?? [];
    expect(hit).toEqual({ position: 0, item: notes[0], score: -1, distance: 1 });
  });

  it("is one of several in an array, each answered by itself", async () => {
    await using index = await build();
    const result = await index.queryTopK([east, Float32Array.of(-1, 0)], 1);
    expect(titles(result)).toEqual([["east"], ["west"]]);
    expect(titles(await index.queryTopK([], 1))).toEqual([]);
  });

  it("gives every item at or above a threshold", async () => {
    await using index = await build("dot");
    expect(titles(await index.queryThreshold(east, 1.2))).toEqual([["east", "north-east"]]);
    expect(titles(await index.queryThreshold(east, -Infinity))[0]).toHaveLength(4);
  });

  it("says which way it went and how many items matched", async () => {
    await using index = await build();
    expect(await index.queryTopK(east, 1)).toMatchObject({ strategy: "exact", matching: 4 });
    const filtered = await index.queryTopK(east, 5, { filter: { lang: "en" } });
    expect(titles(filtered)).toEqual([["east", "north", "west"]]);
    expect(filtered).toMatchObject({
      strategy: "exact-subset",
      matching: 3,
      report: { stage: "search", counts: { queries: 1, matching: 3, hits: 3 }, limits: [] },
    });
  });

  it("survives structuredClone and JSON", async () => {
    await using index = await build();
    const result = await index.queryTopK(east, 2);
    expect(structuredClone(result)).toEqual(result);
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  it("needs no item to be an object", async () => {
    await using index = await Index.fromVectorsAndItems(compass, ["a", 2, null, undefined], "flat", {
      dimension: 2,
    });
    expect((await index.queryTopK(east, 4)).results[0]?.map((hit) => hit.item)).toEqual([
      "a",
      2,
      null,
      undefined,
    ]);
    expect((await index.queryTopK(east, 4, { filter: { lang: "en" } })).results).toEqual([[]]);
  });
});

describe("adding, removing and rebuilding", () => {
  it("positions count on and are never used again", async () => {
    await using index = await build();
    expect(await index.remove([1, 3, 3, 77])).toBe(2);
    expect(index.info()).toMatchObject({ items: 2, removed: 2 });
    expect(await index.add(Float32Array.of(5, 0.1), [{ title: "east too", lang: "fr" }])).toEqual([4]);
    expect(titles(await index.queryTopK(east, 9))).toEqual([["east", "east too", "north"]]);
  });

  it.each(["flat", "reversed"])(
    "a rebuild over %s closes the gaps and keeps positions and scores",
    async (backend) => {
      await using index = await build();
      await index.remove([0, 2]);
      const before = await index.queryTopK(east, 9);
      await index.rebuild(backend, {});
      const after = await index.queryTopK(east, 9);
      expect(after.results).toEqual(before.results);
      expect(index.info()).toMatchObject({ backend, items: 2, removed: 0 });
      expect(await index.add(Float32Array.of(0, 1), [{ title: "north again", lang: "en" }])).toEqual([4]);
      expect(await index.remove([3])).toBe(1);
      expect(titles(await index.queryTopK(east, 9))).toEqual([["north-east", "north again"]]);
    },
  );

  it("a search that runs while the index is rebuilt sees the index of before", async () => {
    await using index = await build();
    const [result] = await Promise.all([index.queryTopK(east, 1), index.remove([0]), index.rebuild()]);
    expect(["east", "north-east"]).toContain(result.results[0]?.[0]?.item.title);
    expect(titles(await index.queryTopK(east, 1))).toEqual([["north-east"]]);
  });
});

// All rows in their order backwards: the index puts the answer in order.
registerBackend("reversed", () => ({
  add: () => undefined,
  topK: (_query, _k, among) => among.slots.slice().reverse(),
  atLeast: (_query, _threshold, among) => among.slots.slice().reverse(),
}));

describe("a saved index", () => {
  it.each(["flat", "reversed"])(
    "over %s comes back with items, filters, positions and embedder",
    async (backend) => {
      const path = join(folder, `${backend}.index`);
      const items = [new Map([["k", 1]]), { lang: "en", at: new Date(0) }, "text", { lang: "de" }];
      const args = { dimension: 2, embedderId: "static-en@1" };
      await using index = await Index.fromVectorsAndItems<unknown, string>(compass, items, backend, args);
      await index.remove([0]);
      await index.rebuild();
      await index.remove([2]);
      await index.save(path);
      await using loaded = await Index.load<unknown>(path);
      const info = { ...index.info(), bytes: 0 };
      expect({ ...loaded.info(), bytes: 0 }).toEqual(info);
      for (const filter of [undefined, { lang: "en" }]) {
        const [before, after] = await Promise.all(
          [index, loaded].map((one) => one.queryTopK(east, 9, { filter })),
        );
        expect(after?.results).toEqual(before?.results);
      }
      expect((await loaded.queryTopK(east, 9, { filter: { lang: "en" } })).results[0]?.[0]?.item).toEqual(
        items[1],
      );
      expect(await loaded.add(east, ["next"])).toEqual([4]);
    },
  );
});
