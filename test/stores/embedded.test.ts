/**
 * The embedded store from outside: one file that outlives the hub, one writer, many readers, and searches that are those of
 * brute force whoever wrote. What every store must do is in `conformance.test.ts`.
 */
import { copyFileSync } from "node:fs";
import type { Metric } from "../../src/metric.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Filter } from "../../src/filter/filter.js";
import { native } from "../../src/native.js";
import { EmbeddedDriver } from "../../src/stores/embedded/embedded-driver.js";
import type { EmbeddedOptions } from "../../src/stores/embedded/embedded-driver.js";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import type { Point, PointId, SearchReport, StoredPoint } from "../../src/stores/vector-store.js";
import { referenceStore } from "../support/reference-store.js";
import { failureOf } from "../support/refusal-table.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

const point = (id: PointId, vector: readonly number[], payload = {}, text?: string): Point => ({
  id,
  vector,
  payload,
  text,
});

/** A hub over a driver that tells what its searches did. */
function watchedHub(path: string, index = "flat", options: EmbeddedOptions = {}) {
  const reports: SearchReport[] = [];
  const onSearch = (report: SearchReport) => reports.push(report);
  const store = new EmbeddedDriver({ kind: "embedded", path, index }, { ...options, onSearch });
  return { hub: new VectorStoreHub({ store }), reports };
}

async function everything(hub: VectorStoreHub, name: string): Promise<readonly StoredPoint[]> {
  const points: StoredPoint[] = [];
  await hub.rebuildIndex(name, (page) => void points.push(...page), { limit: 7 });
  return points;
}

describe("a file", () => {
  it("has everything after it was closed and opened", async () => {
    const url = `file:${new TemporaryFolder().file("a.sluice")}`;
    const points = [point(1, [1, 2], { n: 1 }, "one"), point("name", [3, 4], { user_id: "ann" })];
    {
      await using hub = new VectorStoreHub(url);
      await hub.ensureCollection("notes", { dimension: 2, metric: "dot", embedderId: "e" });
      await hub.storeVectors("notes", points);
    }
    await using hub = new VectorStoreHub(url);
    expect(await hub.collections()).toEqual([
      { name: "notes", dimension: 2, metric: "dot", embedderId: "e", foldedFields: [] },
    ]);
    expect(await everything(hub, "notes")).toEqual([
      { id: 1, payload: { n: 1 }, text: "one", vector: Float32Array.of(1, 2) },
      { id: "name", payload: { user_id: "ann" }, vector: Float32Array.of(3, 4) },
    ]);
    expect((await hub.searchVectors("notes", [1, 1])).map(({ id, score }) => [id, score])).toEqual([
      ["name", 7],
      [1, 3],
    ]);
  });

  it("has one writer; the second is told, and the file is free once the first has closed", async () => {
    const url = `file:${new TemporaryFolder().file("a.sluice")}`;
    const first = new VectorStoreHub(url);
    await first.ensureCollection("notes", { dimension: 2 });
    await using second = new VectorStoreHub(url);
    expect((await failureOf(() => second.initialize())).code).toBe("STORE_LOCKED");
    await first.close();
    await second.ensureCollection("notes", { dimension: 2 });
    expect((await failureOf(() => first.collections())).code).toBe("CLOSED");
  });

  it("is the only one that is left, whatever read it meanwhile", async () => {
    const folder = new TemporaryFolder();
    {
      await using hub = new VectorStoreHub(folder.file("a.sluice"));
      await hub.ensureCollection("notes", { dimension: 2 });
      await hub.storeVectors(
        "notes",
        Array.from({ length: 3_000 }, (_, id) => point(id, [id + 1, 1])),
      );
      expect(await hub.searchVectors("notes", [1, 1])).toHaveLength(10);
    }
    expect(folder.names()).toEqual(["a.sluice"]);
    copyFileSync(folder.file("a.sluice"), folder.file("b.sluice"));
    await using copy = new VectorStoreHub(folder.file("b.sluice"));
    expect(await copy.count("notes")).toBe(3_000);
  });

  it("is made by a write, not by a question", async () => {
    const folder = new TemporaryFolder();
    await using hub = new VectorStoreHub(folder.file("mistyped.sluice"));
    expect(await hub.collections()).toEqual([]);
    expect((await failureOf(() => hub.count("notes"))).code).toBe("COLLECTION_MISSING");
    expect((await failureOf(() => hub.searchVectors("notes", [1]))).code).toBe("COLLECTION_MISSING");
    expect(folder.names()).toEqual([]);
  });

  it("is copied as it is at one moment while others write", async () => {
    const folder = new TemporaryFolder();
    await using hub = new VectorStoreHub(folder.file("a.sluice"));
    await hub.ensureCollection("notes", { dimension: 2 });
    const points = Array.from({ length: 20_000 }, (_, id) => point(id, [id + 1, 1], {}, `number ${id}`));
    const writing = hub.storeVectors("notes", points);
    for (const n of [1, 2, 3]) await hub.snapshot(folder.file(`copy-${n}.sluice`));
    await writing;
    for (const n of [1, 2, 3]) {
      await using copy = new VectorStoreHub(`file:${folder.file(`copy-${n}.sluice`)}?access=read`);
      const count = await copy.count("notes");
      // Batches are of a thousand.
      expect(count % 1_000).toBe(0);
      if (count > 0) expect(await copy.searchText("notes", "number")).toHaveLength(10);
    }
    const failure = await failureOf(() => hub.snapshot(folder.file("copy-1.sluice")));
    expect(failure.code).toBe("STORE_EXISTS");
  });

  it("is only read by a reader", async () => {
    const path = new TemporaryFolder().file("a.sluice");
    await using missing = new VectorStoreHub(`file:${path}?access=read`);
    expect((await failureOf(() => missing.initialize())).code).toBe("INPUT_NOT_FOUND");
    expect((await missing.health()).status).toBe("down");

    await using writer = new VectorStoreHub(`file:${path}?durability=power`);
    await writer.ensureCollection("notes", { dimension: 2 });
    await using reader = new VectorStoreHub(`file:${path}?access=read`);
    await reader.ensureCollection("notes", { dimension: 2 });
    const refused = [
      () => reader.ensureCollection("more", { dimension: 2 }),
      () => reader.storeVectors("notes", [point(1, [1, 0])]),
      () => reader.deletePoints("notes", { ids: [1] }),
    ];
    for (const call of refused) expect((await failureOf(call)).code).toBe("STORE_READ_ONLY");
    expect(await reader.health()).toMatchObject({ status: "ok", store: "embedded" });
  });

  it("is refused when it is something else", async () => {
    const path = new TemporaryFolder().write("a.sluice", "no store");
    await using hub = new VectorStoreHub(path);
    expect((await failureOf(() => hub.initialize())).code).toBe("STORE_FOREIGN");
  });
});

