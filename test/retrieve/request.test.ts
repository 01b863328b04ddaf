/**
 * Requests that are refused before anything is embedded or asked.
 */
import { expect, it } from "vitest";
import type { RetrievalStore, RetrieveRequest } from "../../src/retrieve/options.js";
import { retrieve } from "../../src/retrieve/retrieve.js";
import { referenceStore } from "../support/reference-store.js";
import { failureOf } from "../support/refusal-table.js";
import { CountingEmbedder, RuleReranker } from "./passages.js";

const vector = [1, 0, 0];
const reranker = new RuleReranker(() => 0);

it.each([
  [{}, "query"],
  [{ query: "a" }, "embedder"],
  [{ query: "a", vector, embedder: new CountingEmbedder() }, "embedder"],
  [{ vector, reranker }, "query"],
  [{ vector, hybrid: true }, "query"],
  [{ vector, topK: -1 }, "topK"],
  [{ vector, topK: 1_001 }, "topK"],
  [{ vector, minScore: Number.NaN }, "minScore"],
  [{ vector, minscore: 0.5 }, "minscore"],
  [{ vector, rerankPool: 0 }, "rerankPool"],
  [{ vector, budgetTokens: 1.5 }, "budgetTokens"],
  [{ vector, dedup: { treshold: 0.9 } }, "treshold"],
  [{ vector, query: "x".repeat(32_769) }, "query"],
  [{ vector, query: "a", reranker: { id: "none" } }, "reranker"],
  [{ query: "a", embedder: {} }, "embedder"],
  [{ query: "a", embedder: { dimension: 3, embed: () => undefined } }, "embedder"],
  [{ vector, countTokens: 5 }, "countTokens"],
])("%j: the option %s", async (request, field) => {
  // What a caller without types may hand us. There is no collection: a call of the store would say that instead.
  const given = { collection: "texts", ...request } as unknown as RetrieveRequest;
  const { code, details } = await failureOf(() => retrieve(referenceStore(), given));
  expect({ code, field: details.field }).toEqual({ code: "OPTION_INVALID", field });
  expect(details.expected).not.toBe("another value");
});

it.each([[null], [{}], [5], [{ searchVectors: 5 }]])("%j is no store: the argument hub", async (hub) => {
  const { code, details } = await failureOf(() => retrieve(hub as never, { collection: "texts", vector }));
  expect({ code, field: details.field }).toEqual({ code: "OPTION_INVALID", field: "hub" });
});

it("the request is taken as it is at the call, its vector and its filter included", async () => {
  const hub = referenceStore();
  await hub.ensureCollection("texts", { dimension: 2 });
  await hub.storeVectors("texts", [
    { id: 1, vector: [1, 0], payload: { lang: "de" } },
    { id: 2, vector: [0, 1], payload: { lang: "en" } },
    { id: 3, vector: [0.6, 0.8], payload: { lang: "de" } },
  ]);
  const mine = Float32Array.of(1, 0);
  const filter = { lang: ["de"] };
  // It reads what it is given only later, as a store behind a network may.
  const late: RetrievalStore = {
    searchVectors: async (name, given, options) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return hub.searchVectors(name, given, options);
    },
    searchText: hub.searchText.bind(hub),
    get: hub.get.bind(hub),
    collections: hub.collections.bind(hub),
  };
  const searching = retrieve(late, { collection: "texts", vector: mine, filter });
  mine.set([0, 1]);
  filter.lang[0] = "en";
  expect((await searching).results.map(({ id }) => id)).toEqual([1, 3]);
});

it("a store of the caller's that hangs is not waited for after an abort", async () => {
  const hangs = (): Promise<never> => new Promise(() => undefined);
  const hub = { searchVectors: hangs, searchText: hangs, get: hangs, collections: hangs };
  const abort = new AbortController();
  const searching = retrieve(hub, { collection: "texts", vector, signal: abort.signal });
  abort.abort(new Error("enough"));
  await expect(searching).rejects.toThrow("enough");
});

it("a filter that is not understood is refused before the query is embedded", async () => {
  const embedder = new CountingEmbedder();
  const filter = { AND: [{ page: { above: 3 } }] };
  const given = { collection: "texts", query: "a", embedder, filter } as unknown as RetrieveRequest;
  expect((await failureOf(() => retrieve(referenceStore(), given))).code).toBe("UNKNOWN_OPERATOR");
  expect(embedder.texts).toBe(0);
});

it("an aborted signal stops it before that, too", async () => {
  const embedder = new CountingEmbedder();
  const signal = AbortSignal.abort(new Error("enough"));
  const work = retrieve(referenceStore(), { collection: "texts", query: "a", embedder, signal });
  await expect(work).rejects.toThrow("enough");
  expect(embedder.texts).toBe(0);
});
