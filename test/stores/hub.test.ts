/**
 * What the hub does for every store: splits, counts, streams, keeps order, and hands a collection on for a rebuild.
 */
import { describe, expect, it } from "vitest";
import type { EncodedPoint, OpenCollection } from "../../src/stores/store-driver.js";
import { StoreFailure } from "../../src/stores/store-driver.js";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import type { Point, PointId, WriteReport } from "../../src/stores/vector-store.js";
import { ReferenceDriver, referenceStore } from "../support/reference-store.js";
import { failureOf } from "../support/refusal-table.js";
import { stillClock } from "../support/still-clock.js";

/** A driver that writes down its batches, and fails those that a test wants to fail. */
class WatchedDriver extends ReferenceDriver {
  readonly batches: Array<readonly EncodedPoint[]> = [];
  opened = 0;
  atOnce = 0;
  atOnceMost = 0;
  firstTakesMs = 1;
  failWith: (batch: number) => StoreFailure | undefined = () => undefined;

  override initialize(): Promise<void> {
    this.opened += 1;
    return super.initialize();
  }

  override async write(collection: OpenCollection, points: readonly EncodedPoint[]): Promise<undefined> {
    this.batches.push(points);
    const failure = this.failWith(this.batches.length);
    if (failure !== undefined) throw failure;
    this.atOnce += 1;
    this.atOnceMost = Math.max(this.atOnceMost, this.atOnce);
    await new Promise((resolve) => setTimeout(resolve, this.batches.length === 1 ? this.firstTakesMs : 1));
    await super.write(collection, points);
    this.atOnce -= 1;
    return undefined;
  }
}

async function watched(
  dimension = 2,
): Promise<{ readonly driver: WatchedDriver; readonly hub: VectorStoreHub }> {
  const driver = new WatchedDriver();
  const hub = new VectorStoreHub({ store: driver, clock: stillClock() });
  await hub.ensureCollection("a", { dimension, metric: "dot" });
  return { driver, hub };
}

const DOWN = new StoreFailure("later", "STORE_UNREACHABLE", "The node is down.", { mayBeApplied: true });
const point = (id: PointId): Point => ({ id, vector: [1, 1] });

