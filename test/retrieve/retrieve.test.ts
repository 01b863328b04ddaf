/**
 * What a retrieval promises, over a real store.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Reranker } from "../../src/rerank/reranker.js";
import { estimateTokens } from "../../src/retrieve/budget.js";
import { retrieve } from "../../src/retrieve/retrieve.js";
import type { RetrieveResult } from "../../src/retrieve/result.js";
import { ReferenceDriver, referenceStore } from "../support/reference-store.js";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import type { OpenCollection, StoreDriver } from "../../src/stores/store-driver.js";
import type { Hit } from "../../src/stores/vector-store.js";
import { CountingEmbedder, fading, filled, passage, QUERY, RuleReranker } from "./passages.js";

/** The only line that knows which store this is. */
const openStore = referenceStore;

const collection = "texts";
const vector = QUERY;
const query = "which one";
const idsOf = ({ results }: RetrieveResult): unknown[] => results.map(({ id }) => id);

describe("the order and the floor", () => {
  it("is best first, ten by default, with one meaning of the score", async () => {
    const store = await filled(openStore(), fading(20));
    const found = await retrieve(store, { collection, vector });
    expect(idsOf(found)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(found.results[0]?.score).toBeCloseTo(0.99, 6);
    expect(found.rerank).toEqual({ status: "off" });
  });

  it.each([
    { minScore: 0.6, ids: [1, 2] },
    { minScore: 0.60001, ids: [1] },
    { minScore: 1, ids: [1] },
    { minScore: -1, ids: [1, 2, 3] },
  ])(
    "RET-01: a floor of $minScore keeps $ids: it is inclusive, in the unit of the metric",
    async ({ minScore, ids }) => {
      const points = [passage(1, 1), { id: 2, vector: [3, 4, 0] }, passage(3, -0.2)];
      const store = await filled(openStore(), points);
      const found = await retrieve(store, {
        collection,
        vector,
        minScore,
      });
      expect(idsOf(found)).toEqual(ids);
    },
  );

  it("RET-01: nothing above the floor is an empty list, and each candidate says why", async () => {
    const store = await filled(openStore(), [passage(1, 0.3), passage(2, 0.2)]);
    const found = await retrieve(store, { collection, vector, minScore: 0.9 });
    expect(found.results).toEqual([]);
    expect(found.omitted.map(({ id, reason }) => [id, reason])).toEqual([
      [1, "below_floor"],
      [2, "below_floor"],
    ]);
  });

  it("RET-05: never what the filter rejects, never an exception for too few", async () => {
    const points = fading(10).map((point, n) => ({ ...point, payload: { lang: n % 5 === 0 ? "de" : "en" } }));
    const store = await filled(openStore(), points);
    const german = { collection, vector, filter: { lang: "de" }, topK: 5 };
    expect(idsOf(await retrieve(store, german))).toEqual([1, 6]);
    expect(idsOf(await retrieve(store, { ...german, filter: { lang: "fr" } }))).toEqual([]);
    expect((await retrieve(store, { collection, vector, topK: 1_000 })).results).toHaveLength(10);
    await store.deletePoints(collection, { ids: [1] });
    expect(idsOf(await retrieve(store, german))).toEqual([6]);
  });

  it("a blank query embeds nothing and asks nobody", async () => {
    const embedder = new CountingEmbedder();
    // There is no collection: a call of the store would fail.
    const found = await retrieve(openStore(), { collection, query: " \n\t ", embedder });
    expect([found.results, found.omitted, embedder.texts]).toEqual([[], [], 0]);
    expect(found.report.limits).toEqual(["The query is blank: nothing was embedded, and nobody was asked."]);
  });

  it("a query in words is embedded once", async () => {
    const embedder = new CountingEmbedder();
    const store = await filled(openStore(), fading(3));
    expect(idsOf(await retrieve(store, { collection, query, embedder }))).toEqual([1, 2, 3]);
    expect(embedder.texts).toBe(1);
  });
});

describe("the reranker", () => {
  const seventhFirst = (): RuleReranker => new RuleReranker((text) => (text === "passage 7" ? 1 : 0));

  it("MEM-04: sees a wide pool, so that it can bring up the seventh; ties stay as they were", async () => {
    const store = await filled(openStore(), fading(20));
    const reranker = seventhFirst();
    const five = await retrieve(store, { collection, query, vector, topK: 5, reranker });
    expect(idsOf(five)).toEqual([7, 1, 2, 3, 4]);
    expect(five.results[0]).toMatchObject({ rerankScore: 1, score: expect.closeTo(0.93, 5) as number });
    expect(reranker.calls[0]).toHaveLength(20);
    const twenty = await retrieve(store, { collection, query, vector, topK: 20, reranker });
    expect(idsOf(twenty).slice(0, 5)).toEqual(idsOf(five));
  });

  it("gets fifty and keeps eight by default", async () => {
    const store = await filled(openStore(), fading(80));
    const reranker = seventhFirst();
    const found = await retrieve(store, { collection, query, vector, reranker });
    expect([found.results.length, reranker.calls[0]?.length]).toEqual([8, 50]);
  });

  it("what lies behind its pool stays behind, and the report says so", async () => {
    const store = await filled(openStore(), fading(10));
    const reranker = new RuleReranker((text) => Number(text.slice(8)));
    const found = await retrieve(store, { collection, query, vector, topK: 6, reranker, rerankPool: 3 });
    expect(idsOf(found)).toEqual([3, 2, 1, 4, 5, 6]);
    expect(found.report.limits).toEqual([
      "The reranker saw the first 3 candidates; those behind them stay behind.",
    ]);
  });

  // Anything can be thrown, an error or not.
  const rejecting = (reason: Error) => (): Promise<never> => Promise.reject(reason);
  const broken: ReadonlyArray<{
    readonly title: string;
    readonly rerank: () => unknown;
    readonly error: RegExp;
  }> = [
    {
      title: "throws",
      rerank: () => {
        throw new Error("no memory");
      },
      error: /no memory/,
    },
    { title: "rejects", rerank: () => Promise.reject(new Error("offline")), error: /offline/ },
    {
      title: "gives too few scores",
      rerank: () => Promise.resolve([1]),
      error: /10 scores were expected, but it gave 1/,
    },
    { title: "gives none", rerank: () => Promise.resolve(undefined), error: /but it gave undefined/ },
    {
      title: "gives NaN",
      rerank: () => Promise.resolve(Array<number>(10).fill(Number.NaN)),
      error: /position 0 is not a finite/,
    },
    {
      title: "rejects with an object without a prototype",
      rerank: rejecting(Object.create(null) as Error),
      error: /no words/,
    },
    {
      title: "rejects with an object that cannot be a text",
      rerank: rejecting({ toString: () => expect.fail("as a text") } as unknown as Error),
      error: /no words/,
    },
    {
      title: "rejects with an error whose message throws",
      rerank: rejecting(Object.defineProperty(new Error(), "message", { get: () => expect.fail() })),
      error: /no words/,
    },
    {
      title: "rejects with nothing",
      rerank: rejecting(undefined as unknown as Error),
      error: /undefined/,
    },
    { title: "never answers", rerank: () => new Promise(() => undefined), error: /no answer within 40 ms/ },
  ];

  it.each(broken)(
    "RET-03: one that $title changes neither scores, order nor floor",
    async ({ rerank, error }) => {
      const store = await filled(openStore(), [...fading(10), passage(11, 0.1)]);
      // What a caller without types may hand us.
      const reranker = { id: "broken", rerank } as unknown as Reranker;
      const request = { collection, query, vector, topK: 10, minScore: 0.2 };
      const plain = await retrieve(store, request);
      const found = await retrieve(store, { ...request, reranker, rerankTimeoutMs: 40 });
      expect(found.results).toEqual(plain.results);
      expect(found.results).toHaveLength(10);
      expect(found.rerank).toMatchObject({ status: "failed", error: expect.stringMatching(error) as string });
      expect(found.report.counts["rerank_failed"]).toBe(1);
      expect(found.report.limits).toEqual(["The reranker failed: the order is that of the search."]);
    },
  );

  it.each<readonly [string, () => unknown]>([
    ["throws", () => expect.fail("asked for its name")],
    ["is none", () => undefined],
  ])("one whose name %s is asked all the same, and its failure is told", async (_title, name) => {
    const store = await filled(openStore(), fading(3));
    const own = new RuleReranker(() => 0);
    Object.defineProperty(own, "id", { get: name });
    const asked = await retrieve(store, { collection, query, vector, reranker: own });
    expect(asked.rerank.status).toBe("ok");
    own.rerank = () => Promise.reject(new Error("offline"));
    const { rerank } = await retrieve(store, { collection, query, vector, reranker: own });
    expect(rerank).toMatchObject({ status: "failed", error: "a reranker without a name: offline" });
  });

  it("RET-03: a service that answers 503 with an error body is a failure, not an empty list", async () => {
    const server = createServer((_, reply) => reply.writeHead(503).end('{"error":"unavailable"}'));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    // As careless as they come: it does not look at the status.
    const reranker: Reranker = {
      id: "careless",
      rerank: async () => {
        const answer = (await (await fetch(`http://127.0.0.1:${port}`)).json()) as { results?: number[] };
        return answer.results ?? [];
      },
    };
    const store = await filled(openStore(), fading(10));
    const found = await retrieve(store, { collection, query, vector, topK: 10, minScore: 0.2, reranker });
    server.close();
    expect(idsOf(found)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(found.rerank.status).toBe("failed");
  });

  it("sees nothing that lies below the floor, and is not asked about nothing", async () => {
    const store = await filled(openStore(), [passage(1, 0.9, "near"), passage(2, 0.1, "far")]);
    const reranker = new RuleReranker((text) => (text === "far" ? 1 : 0));
    await retrieve(store, { collection, query, vector, minScore: 0.5, reranker });
    const none = await retrieve(store, { collection, query, vector, minScore: 0.95, reranker });
    expect(reranker.calls).toEqual([["near"]]);
    expect(none.rerank).toEqual({ status: "off" });
  });

  it("the caller's abort is no failure of the reranker", async () => {
    const store = await filled(openStore(), fading(3));
    const abort = new AbortController();
    const reranker: Reranker = {
      id: "aborting",
      rerank: () => {
        abort.abort(new Error("enough"));
        return new Promise(() => undefined);
      },
    };
    const work = retrieve(store, { collection, query, vector, reranker, signal: abort.signal });
    await expect(work).rejects.toThrow("enough");
  });

  it("law: fewer results are the first of more, whatever reorders and drops", async () => {
    const texts = ["the door is open", "the door is  open", "a window", "a red door", "the cat sleeps"];
    const points = Array.from({ length: 60 }, (_, n) => passage(n + 1, 0.98 - n * 0.01, texts[(n * 7) % 5]));
    const store = await filled(openStore(), points);
    const sizes = fc.record({
      small: fc.integer({ min: 1, max: 30 }),
      more: fc.integer({ min: 0, max: 30 }),
      rerankPool: fc.integer({ min: 1, max: 60 }),
      salt: fc.integer({ min: 1, max: 50 }),
      dedup: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(sizes, async ({ small, more, rerankPool, salt, dedup }) => {
        const reranker = new RuleReranker((text) => (text.length * salt) % 7);
        const methods = { methods: ["normalized"] as const };
        const request = { collection, query, vector, reranker, rerankPool, dedup: dedup && methods };
        const [few, many] = [
          await retrieve(store, { ...request, topK: small }),
          await retrieve(store, { ...request, topK: small + more }),
        ];
        expect(idsOf(few)).toEqual(idsOf(many).slice(0, few.results.length));
        expect(few.results.length).toBe(Math.min(small, many.results.length));
      }),
      { numRuns: 60 },
    );
  });
});

describe("near-duplicates", () => {
  const door = "the door of the house at the end of the long street is open tonight";
  const points = [
    passage(1, 0.9, door),
    passage(2, 0.95, door),
    passage(3, 0.8, `${door} `),
    passage(4, 0.7, `${door} again`),
    passage(5, 0.6, "a cat"),
  ];

  it("the best-ranked copy stays, every other names it, the reason and a similarity", async () => {
    const store = await filled(openStore(), points);
    const found = await retrieve(store, {
      collection,
      vector,
      dedup: { methods: ["normalized", "lexical"] },
    });
    expect(idsOf(found)).toEqual([2, 5]);
    expect(found.omitted).toMatchObject([
      { id: 1, reason: "duplicate", of: 2, by: "exact", similarity: 1 },
      { id: 3, reason: "duplicate", of: 2, by: "normalized", similarity: 1 },
      { id: 4, reason: "duplicate", of: 2, by: "lexical" },
    ]);
  });

  it("best-ranked is what the reranker says", async () => {
    const store = await filled(openStore(), points);
    const reranker = new RuleReranker((text) => text.length);
    const dedup = { methods: ["normalized", "lexical"] as const };
    const found = await retrieve(store, { collection, query, vector, reranker, dedup });
    expect(idsOf(found)[0]).toBe(4);
    expect(found.omitted.filter(({ reason }) => reason === "duplicate")).toHaveLength(3);
  });

  it("copies by meaning are found by the vectors of the store", async () => {
    const store = await filled(openStore(), [passage(7, 0.9, "one"), { ...passage(7, 0.9, "two"), id: 8 }]);
    const found = await retrieve(store, { collection, vector, dedup: true });
    expect(found.omitted).toMatchObject([{ id: 8, of: 7, by: "semantic" }]);
    const guarded = { collection, vector, dedup: { guards: ["numbers"] as const } };
    const facts = [passage(7, 0.9, "order 25"), { ...passage(7, 0.9, "order 26"), id: 8 }];
    expect((await retrieve(await filled(openStore(), facts), guarded)).results).toHaveLength(2);
  });

  it("what was dropped is made up for by what comes next", async () => {
    const copies = Array.from({ length: 12 }, (_, n) => passage(n + 1, 0.99 - n * 0.01, "same words"));
    const others = Array.from({ length: 8 }, (_, n) => passage(n + 20, 0.5 - n * 0.01));
    const store = await filled(openStore(), [...copies, ...others]);
    const found = await retrieve(store, { collection, vector, topK: 5, dedup: { methods: ["exact"] } });
    expect(idsOf(found)).toEqual([1, 20, 21, 22, 23]);
    const short = await retrieve(store, { collection, vector, topK: 3, dedup: { methods: ["exact"] } });
    expect(idsOf(short)).toEqual([1]);
    expect(short.report.limits).toEqual(["Only the 12 nearest points were looked at for 3 distinct ones."]);
  });
});

describe("the budget", () => {
  it("is never exceeded, keeps the order, and lists what did not fit", async () => {
    const texts = ["aaa", "bbbbbbbbbbbb", "cc"];
    const store = await filled(
      openStore(),
      texts.map((text, n) => passage(n + 1, 0.9 - n / 10, text)),
    );
    const countTokens = (text: string): number => text.length;
    const found = await retrieve(store, { collection, vector, budgetTokens: 6, countTokens });
    expect(found.results.map(({ id, tokens }) => [id, tokens])).toEqual([
      [1, 3],
      [3, 2],
    ]);
    expect(found.tokens).toBe(5);
    expect(found.omitted).toMatchObject([{ id: 2, reason: "budget", tokens: 12 }]);
    expect(found.report.limits).toEqual([]);
  });

  it("without a counter the tokens are an estimate, and the report says so", async () => {
    const store = await filled(openStore(), fading(2));
    const found = await retrieve(store, { collection, vector, budgetTokens: 100 });
    expect(found.tokens).toBe(2 * estimateTokens("passage 1"));
    expect(found.report.options["countTokens"]).toBe("estimate");
    expect(found.report.limits).toEqual([
      "Tokens are an estimate, a third of the bytes; the model's own count may be larger.",
    ]);
  });
});

/** The reference store with the plainest search by words: how many of the query's words a text has. */
class WordsDriver extends ReferenceDriver {
  async searchText(
    collected: OpenCollection,
    words: string,
    request: Parameters<NonNullable<StoreDriver["searchText"]>>[2],
  ): Promise<readonly Hit[]> {
    const { points } = await this.scroll(collected, {
      after: undefined,
      limit: 10_000,
      filter: request.filter,
      with: { payload: true, vector: false },
    });
    const wanted = words.split(" ");
    return points
      .map((point) => ({ ...point, score: wanted.filter((word) => point.text?.includes(word)).length }))
      .filter(({ score }) => score > 0)
      .toSorted((left, right) => right.score - left.score)
      .slice(0, request.topK);
  }
}

describe("hybrid", () => {
  const openHybrid = (): VectorStoreHub => new VectorStoreHub({ store: new WordsDriver() });
  const far = passage(90, -0.5, "the invoice AB-123");

  it("brings up what only its words find, with the score of its vector", async () => {
    const store = await filled(openHybrid(), [...fading(80), far]);
    const found = await retrieve(store, { collection, query: "invoice AB-123", vector, hybrid: true });
    expect(idsOf(found)).toEqual([1, 90, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(found.results[1]?.score).toBeCloseTo(-0.5, 6);
    expect(found.results[1]?.fusedScore).toBeCloseTo(1 / 61, 12);
    expect(found.report.counts).toMatchObject({ by_words_only: 1, candidates: 51 });
  });

  it("the floor is that of the vector for it, too", async () => {
    const store = await filled(openHybrid(), [...fading(80), far]);
    const request = { collection, query: "invoice AB-123", vector, hybrid: true, minScore: 0.895 };
    const found = await retrieve(store, request);
    expect(idsOf(found)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(found.omitted).toContainEqual({
      id: 90,
      score: expect.closeTo(-0.5, 6) as number,
      reason: "below_floor",
    });
  });

  it("fewer results are the first of more, beyond the pools too", async () => {
    const store = await filled(openHybrid(), [...fading(80), far]);
    const request = { collection, query: "invoice passage 5", vector, hybrid: { pool: 10 } };
    const all = idsOf(await retrieve(store, { ...request, topK: 60 }));
    for (const topK of [1, 5, 10, 11, 20, 35]) {
      expect(idsOf(await retrieve(store, { ...request, topK }))).toEqual(all.slice(0, topK));
    }
  });

  it("a store without words says so", async () => {
    const store = await filled(referenceStore(), fading(2));
    const work = retrieve(store, { collection, query, vector, hybrid: true });
    await expect(work).rejects.toMatchObject({ code: "STORE_UNSUPPORTED" });
  });
});

describe("the result", () => {
  it("law: results and omitted are all candidates, each once; the report counts them", async () => {
    const texts = ["x", "y", "z z z z z z z z z"];
    const points = Array.from({ length: 40 }, (_, n) =>
      passage(n + 1, 0.9 - n * 0.02, `${texts[n % 3] ?? ""} ${n % 11}`),
    );
    const store = await filled(openStore(), points);
    const request = fc.record({
      topK: fc.integer({ min: 1, max: 40 }),
      minScore: fc.double({ min: -0.5, max: 1, noNaN: true }),
      dedup: fc.constantFrom(false as const, { methods: ["exact"] as const }),
      budgetTokens: fc.integer({ min: 0, max: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(request, async (options) => {
        const { results, omitted, tokens, report } = await retrieve(store, {
          collection,
          vector,
          ...options,
        });
        const ids = [...results, ...omitted].map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.length).toBe(report.counts["candidates"]);
        expect(results.length).toBeLessThanOrEqual(options.topK);
        expect(results.every(({ score }) => score >= options.minScore)).toBe(true);
        expect(tokens).toBeLessThanOrEqual(options.budgetTokens);
        expect(report.counts["results"]).toBe(results.length);
      }),
      { numRuns: 60 },
    );
  });

  it("is plain data, without the vectors that it did not ask for", async () => {
    const store = await filled(openStore(), fading(3));
    const found = await retrieve(store, { collection, vector, dedup: true, topK: 2 });
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
    expect(Object.keys(found.results[0] ?? {})).toEqual(["id", "payload", "text", "score", "tokens"]);
  });

  it("the report names fields and operators of the filter, and none of its values", async () => {
    const store = await filled(openStore(), fading(3));
    const filter = { owner: "S3CRET", AND: [{ page: { gte: 3, lt: 9 } }, { tag: ["S3CRET"] }] };
    const { report } = await retrieve(store, { collection, vector, filter });
    expect(report.options["filter"]).toEqual({
      fields: ["owner", "page", "tag"],
      operators: ["AND", "eq", "gte", "in", "lt"],
      advanced: true,
    });
    expect(JSON.stringify(report)).not.toContain("S3CRET");
  });
});
