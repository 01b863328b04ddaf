/**
 * Requests that are refused before anything is embedded or asked.
 */
import { expect, it } from "vitest";
import type { RetrieveRequest } from "../../src/retrieve/options.js";
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
])("%j: the option %s", async (request, field) => {
  // What a caller without types may hand us. There is no collection: a call of the store would say that instead.
  const given = { collection: "texts", ...request } as unknown as RetrieveRequest;
  const { code, details } = await failureOf(() => retrieve(referenceStore(), given));
  expect({ code, field: details.field }).toEqual({ code: "OPTION_INVALID", field });
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
