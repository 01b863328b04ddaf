/**
 * What the report of a retrieval says about the search below it: the way it took, what it looked at, and whether the view of the
 * collection had to catch up first.
 */
import { expect, it } from "vitest";
import type { Filter } from "../../src/filter/filter.js";
import { retrieve } from "../../src/retrieve/retrieve.js";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import { referenceStore } from "../support/reference-store.js";
import { TemporaryFolder } from "../support/temporary-folder.js";
import { fading, filled, passage, QUERY } from "./passages.js";

const collection = "texts";
const POINTS = fading(40).map((point, n) => ({ ...point, payload: { n } }));

it.each<[index: string, filter: Filter | undefined, strategy: string, matching: number]>([
  ["flat", undefined, "exact", 40],
  ["flat", { n: { lt: 5 } }, "exact-subset", 5],
  ["hnsw", undefined, "graph", 40],
  ["hnsw", { n: { lt: 5 } }, "exact-subset", 5],
])("index %s, filter %j: %s over %i", async (index, filter, strategy, matching) => {
  const url = `file:${new TemporaryFolder().file("a.sluice")}?index=${index}`;
  await using hub = await filled(new VectorStoreHub(url), POINTS);
  const { report } = await retrieve(hub, {
    collection,
    vector: QUERY,
    topK: 3,
    ...(filter === undefined ? {} : { filter }),
  });
  expect(report).toMatchObject({ strategy, options: { index }, counts: { matching, caught_up: 40 } });
  expect(structuredClone(report)).toEqual(report);
});

it("the view catches up once with what was written, and its time is not part of the search", async () => {
  await using hub = await filled(
    new VectorStoreHub(`file:${new TemporaryFolder().file("a.sluice")}`),
    POINTS,
  );
  const caughtUp = async (): Promise<unknown> =>
    (await retrieve(hub, { collection, vector: QUERY })).report.counts["caught_up"];
  expect(await caughtUp()).toBe(40);
  expect(await caughtUp()).toBe(0);
  await hub.storeVectors(collection, [passage(99, 0.5), passage(98, 0.5)]);
  const { report } = await retrieve(hub, { collection, vector: QUERY });
  expect(report.counts["caught_up"]).toBe(2);
  const { view = -1, search = -1, total = -1 } = report.seconds;
  expect(view).toBeGreaterThan(0);
  expect(search).toBeGreaterThanOrEqual(0);
  expect(view + search).toBeLessThanOrEqual(total);
});

it("a store that does not say how it searched leaves these numbers out", async () => {
  const { report } = await retrieve(await filled(referenceStore(), POINTS), { collection, vector: QUERY });
  expect(report).not.toHaveProperty("strategy");
  expect(report.options).not.toHaveProperty("index");
  expect(report.counts).not.toHaveProperty("matching");
  expect(report.seconds).not.toHaveProperty("view");
});
