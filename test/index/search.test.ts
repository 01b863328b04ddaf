/**
 * What a user does with an index: build, ask, add, remove, save, load, rebuild.
 */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
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

/** A promise, and how to settle it. */
function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** An index of the compass over a registered backend that answers when it is let. */
async function slowIndex(searches = 1): Promise<{
  readonly index: Index<Note>;
  /** So many searches have reached the backend. */
  readonly asked: Promise<void>;
  readonly letAnswer: () => void;
  readonly closed: () => number;
  /** Backends that were made and not closed. */
  readonly open: () => number;
}> {
  const [reached, answer] = [gate(), gate()];
  let [made, closed, asks] = [0, 0, 0];
  const asked = (): Promise<void> => {
    if (++asks === searches) reached.open();
    return answer.passed;
  };
  const name = `slow-${slowBackends++}`;
  registerBackend(name, () => ({
    add: () => {
      made++;
    },
    topK: async (_query, k, among) => {
      await asked();
      return among.slots.slice(0, k);
    },
    atLeast: async (_query, _threshold, among) => {
      await asked();
      return among.slots;
    },
    close: async () => {
      await Promise.resolve();
      closed++;
    },
  }));
  return {
    index: await build("cosine", name),
    asked: reached.passed,
    letAnswer: answer.open,
    closed: () => closed,
    open: () => made - closed,
  };
}
let slowBackends = 0;

describe("a search over a registered backend that runs while the index changes", () => {
  const changes: ReadonlyArray<readonly [string, (index: Index<Note>) => Promise<unknown>]> = [
    ["an item is removed", (index) => index.remove([0])],
    ["all items are removed", (index) => index.remove([0, 1, 2, 3])],
    ["items are added", (index) => index.add(east, [{ title: "more east", lang: "en" }])],
    ["the index is rebuilt", (index) => index.rebuild()],
    ["the index is rebuilt over another backend", (index) => index.rebuild("flat")],
    [
      "an item is removed and the index rebuilt, twice",
      async (index) => {
        await index.remove([0]);
        await index.rebuild();
        await index.rebuild("hnsw");
      },
    ],
  ];
  it.each(changes)("answers as of the moment when it began, where %s", async (_name, change) => {
    const { index, asked, letAnswer } = await slowIndex(2);
    await using _ = index;
    const searches = [
      index.queryTopK([east, east], 4),
      index.queryThreshold(east, 0.5, { filter: { lang: "en" } }),
    ];
    await asked;
    await change(index);
    letAnswer();
    const [best, near] = await Promise.all(searches);
    expect(best && titles(best)).toEqual(Array(2).fill(["east", "north-east", "north", "west"]));
    expect(near && titles(near)).toEqual([["east"]]);
    expect(best?.matching).toBe(4);
  });

  it("keeps the backend of before the rebuild until it has ended", async () => {
    const { index, asked, letAnswer, closed } = await slowIndex();
    const search = index.queryTopK(east, 1);
    await asked;
    await index.rebuild("flat");
    expect(closed()).toBe(0);
    letAnswer();
    await search;
    await index[Symbol.asyncDispose]();
    expect(closed()).toBe(1);
  });

  it("is waited for by asyncDispose, and answers", async () => {
    const { index, asked, letAnswer, closed } = await slowIndex();
    const search = index.queryTopK(east, 1);
    await asked;
    const disposed = index[Symbol.asyncDispose]();
    setTimeout(letAnswer, 5);
    expect(titles(await search)).toEqual([["east"]]);
    await disposed;
    expect(closed()).toBe(1);
  });

  it("ends with CLOSED by close, though the backend never answers", async () => {
    const { index, asked, closed } = await slowIndex();
    const search = index.queryTopK(east, 1);
    await asked;
    index.close();
    await expect(search).rejects.toMatchObject({ code: "CLOSED" });
    await index[Symbol.asyncDispose]();
    expect(closed()).toBe(1);
  });
});

describe("asyncDispose", () => {
  it.each(["flat", "reversed"])("waits for calls over %s that have begun", async (backend) => {
    const index = await build("cosine", backend);
    const calls = Promise.all([
      index.add(east, [{ title: "more east", lang: "en" }]),
      index.remove([0]),
      index.rebuild(),
      index.save(join(folder, `disposed-${backend}.index`)),
      index.queryTopK(east, 1),
    ]);
    await index[Symbol.asyncDispose]();
    await expect(calls).resolves.toHaveLength(5);
  });

  it("tells the failure of a backend that cannot let go", async () => {
    const index = await build("cosine", "clinging");
    await index.rebuild("flat");
    await expect(index[Symbol.asyncDispose]()).rejects.toMatchObject({ code: "BACKEND_FAILED" });
  });

  it("of a rebuild that runs when the index is closed leaves nothing open", async () => {
    const { index, asked, letAnswer, open } = await slowIndex();
    const search = index.queryTopK(east, 1);
    await asked;
    const rebuild = index.rebuild();
    await new Promise(setImmediate);
    index.close();
    letAnswer();
    await expect(search).rejects.toMatchObject({ code: "CLOSED" });
    await expect(rebuild).rejects.toMatchObject({ code: "CLOSED" });
    await expect.poll(open).toBe(0);
  });
});

it("a search that meets new rows as soon as they are there finds their items", async () => {
  await using index = await build();
  const added = index.add(east, [{ title: "more east", lang: "en" }]);
  for (let done = false; !done;) {
    const { results, matching } = await index.queryTopK(east, 9);
    expect(results[0]?.every(({ item }) => (item as unknown) !== undefined)).toBe(true);
    done = matching === 5;
  }
  await added;
});

registerBackend("clinging", () => ({
  add: () => undefined,
  topK: (_query, _k, among) => among.slots,
  atLeast: (_query, _threshold, among) => among.slots,
  close: () => {
    throw new Error("not now");
  },
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

  it("takes the place of what a killed save of its name left, and of nothing else", async () => {
    const own = await mkdtemp(join(folder, "killed-"));
    const [left, kept] = [".a.index.1-0.part", [".a.index.1-1.part", ".b.index.1-0.part"]];
    await writeFile(join(own, left), "SLUICEIX and no more");
    for (const name of kept) await writeFile(join(own, name), "of another program");
    await using index = await build();
    await index.save(join(own, "a.index"));
    expect((await readdir(own)).sort()).toEqual([...kept, "a.index"]);
  });
});