describe("splitting", () => {
  it("IDX-07: 1,500 points of 1,536 numbers go in batches below the limits", async () => {
    const { driver, hub } = await watched(1_536);
    const vector = new Float32Array(1_536).fill(0.123);
    const report = await hub.storeVectors(
      "a",
      Array.from({ length: 1_500 }, (_, id) => ({ id, vector })),
    );
    expect(report).toMatchObject({ requested: 1_500, written: 1_500, batches: driver.batches.length });
    expect(report.batches).toBeGreaterThan(1);
    for (const batch of driver.batches) {
      expect(batch.length).toBeLessThanOrEqual(driver.limits.pointsMax);
      expect(batch.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(driver.limits.bytesAim);
    }
    expect(driver.atOnceMost).toBe(2);
  });

  it("a failure in the seventh batch leaves the other six, counted", async () => {
    const { driver, hub } = await watched();
    driver.failWith = (batch) => (batch >= 7 ? DOWN : undefined);
    const report = await hub.storeVectors(
      "a",
      Array.from({ length: 7 * 256 }, (_, id) => point(id)),
    );
    expect(report).toMatchObject({ requested: 7 * 256, written: 6 * 256, batches: 7, mayBePartial: true });
    expect(report.failed).toHaveLength(256);
    expect(await hub.count("a")).toBe(6 * 256);
    expect((await hub.health()).pending).toBe(256);
  });

  it("a point over the limit is one failure with its size; the rest is written", async () => {
    const { driver, hub } = await watched();
    Object.assign(driver, { limits: { pointsMax: 10, bytesAim: 100, pointBytesMax: 200 } });
    const report = await hub.storeVectors("a", [
      point(1),
      { ...point(2), payload: { long: "x".repeat(300) } },
      point(3),
    ]);
    expect(report.written).toBe(2);
    expect(report.failed).toMatchObject([{ id: 2, index: 1, code: "POINT_TOO_LARGE", retryable: false }]);
    expect(report.failed[0]?.message).toMatch(/\b3\d\d bytes/);
  });

  it("a store that stays down ends the write instead of filling the memory", async () => {
    const { driver, hub } = await watched();
    driver.failWith = () => DOWN;
    let read = 0;
    function* endless(): Generator<Point> {
      for (;;) yield point(read++);
    }
    const report = await hub.storeVectors("a", endless());
    expect(report.written).toBe(0);
    expect(report.stoppedAt).toBe(report.failed.length);
    expect(read).toBeLessThan(12 * 256);
  });
});

describe("streams", () => {
  it("an iterable that waits is written as it comes, with a report a batch", async () => {
    const { hub } = await watched();
    async function* slowly(): AsyncGenerator<Point> {
      for (let id = 0; id < 600; id++) {
        if (id % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        yield point(id);
      }
    }
    const reports: WriteReport[] = [];
    const report = await hub.storeVectors("a", slowly(), { onBatch: (one) => reports.push(one) });
    expect([report.written, reports.length]).toEqual([600, 3]);
    expect(reports.at(-1)?.written).toBe(600);
  });

  it("the later of two points with one id wins, also across batches that would overlap", async () => {
    const { driver, hub } = await watched();
    driver.firstTakesMs = 50;
    function* twice(): Generator<Point> {
      for (const round of [1, 2]) for (let id = 0; id < 300; id++) yield { ...point(id), payload: { round } };
    }
    await hub.storeVectors("a", twice());
    const { points } = await hub.scroll("a", { limit: 1_000 });
    expect(points.map(({ payload }) => payload["round"])).toEqual(Array.from({ length: 300 }, () => 2));
  });

  it.each<readonly [string, boolean, boolean]>([
    ["a list", false, false],
    ["an iterable that waits", true, false],
    ["a list, in batches of one", false, true],
    ["an iterable that waits, in batches of one", true, true],
  ])("a point that is refused replaces nothing: %s", async (_title, isStream, isSplit) => {
    const { driver, hub } = await watched();
    const pointsMax = isSplit ? 1 : 256;
    Object.assign(driver, { limits: { pointsMax, bytesAim: 10_000, pointBytesMax: 200 } });
    const points: readonly Point[] = [
      { id: "x", vector: [1, 1], payload: { v: 1 } },
      { id: "x", vector: [2, 2], payload: { v: 2 } },
      { id: "x", vector: [Number.NaN, 1], payload: { v: 3 } },
      { id: "x", vector: [1, 1], payload: { v: "long".repeat(100) } },
      { id: "y", vector: [1, 1], payload: { v: 4 } },
    ];
    async function* stream(): AsyncGenerator<Point> {
      await Promise.resolve();
      yield* points;
    }
    const report = await hub.storeVectors("a", isStream ? stream() : points);
    const stored = (await hub.get("a", ["x", "y"])).map(({ payload }) => payload["v"]);
    expect(stored).toEqual([2, 4]);
    expect(report.failed.map(({ index, code }) => [index, code])).toEqual([
      [2, "VECTOR_NOT_FINITE"],
      [3, "POINT_TOO_LARGE"],
    ]);
    expect([report.requested, report.written + report.superseded]).toEqual([5, 3]);
  });

  it("a point that the store refuses leaves the one it would have replaced", async () => {
    const { driver, hub } = await watched();
    const refused = new StoreFailure("refused", "STORE_REFUSED", "Not this one.");
    driver.failWith = () =>
      driver.batches.at(-1)?.some(({ point: { payload } }) => payload["bad"]) ? refused : undefined;
    const payloads = [{ v: 1 }, { v: 2 }, { v: 3, bad: true }, { v: 4, bad: true }];
    const report = await hub.storeVectors("a", [
      ...payloads.map((payload) => ({ ...point("x"), payload })),
      point("y"),
    ]);
    expect((await hub.get("a", ["x"])).map(({ payload }) => payload)).toEqual([{ v: 2 }]);
    expect(report).toMatchObject({ requested: 5, written: 2, superseded: 1 });
    expect(report.failed.map(({ index }) => index)).toEqual([2, 3]);
  });

  it("a point that could not be sent takes those it would have replaced along, and they come back as one", async () => {
    const { driver, hub } = await watched();
    driver.failWith = () => DOWN;
    const twice = [1, 2].map((v) => ({ ...point("x"), payload: { v } }));
    const report = await hub.storeVectors("a", twice);
    expect(report).toMatchObject({ requested: 2, written: 0, superseded: 0 });
    expect(report.failed.map(({ index, retryable }) => [index, retryable])).toEqual([
      [0, true],
      [1, true],
    ]);
    driver.failWith = () => undefined;
    await hub.resendPending("a");
    expect((await hub.get("a", ["x"])).map(({ payload }) => payload)).toEqual([{ v: 2 }]);
  });

  const hanging: AsyncIterable<Point> = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
  };
  const hangs = (): Promise<never> => new Promise(() => undefined);

  it.each<readonly [string, (hub: VectorStoreHub, signal?: AbortSignal) => Promise<unknown>]>([
    ["a source of points", (hub, signal) => hub.storeVectors("a", hanging, { signal })],
    ["a rebuild", (hub, signal) => hub.rebuildIndex("a", hangs, { signal })],
    ["a journal", (hub, signal) => hub.resendPending("b", { signal })],
    ["a journal that is to forget", (hub, signal) => hub.deletePoints("b", { ids: [1] }, { signal })],
    ["a journal that is counted", (hub, signal) => hub.health({ signal })],
  ])("%s that hangs is not waited for after an abort, nor after close", async (_title, call) => {
    const never = { put: hangs, remove: hangs, pending: hangs, collections: hangs };
    const open = async (): Promise<VectorStoreHub> => {
      const hub = new VectorStoreHub({ store: new ReferenceDriver(), journal: never });
      for (const name of ["a", "b"]) await hub.ensureCollection(name, { dimension: 2 });
      return hub;
    };
    const reason = new Error("enough");
    const abort = new AbortController();
    setTimeout(() => {
      abort.abort(reason);
    }, 5);
    await expect(call(await open(), abort.signal)).rejects.toBe(reason);
    const hub = await open();
    const waiting = failureOf(() => call(hub));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await hub.close();
    expect((await waiting).code).toBe("CLOSED");
  });

  it("an abort between two batches rejects with the reason; what was sent is there", async () => {
    const { hub } = await watched();
    const abort = new AbortController();
    const reason = new Error("enough");
    const writing = hub.storeVectors(
      "a",
      Array.from({ length: 2_000 }, (_, id) => point(id)),
      {
        signal: abort.signal,
        onBatch: () => {
          abort.abort(reason);
        },
      },
    );
    await expect(writing).rejects.toBe(reason);
    expect(await hub.count("a")).toBeGreaterThanOrEqual(256);
    expect(await hub.count("a")).toBeLessThan(2_000);
  });

  it("an error of the caller's own iterable is the caller's", async () => {
    const { hub } = await watched();
    const own = new Error("mine");
    function* broken(): Generator<Point> {
      yield point(1);
      throw own;
    }
    await expect(hub.storeVectors("a", broken())).rejects.toBe(own);
  });
});

it("nothing is opened before the first call, and then once", async () => {
  const driver = new WatchedDriver();
  const hub = new VectorStoreHub({ store: driver });
  expect(driver.opened).toBe(0);
  await Promise.all([hub.collections(), hub.collections(), hub.initialize()]);
  expect(driver.opened).toBe(1);
});

it("what the caller does to a vector after the call changes nothing", async () => {
  const { hub } = await watched();
  const vector = Float32Array.of(1, 2);
  const writing = hub.storeVectors("a", [{ id: 1, vector }]);
  await hub.count("a");
  vector.fill(9);
  await writing;
  expect((await hub.get("a", [1], { withVector: true }))[0]?.vector).toEqual(Float32Array.of(1, 2));
});

it("of a list, what the caller has put in at the call is stored", async () => {
  const { hub } = await watched();
  const vector = [1, 2];
  const payload = { tags: ["old"] };
  const first: { id: number; vector: number[]; payload: object } = { id: 1, vector, payload };
  const points = [first, point(2)] as Point[];
  const writing = hub.storeVectors("a", points);
  vector[0] = -5;
  payload.tags[0] = "new";
  first.id = 7;
  points.pop();
  expect((await writing).written).toBe(2);
  expect(await hub.get("a", [1, 2, 7], { withVector: true })).toMatchObject([
    { id: 1, vector: Float32Array.of(1, 2), payload: { tags: ["old"] } },
    { id: 2 },
  ]);
});

it("a rebuild gets every point with its vector, in order, and can go on from a checkpoint", async () => {
  const { hub } = await watched();
  await hub.storeVectors(
    "a",
    Array.from({ length: 25 }, (_, id) => ({ id, vector: [id, 1] })),
  );
  const pages: Array<readonly [readonly PointId[], string | null]> = [];
  const report = await hub.rebuildIndex(
    "a",
    (points, checkpoint) => {
      pages.push([points.map(({ id }) => id), checkpoint]);
      expect(points.every(({ id, vector }) => vector?.[0] === id)).toBe(true);
    },
    { limit: 10 },
  );
  expect(report).toMatchObject({ points: 25, countBefore: 25, countAfter: 25 });
  expect(pages.map(([ids, checkpoint]) => [ids.length, checkpoint])).toEqual([
    [10, "10"],
    [10, "20"],
    [5, null],
  ]);
  const rest: PointId[] = [];
  await hub.rebuildIndex("a", (points) => void rest.push(...points.map(({ id }) => id)), { after: "20" });
  expect(rest).toEqual([20, 21, 22, 23, 24]);
});

it("a deletion by filter waits for what is unconfirmed", async () => {
  const { driver, hub } = await watched();
  driver.failWith = () => DOWN;
  await hub.storeVectors("a", [{ ...point(1), payload: { user_id: "ann" } }]);
  const remove = (): Promise<unknown> => hub.deletePoints("a", { filter: { user_id: "ann" } });
  expect((await failureOf(remove)).code).toBe("STORE_UNREACHABLE");
  driver.failWith = () => undefined;
  expect(await remove()).toEqual({ deleted: 1 });
});

/** What a caller without types may hand over. */
const anything = (value: unknown): never => value as never;

it.each<readonly [string, (hub: VectorStoreHub) => Promise<unknown>]>([
  ["an unknown option", (hub) => hub.searchVectors("a", [1, 1], { topk: 3 } as object)],
  ["too many hits", (hub) => hub.searchVectors("a", [1, 1], { topK: 10_001 })],
  ["a threshold that is no number", (hub) => hub.searchVectors("a", [1, 1], { scoreThreshold: Number.NaN })],
  ["an unknown metric", (hub) => hub.ensureCollection("b", { metric: "cos" as "cosine" })],
  ["a dimension of nothing", (hub) => hub.ensureCollection("b", { dimension: 0 })],
  ["a deletion of neither", (hub) => hub.deletePoints("a", {} as { ids: [] })],
])("%s is OPTION_INVALID", async (_title, call) => {
  const { hub } = await watched();
  expect((await failureOf(() => call(hub))).code).toBe("OPTION_INVALID");
});

it.each(["../a", "a b", "ü", "", ".a", "-a", "x".repeat(129), 5, null])(
  "the name %j is COLLECTION_NAME_INVALID",
  async (name) => {
    const { hub } = await watched();
    expect((await failureOf(() => hub.count(name as string))).code).toBe("COLLECTION_NAME_INVALID");
  },
);

it.each<readonly [string, (hub: VectorStoreHub) => Promise<unknown>, string]>([
  [
    "a deletion by nothing",
    (hub) => hub.deletePoints("a", { filter: anything(undefined), allowUnscoped: true }),
    "filter",
  ],
  ["one id instead of a list", (hub) => hub.get("a", anything("x")), "ids"],
  ["no ids", (hub) => hub.get("a", anything(null)), "ids"],
  ["no points", (hub) => hub.storeVectors("a", anything(null)), "points"],
  ["a number of points", (hub) => hub.storeVectors("a", anything(5)), "points"],
  ["an object of points", (hub) => hub.storeVectors("a", anything({})), "points"],
  ["a text of points", (hub) => hub.storeVectors("a", anything("abc")), "points"],
  ["a callback that is none", (hub) => hub.storeVectors("a", [], { onBatch: anything(5) }), "onBatch"],
  ["a query that is a number", (hub) => hub.searchText("a", anything(5)), "query"],
  ["no query", (hub) => hub.searchText("a", anything(null)), "query"],
  ["a rebuild of nothing", (hub) => hub.rebuildIndex("a", anything(null)), "take"],
  ["no options of a rebuild", (hub) => hub.rebuildIndex("a", () => undefined, anything(null)), "options"],
])("%s is OPTION_INVALID, and says what it should be", async (_title, call, field) => {
  const { hub } = await watched();
  const { code, details } = await failureOf(() => call(hub));
  expect(code).toBe("OPTION_INVALID");
  expect([details.field, typeof details.expected, typeof details.received]).toEqual([
    field,
    "string",
    "string",
  ]);
  expect(details.expected).not.toBe("another value");
});

it.each(["Map", "Promise"])("a filter that is a %s deletes nothing", async (kind) => {
  const { hub } = await watched();
  await hub.storeVectors("a", [point(1)]);
  const filter = anything(kind === "Map" ? new Map([["a", 1]]) : Promise.resolve({ a: 1 }));
  const failure = await failureOf(() => hub.deletePoints("a", { filter, allowUnscoped: true }));
  expect([failure.code, await hub.count("a")]).toEqual(["FILTER_SHAPE", 1]);
});

it.each([{ store: "" }, { store: {} }, { store: "./x", key: "k" }, {}])(
  "the configuration %j is OPTION_INVALID",
  async (config) => {
    expect((await failureOf(() => new VectorStoreHub(config as { store: string }))).code).toBe(
      "OPTION_INVALID",
    );
  },
);

it.each<readonly [object, string, string]>([
  [{ store: 5 }, "store", "string or a driver"],
  [{ store: "./x", journal: {} }, "journal", "a retry journal"],
  [{ store: "./x", clock: 5 }, "clock", "a clock with now, sleep and random"],
])("the configuration %j says what %s should be: %s", async (config, field, expected) => {
  const { details } = await failureOf(() => new VectorStoreHub(config as { store: string }));
  expect(details).toMatchObject({ field, expected });
});

it("a closed hub is closed, twice too", async () => {
  const hub = referenceStore();
  await hub.close();
  await hub.close();
  expect((await failureOf(() => hub.collections())).code).toBe("CLOSED");
});
