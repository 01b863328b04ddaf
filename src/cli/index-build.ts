/**
 * One run of `sluice index build`: an index made again from what the store holds. Nothing is embedded.
 */
import { stat } from "node:fs/promises";
import { Index } from "../index/search-index.js";
import { VERSION } from "../package.js";
import type { StageReport } from "../report.js";
import { Stopwatch } from "../retrieve/stopwatch.js";
import type { CollectionInfo, StoredPoint } from "../stores/vector-store.js";
import type { IndexBuildTask } from "./index-flags.js";
import type { RunDisplay } from "./run-display.js";
import { connectStore } from "./store-connection.js";
import { requireApart } from "./store-files.js";
import { forReading, requireCollection } from "./store-flags.js";

/** Points that are read and added at once. */
const PAGE = 4_096;

/** What an index file holds of a point: its payload, as filters see it, with id and text under the names that are reserved. */
export type IndexItem = Readonly<Record<string, unknown>> & {
  readonly _id: string | number;
  readonly _text?: string;
};

/** Does the task. The file is there as a whole or not at all. */
export async function buildIndex(
  task: IndexBuildTask,
  { signal, display }: { readonly signal: AbortSignal; readonly display: RunDisplay },
): Promise<void> {
  await requireApart(new Map([["--out", task.out]]), task.store);
  const hub = connectStore(forReading(task.store));
  let index: Index<IndexItem> | undefined;
  try {
    const watch = new Stopwatch();
    const collection = await requireCollection(hub, task.collection, signal);
    const total = await hub.count(collection.name, { signal });
    const building = await emptyIndex(task, collection);
    index = building;
    let rows = 0;
    let after: string | undefined;
    do {
      const page = await watch.time("read", () =>
        hub.scroll(collection.name, {
          limit: PAGE,
          withVector: true,
          ...(after === undefined ? {} : { after }),
          signal,
        }),
      );
      await watch.time("build", () =>
        building.add(rowsOf(page.points, collection.dimension), page.points.map(itemOf), { signal }),
      );
      rows += page.points.length;
      display.progress({ step: "build", done: rows, total });
      after = page.next ?? undefined;
    } while (after !== undefined);
    await watch.time("write", () => building.save(task.out, { signal }));
    display.table(reportOf(task, rows, watch, (await stat(task.out)).size));
  } finally {
    display.stop();
    // The language's own form of this does not run on Node 20.
    await index?.[Symbol.asyncDispose]();
    await hub.close();
  }
}

function emptyIndex({ backend }: IndexBuildTask, collection: CollectionInfo): Promise<Index<IndexItem>> {
  const { dimension, metric, embedderId } = collection;
  const args = { dimension, metric, ...(embedderId === undefined ? {} : { embedderId }) };
  return Index.fromVectorsAndItems<IndexItem, "flat" | "hnsw">(new Float32Array(), [], backend, args);
}

function rowsOf(points: readonly StoredPoint[], dimension: number): Float32Array {
  const rows = new Float32Array(points.length * dimension);
  for (const [at, { vector }] of points.entries()) if (vector !== undefined) rows.set(vector, at * dimension);
  return rows;
}

function itemOf({ id, payload, text }: StoredPoint): IndexItem {
  return { ...payload, _id: id, ...(text === undefined ? {} : { _text: text }) };
}

function reportOf(
  { store, collection, backend }: IndexBuildTask,
  rows: number,
  watch: Stopwatch,
  file: number,
): StageReport {
  return {
    stage: "index build",
    version: VERSION,
    options: { store, collection, backend },
    counts: { rows, embedded: 0 },
    seconds: watch.read(),
    bytes: { file },
    limits: [],
  };
}