describe("an index that", () => {
  it.each([
    ["does not exist", "tree", "cosine", "BACKEND_UNKNOWN"],
    ["does not know the metric", "hnsw", "dot", "OPTION_INVALID"],
  ] as const)("%s is refused before a collection is made", async (_name, index, metric, code) => {
    await using hub = new VectorStoreHub(`file:${new TemporaryFolder().file("a.sluice")}?index=${index}`);
    expect((await failureOf(() => hub.ensureCollection("notes", { dimension: 2, metric }))).code).toBe(code);
    expect(await hub.collections()).toEqual([]);
  });
});

describe("a point", () => {
  it("whose UUID stands for a number is refused by position, the rest is written", async () => {
    await using hub = new VectorStoreHub(new TemporaryFolder().file("a.sluice"));
    await hub.ensureCollection("notes", { dimension: 2 });
    const nil = "00000000-0000-0000-0000-000000000000";
    const report = await hub.storeVectors("notes", [point(1, [1, 0]), point(nil, [1, 0]), point(2, [1, 0])]);
    expect(report).toMatchObject({
      requested: 3,
      written: 2,
      failed: [{ index: 1, code: "POINT_ID_INVALID" }],
    });
  });

  it("is too large as a whole without taking the batch with it", async () => {
    await using hub = new VectorStoreHub(new TemporaryFolder().file("a.sluice"));
    await hub.ensureCollection("notes", { dimension: 2 });
    const points = [1, 2, 3, 4].map((id) => point(id, [1, 0], {}, id === 3 ? "x".repeat(17 << 20) : "x"));
    const report = await hub.storeVectors("notes", points);
    expect(report).toMatchObject({
      requested: 4,
      written: 3,
      failed: [{ index: 2, code: "POINT_TOO_LARGE" }],
    });
  });
});

describe("full text", () => {
  it("finds words, within a filter, with what is kept beside them", async () => {
    await using hub = new VectorStoreHub(new TemporaryFolder().file("a.sluice"));
    await hub.ensureCollection("notes", { dimension: 2 });
    await hub.storeVectors("notes", [
      point("a", [1, 0], { user_id: "ann" }, "the engine weaves patterns"),
      point("b", [1, 0], { user_id: "bob" }, "engine engine engine"),
      point("c", [1, 0], { user_id: "ann" }, "nothing of the kind"),
    ]);
    const hits = await hub.searchText("notes", "Engine");
    expect(hits.map(({ id }) => id)).toEqual(["b", "a"]);
    expect(hits[0]?.score).toBeGreaterThan(hits[1]?.score ?? 0);
    const [hit, ...others] = await hub.searchText("notes", "engine", { filter: { user_id: "ann" } });
    expect(others).toEqual([]);
    expect(hit).toMatchObject({ id: "a", text: "the engine weaves patterns", payload: { user_id: "ann" } });
  });
});

