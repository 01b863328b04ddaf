/**
 * Every filter case on Qdrant's own engine, by the ids that come back: through a memory, and through a hub with and without
 * payload indexes.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadEmbedder } from "../../src/embed/native-embedder.js";
import type { Filter } from "../../src/filter/filter.js";
import type { EntityScope } from "../../src/filter/scope.js";
import { liftScope } from "../../src/filter/scope.js";
import { Memory } from "../../src/memory/memory.js";
import type { ScopedFilter } from "../../src/memory/options.js";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import type { PayloadIndex, PointId } from "../../src/stores/vector-store.js";
import { ENGINES, QdrantEdge } from "../support/qdrant-edge.js";
import { failureOf } from "../support/refusal-table.js";

interface Stored {
  readonly kind: "record";
  readonly id: number;
  readonly payload: Readonly<{
    [field: string]: unknown;
    user_id?: string;
    agent_id?: string;
    run_id?: string;
  }>;
}
interface Case {
  readonly kind: "case";
  readonly id: string;
  readonly name: string;
  readonly filter: ScopedFilter;
  readonly expect?: readonly number[];
  readonly error?: string;
}

const file = new URL("../../crates/filter/tests/data/memory-filters.jsonl", import.meta.url);
// The file is ours.
const lines = readFileSync(file, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Stored | Case);
const records = lines.filter((line) => line.kind === "record");
const cases = lines.filter((line) => line.kind === "case");
const found = cases.filter(({ error }) => error === undefined);
const embedder = await loadEmbedder("hash");

/** Fields that `icontains` asks for in the cases. */
const foldedFields = ["title", "tags"];
const INDEXES: Readonly<Record<string, PayloadIndex>> = {
  "category": "keyword",
  "tags": "keyword",
  "title": "keyword",
  "priority": "float",
  "rating": "float",
  "archived": "bool",
  "created_at": "datetime",
  "project.name": "keyword",
};
const COLLECTIONS = { plain: {}, indexed: { payloadIndexes: INDEXES } };
const ascending = (left: number, right: number): number => left - right;
const idsOf = (points: ReadonlyArray<{ readonly id: PointId }>): readonly number[] =>
  points.map(({ id }) => Number(id)).sort(ascending);

describe.each(ENGINES)("$title", (engine) => {
  describe.skipIf(!engine.here)("finds what a filter says", () => {
    let edge: QdrantEdge;
    let hub: VectorStoreHub;
    let memory: Memory;

    beforeAll(async () => {
      edge = await QdrantEdge.start(engine);
      hub = new VectorStoreHub(edge.url);
      for (const [name, options] of Object.entries(COLLECTIONS)) {
        await hub.ensureCollection(name, { dimension: 2, metric: "dot", foldedFields, ...options });
        const { failed } = await hub.storeVectors(
          name,
          records.map(({ id, payload }) => ({ id, vector: [1, id], payload })),
        );
        expect(failed).toEqual([]);
      }
      memory = await filledMemory(hub);
    });
    afterAll(async () => {
      await hub.close();
      await edge[Symbol.asyncDispose]();
    });

    it.each(cases)("through a memory: $id $name", async ({ filter, expect: ids, error }) => {
      const search = (): ReturnType<Memory["search"]> =>
        memory.search("record", { filters: filter, topK: 100, threshold: -1 });
      if (error !== undefined) {
        expect((await failureOf(search)).code).toBe(error);
        return;
      }
      const { results } = await search();
      expect(results.map(({ text }) => Number(text.slice("record ".length))).sort(ascending)).toEqual(ids);
    });

    describe.each(Object.keys(COLLECTIONS))("through a hub, %s", (name) => {
      it.each(found)("$id $name", async ({ filter, expect: ids }) => {
        const { scope, filter: rest } = liftScope(filter);
        const within: Filter = { ...rest, ...scope };
        expect(idsOf((await hub.scroll(name, { filter: within })).points)).toEqual(ids);
        expect(await hub.count(name, { filter: within })).toBe(ids?.length);
        expect(idsOf(await hub.searchVectors(name, [1, 1], { filter: within, topK: 100 }))).toEqual(ids);
      });
    });

    it("icontains of a field that is not declared is UNSUPPORTED_FILTER", async () => {
      const failure = await failureOf(() => hub.count("plain", { filter: { category: { icontains: "w" } } }));
      expect([failure.code, failure.details.field]).toEqual(["UNSUPPORTED_FILTER", "category"]);
    });
  });
});

/** A memory of the records. */
async function filledMemory(hub: VectorStoreHub): Promise<Memory> {
  const memory = new Memory({ hub, embedder, foldedFields });
  for (const { id, payload } of records) {
    const { user_id: userId, agent_id: agentId, run_id: runId, ...metadata } = payload;
    const ids = Object.entries({ userId, agentId, runId }).filter(([, value]) => value !== undefined);
    // Records of nobody are in the file for other stores: a memory cannot take them, and no case expects them.
    if (ids.length === 0) continue;
    const scope = Object.fromEntries(ids) as unknown as EntityScope;
    await memory.add(scope, [{ text: `record ${id}`, metadata }]);
  }
  return memory;
}
