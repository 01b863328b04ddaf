/**
 * A writer that is killed in the middle, again and again: every batch it acknowledged is there, no batch is there by half,
 * and after it has gone on to the end the store is the one of a writer that nobody disturbed.
 */
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, it } from "vitest";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import type { StoredPoint } from "../../src/stores/vector-store.js";
import { batchOf, CRASH_COLLECTION } from "../support/store-batches.js";
import { referenceStore } from "../support/reference-store.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

const ROUNDS = 10;
const [NAME] = CRASH_COLLECTION;
// In the package, so that `#native` and the dependencies are found.
const folder = fileURLToPath(new URL(`../../dist/store-writer-${process.pid}`, import.meta.url));

beforeAll(async () => {
  const bundle = await rolldown({
    input: fileURLToPath(new URL("../support/store-writer.ts", import.meta.url)),
    platform: "node",
    external: [/^node:/, "#native"],
    logLevel: "silent",
  });
  await bundle.write({ dir: folder, entryFileNames: "[name].js" });
  await bundle.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes from a batch on; killed after so many acknowledgements, a little later. Gives the last batch acknowledged. */
async function write(url: string, first: number, last: number, killAfter: number): Promise<number> {
  const child = spawn(process.execPath, [`${folder}/store-writer.js`, url, String(first), String(last)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  let acknowledged = first - 1;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
    acknowledged = first - 1 + said.split("\n").length - 1;
    // In the next batch, at another place every time.
    if (acknowledged >= first + killAfter) setTimeout(() => child.kill("SIGKILL"), (killAfter * 7) % 5);
  });
  const [status, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.on("error", reject).on("close", (...end) => {
      resolve(end);
    });
  });
  expect(signal ?? status).toBe(killAfter === Infinity ? 0 : "SIGKILL");
  return acknowledged;
}

async function walk(hub: VectorStoreHub): Promise<readonly StoredPoint[]> {
  const points: StoredPoint[] = [];
  await hub.rebuildIndex(NAME, (page) => void points.push(...page));
  return points;
}

/** What undisturbed batches leave, by brute force. */
async function undisturbed(batches: number): Promise<readonly StoredPoint[]> {
  await using store = referenceStore();
  await store.ensureCollection(...CRASH_COLLECTION);
  for (let batch = 0; batch < batches; batch++) await store.storeVectors(NAME, batchOf(batch));
  return await walk(store);
}

it(`${ROUNDS} kills lose nothing that was acknowledged`, async () => {
  const url = `file:${new TemporaryFolder().file("a.sluice")}`;
  let next = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const acknowledged = await write(url, next, Infinity, 2 + 3 * round);
    await using hub = new VectorStoreHub(url);
    const points = await walk(hub);
    // The batch that was on its way is there as a whole or not at all.
    const there = Math.max(...points.map(({ payload }) => Number(payload["batch"])));
    expect([acknowledged, acknowledged + 1]).toContain(there);
    expect(points).toEqual(await undisturbed(there + 1));
    // The index follows what is left.
    const [query] = batchOf(there);
    const [best] = await hub.searchVectors(NAME, query?.vector ?? [], { topK: 1, filter: { batch: there } });
    expect(best?.payload["batch"]).toBe(there);
    next = acknowledged + 1;
  }
  await write(url, next, next + 3, Infinity);
  await using hub = new VectorStoreHub(url);
  expect(await walk(hub)).toEqual(await undisturbed(next + 4));
}, 180_000);