describe("the view", () => {
  it("is caught up with what another connection wrote", async () => {
    const path = new TemporaryFolder().file("a.sluice");
    await using writer = new VectorStoreHub(path);
    await writer.ensureCollection("notes", { dimension: 2, metric: "dot" });
    await using reader = new VectorStoreHub(`${path}?access=read`);
    const found = async () => (await reader.searchVectors("notes", [1, 0])).map(({ id }) => id);
    expect(await found()).toEqual([]);
    await writer.storeVectors("notes", [point(1, [1, 0]), point(2, [2, 0])]);
    expect(await found()).toEqual([2, 1]);
    await writer.storeVectors("notes", [point(1, [3, 0])]);
    expect(await found()).toEqual([1, 2]);
    await writer.deletePoints("notes", { ids: [1] });
    expect(await found()).toEqual([2]);
  });

  it("starts anew when the collection is another of the same name", async () => {
    const path = new TemporaryFolder().file("a.sluice");
    const { NativeControl, NativeStore } = native();
    const control = new NativeControl();
    const writer = await NativeStore.open(path, "write", "process");
    const write = async (id: number, name = "notes") => {
      await writer.ensureCollection(name, 2, "dot", undefined, control);
      const ids = [`00000000-0000-0000-0000-00000000000${id}`];
      await writer.upsert(
        name,
        { ids, vectors: Float32Array.of(1, 1), payloads: ["{}"], texts: [null] },
        control,
      );
    };
    await write(1);
    await using reader = new VectorStoreHub(`${path}?access=read`);
    const found = async () => (await reader.searchVectors("notes", [1, 0])).map(({ id }) => id);
    expect(await found()).toEqual([1]);
    await writer.dropCollection("notes", control);
    expect((await failureOf(found)).code).toBe("COLLECTION_MISSING");
    await write(2);
    expect(await found()).toEqual([2]);
    await writer.close();
  });

  it("reads each change once and says so", async () => {
    const { hub, reports } = watchedHub(new TemporaryFolder().file("a.sluice"));
    await using _hub = hub;
    await hub.ensureCollection("notes", { dimension: 2, metric: "dot" });
    await hub.storeVectors(
      "notes",
      [1, 2, 3].map((id) => point(id, [id, 0], { odd: id % 2 === 1 })),
    );
    await hub.searchVectors("notes", [1, 0]);
    await hub.searchVectors("notes", [1, 0], { filter: { odd: true } });
    // The first is what it was and is no change.
    await hub.storeVectors("notes", [point(1, [1, 0], { odd: true }), point(2, [9, 0])]);
    await hub.searchVectors("notes", [1, 0]);
    expect(reports).toMatchObject([
      { collection: "notes", index: "flat", strategy: "exact", matching: 3, caughtUp: 3 },
      { strategy: "exact-subset", matching: 2, caughtUp: 0 },
      { strategy: "exact", matching: 3, caughtUp: 1 },
    ]);
    expect((await hub.health()).collections).toMatchObject([{ name: "notes", points: 3, indexed: 3 }]);
  });

  it("gives back the memory of rows that are gone", async () => {
    const path = new TemporaryFolder().file("a.sluice");
    const { hub } = watchedHub(path);
    await using _hub = hub;
    await hub.ensureCollection("notes", { dimension: 2, metric: "dot" });
    const round = (n: number) => Array.from({ length: 600 }, (_, id) => point(id, [id + 1, n]));
    for (let n = 1; n <= 4; n++) {
      await hub.storeVectors("notes", round(n));
      const [best] = await hub.searchVectors("notes", [0, 1]);
      expect([best?.id, best?.score]).toEqual([0, n]);
    }
    // What was found before a rebuild is found after it, in the same order.
    const hits = await hub.searchVectors("notes", [1, 0], { topK: 600 });
    expect(hits.map(({ id }) => id)).toEqual(Array.from({ length: 600 }, (_, n) => 599 - n));
  });

  it("breaks ties by id where the list ends, however the rows came", async () => {
    await using hub = new VectorStoreHub(new TemporaryFolder().file("a.sluice"));
    await hub.ensureCollection("notes", { dimension: 2 });
    for (const start of [300, 200, 100, 0]) {
      const points = Array.from({ length: 100 }, (_, n) => point(start + 99 - n, [1, 1]));
      await hub.storeVectors("notes", [...points, point(1_000 + start, [5, 5.1])]);
    }
    for (const topK of [1, 3, 50, 150, 399, 404, 500]) {
      const ids = (await hub.searchVectors("notes", [1, 1], { topK })).map(({ id }) => id);
      const order = [...Array.from({ length: 400 }, (_, n) => n), 1_000, 1_100, 1_200, 1_300];
      expect(ids).toEqual(order.slice(0, topK));
    }
  });

  it("through a graph finds what brute force finds", async () => {
    const folder = new TemporaryFolder();
    const graph = watchedHub(folder.file("a.sluice"), "hnsw", { indexArguments: { efSearch: 200 } });
    await using hub = graph.hub;
    await hub.ensureCollection("notes", { dimension: 16 });
    const angle = (id: number, n: number) => Math.sin(id * (n + 1) * 0.7311 + n);
    const vectorOf = (id: number) => Array.from({ length: 16 }, (_, n) => angle(id, n));
    const points = Array.from({ length: 6_000 }, (_, id) => point(id, vectorOf(id), { third: id % 3 === 0 }));
    await hub.storeVectors("notes", points);
    await using exact = new VectorStoreHub(`${folder.file("a.sluice")}?access=read`);
    let common = 0;
    for (let n = 0; n < 20; n++) {
      const options = { topK: 10, filter: n % 2 === 0 ? {} : { third: true } };
      const [found, best] = await Promise.all(
        [hub, exact].map(async (one) => {
          const hits = await one.searchVectors("notes", vectorOf(n + 0.5), options);
          return hits.map(({ id }) => id);
        }),
      );
      expect(found).toHaveLength(10);
      common += found?.filter((id) => best?.includes(id)).length ?? 0;
    }
    expect(common).toBeGreaterThanOrEqual(190);
    expect(new Set(graph.reports.map(({ strategy }) => strategy))).toContain("graph");
  });
});

