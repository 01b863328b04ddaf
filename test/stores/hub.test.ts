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

it.each([{ store: "" }, { store: {} }, { store: "./x", key: "k" }, {}])(
  "the configuration %j is OPTION_INVALID",
  async (config) => {
    expect((await failureOf(() => new VectorStoreHub(config as { store: string }))).code).toBe(
      "OPTION_INVALID",
    );
  },
);

it("a closed hub is closed, twice too", async () => {
  const hub = referenceStore();
  await hub.close();
  await hub.close();
  expect((await failureOf(() => hub.collections())).code).toBe("CLOSED");
});
