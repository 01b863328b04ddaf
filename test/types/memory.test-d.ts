/**
 * What must not compile about retrieval and memory: each `@ts-expect-error` fails the build when the line below it becomes
 * legal.
 */
import { expectTypeOf } from "vitest";
import type { Embedder, Memory, Reranker } from "../../src/main.js";
import { fitBudget, fuseRanks, retrieve } from "../../src/main.js";
import type { VectorStoreHub } from "../../src/stores/vector-store-hub.js";

declare const hub: VectorStoreHub;
declare const memory: Memory;
declare const embedder: Embedder;
declare const reranker: Reranker;
declare const vector: Float32Array;

/** Never called: only its types count. */
export async function scopes(): Promise<void> {
  await memory.search("a", { scope: { userId: "ann" } });
  await memory.search("a", { scope: { agentId: "a", runId: 7 }, filters: { page: { gte: 3 } } });
  await memory.search("a", { filters: { user_id: "ann", category: "work" } });

  // @ts-expect-error a search needs a scope
  await memory.search("a");
  // @ts-expect-error also with other options
  await memory.search("a", { topK: 5 });
  // @ts-expect-error a scope names somebody
  await memory.search("a", { scope: {} });
  // @ts-expect-error not nobody
  await memory.search("a", { scope: { userId: undefined } });
  // @ts-expect-error a tenant is no scope of a memory
  await memory.search("a", { scope: { tenantId: "t" } });
  // @ts-expect-error a filter alone has its scope at the top
  await memory.search("a", { filters: { category: "work" } });
  // @ts-expect-error and not further down
  await memory.search("a", { filters: { AND: [{ user_id: "ann" }] } });
  // @ts-expect-error a scope is one user
  await memory.search("a", { filters: { user_id: ["ann", "bob"] } });
  // @ts-expect-error forgetting needs a scope
  await memory.deleteAll();
  // @ts-expect-error that names somebody
  await memory.deleteAll({});
  // @ts-expect-error adding, too
  await memory.add(["a fact"]);
  // @ts-expect-error an id alone opens nothing
  await memory.get("id");
}

/** Never called: only its types count. */
export async function requests(): Promise<void> {
  const collection = "texts";
  await retrieve(hub, { collection, query: "a", embedder, reranker, hybrid: { k: 20 } });
  await retrieve(hub, { collection, query: "a", vector, reranker });
  await retrieve(hub, { collection, vector, dedup: { guards: ["numbers"] }, minScore: 0.5 });

  // @ts-expect-error neither a query nor a vector
  await retrieve(hub, { collection });
  // @ts-expect-error words without an embedder or a vector
  await retrieve(hub, { collection, query: "a" });
  // @ts-expect-error nothing to embed
  await retrieve(hub, { collection, vector, embedder });
  // @ts-expect-error a reranker reads words
  await retrieve(hub, { collection, vector, reranker });
  // @ts-expect-error so does a search by words
  await retrieve(hub, { collection, vector, hybrid: true });
  // @ts-expect-error a collection is named
  await retrieve(hub, { vector });
  // @ts-expect-error which copy stays is settled: the best-ranked one
  await retrieve(hub, { collection, vector, dedup: { keep: "longest" } });

  const { omitted, rerank, results } = await retrieve(hub, { collection, vector });
  expectTypeOf(rerank.status).toEqualTypeOf<"off" | "ok" | "failed">();
  for (const candidate of omitted) {
    // @ts-expect-error only a duplicate has another that it is a copy of
    expectTypeOf(candidate.of).toBeString();
    if (candidate.reason === "duplicate") expectTypeOf(candidate.of).toEqualTypeOf<string | number>();
  }
  // @ts-expect-error results are read-only
  results[0] = results[1];
  expectTypeOf(fitBudget(["a"], 10, (text) => text.length).included)
    .items.toHaveProperty("item")
    .toBeString();
  expectTypeOf(fuseRanks([[1], ["a"]]))
    .items.toHaveProperty("id")
    .toEqualTypeOf<string | number>();
}