describe("a search after any upserts and deletes", () => {
  const id = fc.oneof(fc.nat(12), fc.constantFrom("a", "b", "c0ffee00-0000-4000-8000-000000000000"));
  const small = fc.integer({ min: -2, max: 3 });
  const payload = fc.record({ user_id: fc.constantFrom("ann", "bob"), n: small });
  const vector = fc.tuple(small, small, fc.constantFrom(1, 2));
  const step = fc.oneof(
    fc
      .array(fc.record({ id, vector, payload }), { minLength: 1, maxLength: 8 })
      .map((points) => ({ points })),
    fc.array(id, { minLength: 1, maxLength: 4 }).map((ids) => ({ ids })),
    fc.record({ filter: payload.map(({ user_id, n }): Filter => ({ user_id, n: { gte: n } })) }),
  );
  const filter = fc.option(
    fc.oneof(
      payload as fc.Arbitrary<Filter>,
      small.map((n): Filter => ({ n: { gt: n } })),
      small.map((n): Filter => ({ OR: [{ n }, { user_id: "bob" }] })),
      small.map((n): Filter => ({ NOT: [{ n }] })),
    ),
    { nil: undefined },
  );
  const query = fc.record({
    vector,
    filter,
    topK: fc.integer({ min: 1, max: 9 }),
    scoreThreshold: fc.option(small, { nil: undefined }),
  });

  it.each<Metric>(["dot", "l2", "cosine"])("is that of brute force: %s", async (metric) => {
    await using hub = new VectorStoreHub(new TemporaryFolder().file("a.sluice"));
    await using reference = referenceStore();
    let round = 0;
    const rounds = fc.asyncProperty(
      fc.array(fc.tuple(step, query), { minLength: 1, maxLength: 6 }),
      async (steps) => {
        const name = `c${round++}`;
        for (const store of [hub, reference]) await store.ensureCollection(name, { dimension: 3, metric });
        for (const [change, { vector: asked, ...options }] of steps) {
          const [ours, theirs] = await Promise.all(
            [hub, reference].map(async (store) => {
              if ("points" in change) await store.storeVectors(name, change.points);
              else await store.deletePoints(name, change);
              return {
                hits: await store.searchVectors(name, asked, { ...options, withVector: true }),
                count: await store.count(name, { filter: options.filter }),
                points: (await store.scroll(name, { filter: options.filter })).points,
              };
            }),
          );
          expect(ours?.count).toBe(theirs?.count);
          expect(ours?.points).toEqual(theirs?.points);
          if (metric === "cosine") {
            // Rounding differs, and with it who comes first among equals and who just reaches a threshold.
            if (options.scoreThreshold === undefined) {
              const [found, best] = [ours?.hits ?? [], theirs?.hits ?? []];
              expect(found).toHaveLength(best.length);
              for (const [n, { score }] of found.entries())
                expect(score).toBeCloseTo(best[n]?.score ?? Number.NaN, 5);
            }
          } else {
            expect(ours?.hits).toEqual(theirs?.hits);
          }
        }
      },
    );
    await fc.assert(rounds, { numRuns: 50 });
  });
});
