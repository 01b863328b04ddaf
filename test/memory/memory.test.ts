/**
 * What a memory promises, over a real store and the shipped embedder.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadEmbedder } from "../../src/embed/native-embedder.js";
import type { Embedder } from "../../src/embed/embedder.js";
import type { EntityScope } from "../../src/filter/scope.js";
import { Memory } from "../../src/memory/memory.js";
import type { MemoryConfig, MemorySearchOptions } from "../../src/memory/options.js";
import type { MemorySearchEvent } from "../../src/memory/telemetry.js";
import { StoreFailure } from "../../src/stores/store-driver.js";
import type { Hit, VectorStore } from "../../src/stores/vector-store.js";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import { RuleReranker } from "../retrieve/passages.js";
import { ReferenceDriver, referenceStore } from "../support/reference-store.js";
import { failureOf } from "../support/refusal-table.js";

/** The only line that knows which store this is. */
const openStore = referenceStore;

const shipped = await loadEmbedder("hash");
const ANN: EntityScope = { userId: "ann" };
const BOB: EntityScope = { userId: "bob" };
const NOON = Date.parse("2026-03-01T12:00:00Z");

/** The shipped embedder, and how many texts it was given. */
class Counting implements Embedder {
  readonly id = shipped.id;
  readonly dimension = shipped.dimension;
  texts = 0;

  embed(texts: readonly string[]): Promise<Float32Array> {
    this.texts += texts.length;
    return shipped.embed(texts);
  }
}

interface Bench {
  readonly memory: Memory;
  readonly hub: VectorStore;
  readonly embedder: Counting;
  readonly time: { now: number };
}

function bench(config: Partial<MemoryConfig> & { readonly hub?: VectorStore } = {}): Bench {
  const time = { now: NOON };
  const hub = config.hub ?? openStore();
  const embedder = new Counting();
  return { memory: new Memory({ embedder, clock: () => time.now, ...config, hub }), hub, embedder, time };
}

const textsOf = async (memory: Memory, scope: EntityScope, query = "live"): Promise<readonly string[]> =>
  (await memory.search(query, { scope, threshold: -1 })).results.map(({ text }) => text);

async function idOfAdded(memory: Memory, scope: EntityScope, text: string): Promise<string> {
  const [item] = (await memory.add(scope, [text])).items;
  if (item === undefined) throw new Error("nothing was added");
  return item.id;
}

describe("the scope", () => {
  it("MEM-01: only its own rows, and both ways of giving it mean the same", async () => {
    const { memory } = bench();
    await memory.add({ userId: "u1" }, ["I live in country A"]);
    await memory.add({ userId: "u2" }, ["I live in country B"]);
    const query = "where do I live";
    const own = await memory.search(query, { scope: { userId: "u1" } });
    expect(own.results.map(({ text, scope }) => [text, scope])).toEqual([
      ["I live in country A", { user_id: "u1" }],
    ]);
    const lifted = await memory.search(query, { filters: { user_id: "u1" } });
    expect(lifted.results).toEqual(own.results);
  });

  const unscoped: ReadonlyArray<readonly [string, unknown, string]> = [
    ["no options", undefined, "SCOPE_REQUIRED"],
    ["none", {}, "SCOPE_REQUIRED"],
    ["an empty one", { scope: {} }, "SCOPE_REQUIRED"],
    ["null", { scope: null }, "SCOPE_REQUIRED"],
    ["a filter without one", { filters: { category: "work" } }, "SCOPE_REQUIRED"],
    ["a nested one only", { filters: { AND: [{ user_id: "ann" }] } }, "SCOPE_REQUIRED"],
    ["a blank id", { scope: { userId: "  " } }, "SCOPE_ID_EMPTY"],
    ["a star", { scope: { userId: "*" } }, "SCOPE_ID_WILDCARD"],
    ["a star in the filter", { filters: { user_id: "*" } }, "SCOPE_ID_WILDCARD"],
    ["a list", { scope: { userId: ["ann"] } }, "SCOPE_ID_TYPE"],
    ["a blank inside", { scope: { userId: 'x" || user_id != "y' } }, "SCOPE_ID_WHITESPACE"],
    ["an id without a value beside another", { scope: { userId: undefined, agentId: "s" } }, "SCOPE_ID_TYPE"],
    ["null beside another", { scope: { userId: null, agentId: "s" } }, "SCOPE_ID_TYPE"],
    ["null beside another in the filter", { filters: { user_id: null, agent_id: "s" } }, "SCOPE_ID_TYPE"],
    ["no value in the filter", { filters: { user_id: undefined, agent_id: "s" } }, "SCOPE_ID_TYPE"],
    ["a filter that is a map", { filters: new Map([["user_id", "ann"]]) }, "FILTER_SHAPE"],
    ["a map beside the scope", { scope: ANN, filters: new Map() }, "FILTER_SHAPE"],
    [
      "a filter that says something else as JSON",
      { scope: ANN, filters: { a: 1, toJSON: () => ({}) } },
      "FILTER_SHAPE",
    ],
    ["another key", { scope: { tenantId: "t" } }, "FILTER_SHAPE"],
  ];

  it.each(unscoped)(
    "MEM-01: %s is refused without a call of the embedder or the store",
    async (_title, options, code) => {
      const hub = openStore();
      await hub.close();
      // A closed store would be CLOSED.
      const { memory, embedder } = bench({ hub });
      const failure = await failureOf(() => memory.search("a", options as MemorySearchOptions));
      expect([failure.code, embedder.texts]).toEqual([code, 0]);
    },
  );

  it("the message of a missing scope shows one", async () => {
    const { memory } = bench();
    const failure = await failureOf(() => memory.search("a", {} as MemorySearchOptions));
    expect(failure.message).toContain('{ scope: { userId: "ann" } }');
  });

  it("MEM-06: ids are trimmed, then data: quotes in them change nothing", async () => {
    const { memory } = bench();
    const odd = 'x"||user_id!="y';
    await memory.add({ userId: "  u1 " }, ["one"]);
    await memory.add({ userId: odd }, ["two"]);
    expect(await textsOf(memory, { userId: "u1" })).toEqual(["one"]);
    expect(await textsOf(memory, { userId: odd })).toEqual(["two"]);
    expect((await memory.deleteAll({ userId: odd })).deleted.memories).toBe(1);
    expect(await textsOf(memory, { userId: "u1" })).toEqual(["one"]);
  });

  it("a condition on a field of the scope narrows it, wherever it stands, and never widens it", async () => {
    const { memory } = bench();
    await memory.add(ANN, ["of ann"]);
    await memory.add(BOB, ["of bob"]);
    const anyway = [{ user_id: "bob" }, { AND: [{ user_id: "bob" }] }, { user_id: ["bob", "carl"] }];
    for (const filters of anyway) {
      expect((await memory.search("of", { scope: ANN, filters, threshold: -1 })).results).toEqual([]);
    }
    const wider = [
      { OR: [{ user_id: "bob" }, { user_id: "ann" }] },
      { user_id: "*" },
      { NOT: [{ user_id: "ann" }] },
    ];
    const found = [];
    for (const filters of wider)
      found.push(await memory.search("of", { scope: ANN, filters, threshold: -1 }));
    expect(found.map(({ results }) => results.map(({ text }) => text))).toEqual([["of ann"], ["of ann"], []]);
  });

  it("a filter that changes while it waits is the one of the call", async () => {
    const { memory } = bench();
    await memory.add(ANN, [{ text: "of ann", metadata: { lang: "de" } }]);
    const filters: { lang: string; toJSON?: () => object } = { lang: "en" };
    const searching = memory.search("of", {
      scope: ANN,
      filters: filters,
      threshold: -1,
    });
    filters.lang = "de";
    filters.toJSON = () => ({});
    expect((await searching).results).toEqual([]);
  });

  it("an id without a value deletes nothing", async () => {
    const { memory } = bench();
    await memory.add({ userId: "a", agentId: "s" }, ["x"]);
    await memory.add({ userId: "b", agentId: "s" }, ["x"]);
    // What a caller without types may do.
    const scope = { userId: undefined, agentId: "s" } as unknown as EntityScope;
    expect((await failureOf(() => memory.deleteAll(scope))).code).toBe("SCOPE_ID_TYPE");
    expect(await textsOf(memory, { agentId: "s" }, "x")).toHaveLength(2);
  });

  it("a store that gives back another's row is an error, not a shorter list", async () => {
    class Leaking extends ReferenceDriver {
      override async search(
        ...[collection, request]: Parameters<ReferenceDriver["search"]>
      ): Promise<readonly Hit[]> {
        return super.search(collection, { ...request, filter: undefined });
      }
    }
    const reranker = new RuleReranker(() => 0);
    const { memory } = bench({ hub: new VectorStoreHub({ store: new Leaking() }), reranker });
    await memory.add(ANN, ["of ann"]);
    await memory.add(BOB, ["of bob"]);
    const failure = await failureOf(() => memory.search("of", { scope: ANN, threshold: -1, rerank: true }));
    expect(failure.code).toBe("SCOPE_VIOLATION");
    // Nothing of the other was shown to anybody.
    expect(reranker.calls).toEqual([]);
  });

  it("a wider scope finds what narrower ones hold, not the other way round", async () => {
    const { memory } = bench();
    await memory.add({ userId: "ann", agentId: "a1" }, ["narrow"]);
    await memory.add(ANN, ["wide"]);
    expect((await textsOf(memory, ANN)).toSorted()).toEqual(["narrow", "wide"]);
    expect(await textsOf(memory, { userId: "ann", agentId: "a1" })).toEqual(["narrow"]);
  });

  it("an id opens nothing in another scope", async () => {
    const { memory } = bench();
    const id = await idOfAdded(memory, ANN, "of ann");
    expect(await memory.get(BOB, id)).toBeUndefined();
    expect((await memory.history(BOB, id)).status).toBe("unknown");
    expect((await memory.delete(BOB, id)).deleted.memories).toBe(0);
    expect((await failureOf(() => memory.update(BOB, id, { text: "mine" }))).code).toBe("MEMORY_MISSING");
    expect(await memory.get(ANN, id)).toMatchObject({ id, text: "of ann", version: 1 });
  });
});

describe("search", () => {
  it("MEM-06: a blank query finds nothing, and nothing is embedded", async () => {
    const { memory, embedder } = bench();
    await memory.add(ANN, ["a fact"]);
    const before = embedder.texts;
    for (const query of ["", "   ", "\n\t"]) {
      expect((await memory.search(query, { scope: ANN })).results).toEqual([]);
    }
    expect((await memory.search("a fact", { scope: ANN, topK: 0 })).results).toEqual([]);
    expect(embedder.texts).toBe(before);
  });

  it("twenty at most, and nothing under 0.1; what was cut is counted", async () => {
    const { memory } = bench();
    await memory.add(ANN, [...Array.from({ length: 30 }, (_, n) => `tea number ${n}`), "ζ"]);
    expect((await memory.search("tea number", { scope: ANN })).results).toHaveLength(20);
    const { results, filteredOut, omitted } = await memory.search("ζ", { scope: ANN, topK: 31 });
    expect(results[0]?.text).toBe("ζ");
    expect(results.every(({ score }) => score >= 0.1)).toBe(true);
    expect(filteredOut).toBe(omitted.length);
    expect(results.length + filteredOut).toBe(31);
  });

  it("MEM-04: reranks a wide pool, only if asked, and falls back visibly", async () => {
    const reranker = new RuleReranker((text) => (text.endsWith("seven") ? 1 : 0));
    const { memory } = bench({ reranker });
    await memory.add(ANN, [
      "tea",
      "tea two",
      "tea three",
      "tea or coffee",
      "tea with milk",
      "tea at five",
      "something else but seven",
    ]);
    const search = (rerank: boolean): ReturnType<Memory["search"]> =>
      memory.search("tea", { scope: ANN, topK: 3, threshold: -1, rerank, explain: true });
    const [plain, reranked] = [await search(false), await search(true)];
    expect([plain.rerank.status, reranked.rerank.status]).toEqual(["off", "ok"]);
    expect(plain.results.map(({ text }) => text)).not.toContain("something else but seven");
    expect(reranked.results[0]).toMatchObject({
      text: "something else but seven",
      explain: { rerankScore: 1, threshold: -1 },
    });
    expect(reranked.results).toHaveLength(3);
    expect(reranked.results.slice(1).map(({ id }) => id)).toEqual(
      plain.results.slice(0, 2).map(({ id }) => id),
    );

    reranker.rerank = () => Promise.reject(new Error("offline"));
    const failed = await search(true);
    expect(failed.rerank.status).toBe("failed");
    expect(failed.results).toEqual(plain.results);
  });

  it("filters by metadata, and gives it back", async () => {
    const { memory } = bench();
    const metadata = { category: "work", priority: 3 };
    await memory.add(ANN, [{ text: "meeting at nine", metadata }, "tea at nine"]);
    const { results } = await memory.search("at nine", { scope: ANN, filters: { priority: { gte: 3 } } });
    expect(results).toMatchObject([
      { text: "meeting at nine", metadata, createdAt: "2026-03-01T12:00:00.000Z" },
    ]);
    expect(Object.keys(results[0] ?? {})).not.toContain("_memory");
  });

  it("never changes what the caller handed over", async () => {
    const { memory } = bench();
    const freeze = <T extends object>(value: T): T => {
      for (const inner of Object.values(value))
        if (typeof inner === "object" && inner !== null) freeze(inner as object);
      return Object.freeze(value);
    };
    await memory.add(freeze({ userId: " ann " }), freeze([{ text: "a", metadata: { tags: ["x"] } }]));
    const filters = freeze({ user_id: " ann ", AND: [{ tags: "x" }], NOT: [{ tags: "y" }] });
    expect((await memory.search("a", { filters })).results).toHaveLength(1);
    expect((await memory.search("a", { scope: ANN, filters })).results).toHaveLength(0);
  });

  it.each([
    [{ topK: 1_001 }, "topK"],
    [{ topK: -1 }, "topK"],
    [{ threshold: 1.5 }, "threshold"],
    [{ threshold: Number.NaN }, "threshold"],
    [{ limit: 3 }, "limit"],
  ])("refuses %j", async (options, field) => {
    const { memory, embedder } = bench();
    const failure = await failureOf(() => memory.search("a", { scope: ANN, ...options }));
    expect([failure.code, failure.details.field, embedder.texts]).toEqual(["OPTION_INVALID", field, 0]);
  });

  it("tells a listener its shape: no words, no values, no ids in clear", async () => {
    const events: MemorySearchEvent[] = [];
    const { memory } = bench({ onSearch: (event) => events.push(event) });
    const filters = { category: "S3CRET", priority: { gte: 3 } };
    await memory.search("S3CRET words", { scope: { userId: "S3CRET" }, filters, topK: 7, threshold: 0.3 });
    expect(events).toMatchObject([
      {
        limit: 7,
        threshold: 0.3,
        filterKeys: ["category", "priority"],
        advanced: true,
        rerank: "off",
        results: 0,
      },
    ]);
    expect(events[0]?.scope.user_id).toMatch(/^[0-9a-f]{16}$/);
    expect(JSON.stringify(events)).not.toContain("S3CRET");
  });

  it.each<readonly [string, () => void, number]>([
    ["throws", () => expect.fail("of the listener"), 1],
    ["rejects later", () => Promise.reject(new Error("of the listener")), 0],
    ["never ends", () => new Promise(() => undefined), 0],
    ["is well", () => undefined, 0],
  ])("goes on when a listener %s, and says so", async (_title, onSearch, failed) => {
    const { memory } = bench({ onSearch });
    await memory.add(ANN, ["live"]);
    const { results, report } = await memory.search("live", { scope: ANN });
    expect([results.length, report.counts["listener_failed"]]).toEqual([1, failed]);
    expect(report.limits).toHaveLength(failed);
  });
});

describe("what a caller without types may hand over", () => {
  const refused: ReadonlyArray<readonly [string, object, string]> = [
    ["a hub without methods", { hub: {} }, "hub"],
    ["a number for a hub", { hub: 5 }, "hub"],
    ["an embedder without an id", { embedder: { dimension: 3, embed: () => undefined } }, "embedder"],
    ["an embedder without methods", { embedder: { id: "e", dimension: 3 } }, "embedder"],
    ["a reranker without methods", { reranker: { id: "r" } }, "reranker"],
    ["a clock that is none", { clock: 5 }, "clock"],
    ["ids that are no function", { ids: "x" }, "ids"],
    ["a listener that is none", { onSearch: {} }, "onSearch"],
  ];

  it.each(refused)("%s is OPTION_INVALID, and says what it should be", async (_title, config, field) => {
    const failure = await failureOf(() => bench(config));
    expect(failure).toMatchObject({ code: "OPTION_INVALID", details: { field } });
    expect(failure.details.expected).not.toBe("another value");
  });

  it("filters that are none are, too", async () => {
    const { memory } = bench();
    const failure = await failureOf(() =>
      memory.search("a", { filters: 5 as unknown as { user_id: string } }),
    );
    expect(failure.details).toMatchObject({ field: "filters", expected: "a filter" });
  });

  it.each([[Number.NaN], [Infinity], [9e15], ["now"]])("a clock that gives %s is refused", async (now) => {
    const { memory } = bench({ clock: () => now as number });
    const calls = [
      () => memory.add(ANN, ["a"]),
      () => memory.search("a", { scope: ANN }),
      () => memory.get(ANN, "a"),
      () => memory.update(ANN, "a", { text: "b" }),
      () => memory.delete(ANN, "a"),
      () => memory.deleteAll(ANN),
    ];
    for (const call of calls) {
      expect((await failureOf(call)).details).toMatchObject({ field: "clock" });
    }
  });

  it.each([[5], [""], [null], ["\ud800"], ["x".repeat(1_025)]])(
    "ids that give %j are refused",
    async (id) => {
      const { memory, hub } = bench({ ids: () => id as string });
      expect((await failureOf(() => memory.add(ANN, ["a"]))).details).toMatchObject({ field: "ids" });
      expect(await hub.count("memory")).toBe(0);
    },
  );

  const life = { created_at: "2026-01-01T00:00:00.000Z", events: [], earlier: [], dropped: 0 };
  it.each<readonly [string, unknown]>([
    ["nothing", undefined],
    ["a number", 5],
    ["events that are none", { ...life, events: 5 }],
    ["an event that is none", { ...life, events: [null] }],
    ["earlier events that are none", { ...life, earlier: "x" }],
  ])("a point that no memory wrote among the deleted is COLLECTION_MISMATCH: %s", async (_title, record) => {
    const { memory, hub } = bench();
    const id = await idOfAdded(memory, ANN, "one");
    const payload = { user_id: "ann", ...(record === undefined ? {} : { _memory: record }) };
    await hub.storeVectors("memory.deleted", [{ id, vector: [1], payload }]);
    expect((await failureOf(() => memory.history(ANN, id))).code).toBe("COLLECTION_MISMATCH");
    expect((await failureOf(() => memory.delete(ANN, id))).code).toBe("COLLECTION_MISMATCH");
  });
});

describe("expiry", () => {
  it("from its instant on a memory is not found, and the same text begins anew", async () => {
    const { memory, time } = bench();
    const id = (await memory.add(ANN, [{ text: "on leave", expiresAt: "2026-03-02" }])).items[0]?.id ?? "";
    time.now = Date.parse("2026-03-02T00:00:00Z") - 1;
    expect(await textsOf(memory, ANN)).toEqual(["on leave"]);
    time.now += 1;
    expect(await textsOf(memory, ANN)).toEqual([]);
    expect(await memory.get(ANN, id)).toBeUndefined();
    expect((await memory.add(ANN, ["on leave"])).items).toMatchObject([{ event: "ADD", id }]);
    expect(await textsOf(memory, ANN)).toEqual(["on leave"]);
  });

  it.each<readonly [string, string | undefined]>([
    ["a text", undefined],
    ["a key", "status"],
  ])(
    "the history of %s goes on when what has expired is learnt again, as after a deletion",
    async (_t, key) => {
      const { memory, hub, time } = bench();
      const learn = async (text: string): Promise<string> => {
        const expiresAt = new Date(time.now + 1_000);
        const [item] = (await memory.add(ANN, [{ text, expiresAt, ...(key === undefined ? {} : { key }) }]))
          .items;
        if (item?.event !== "ADD") throw new Error("not added");
        return item.id;
      };
      const id = await learn("S3CRET");
      await memory.update(ANN, id, { metadata: { n: 1 } });
      time.now += 5_000;
      expect(await learn("S3CRET")).toBe(id);
      time.now += 5_000;
      await learn("S3CRET");
      const events = async (): Promise<unknown[]> =>
        (await memory.history(ANN, id)).events.map(({ event, text }) => [event, text]);
      const gone = [
        ["ADD", undefined],
        ["UPDATE", undefined],
        ["DELETE", undefined],
        ["ADD", undefined],
        ["DELETE", undefined],
        ["ADD", undefined],
      ];
      expect(await events()).toEqual([...gone.slice(0, -1), ["ADD", "S3CRET"]]);
      expect((await memory.history(ANN, id)).events[2]?.at).toBe(new Date(NOON + 1_000).toISOString());
      await memory.delete(ANN, id);
      expect(await events()).toEqual([...gone, ["DELETE", undefined]]);
      expect(JSON.stringify((await hub.scroll("memory.deleted")).points)).not.toContain("S3CRET");
    },
  );

  it("where the end of what has expired cannot be written down, it does not begin anew", async () => {
    const driver = new ReferenceDriver();
    const { memory, time } = bench({ hub: new VectorStoreHub({ store: driver }) });
    const add = (): ReturnType<Memory["add"]> =>
      memory.add(ANN, [{ text: "one", expiresAt: new Date(time.now + 1_000) }, "two"]);
    await add();
    time.now += 5_000;
    const write = driver.write.bind(driver);
    driver.write = (collection, points) =>
      collection.name === "memory.deleted"
        ? Promise.reject(new StoreFailure("refused", "STORE_REFUSED", "No."))
        : write(collection, points);
    expect((await add()).items.map(({ event }) => event)).toEqual(["FAILED", "NONE"]);
    driver.write = write;
    const [one] = (await add()).items;
    expect(one?.event).toBe("ADD");
    const { events } = await memory.history(ANN, one?.id ?? "");
    expect(events.map(({ event }) => event)).toEqual(["ADD", "DELETE", "ADD"]);
  });

  it.each([["2020-01-01"], ["tomorrow"], ["2027-01-01T10:00:00"], [new Date(Number.NaN)]])(
    "refuses %s",
    async (expiresAt) => {
      const { memory } = bench();
      const failure = await failureOf(() => memory.add(ANN, ["good", { text: "a", expiresAt }]));
      expect(failure.details).toMatchObject({ field: "expiresAt", position: 1 });
      expect(await textsOf(memory, ANN)).toEqual([]);
    },
  );
});

describe("add", () => {
  it("the same text in the same scope is one memory, in one call and in two, and is embedded once", async () => {
    const { memory, embedder } = bench();
    const first = await memory.add(ANN, ["I like tea", "I like tea", "I like coffee"]);
    expect(first.items.map(({ event }) => event)).toEqual(["ADD", "NONE", "ADD"]);
    expect(first.items[1]?.id).toBe(first.items[0]?.id);
    const again = await memory.add(ANN, ["I like tea"]);
    expect(again.items).toEqual([
      { position: 0, event: "NONE", id: first.items[0]?.id, by: "exact", similarity: 1 },
    ]);
    expect(embedder.texts).toBe(2);
    expect(first.report.counts).toEqual({ items: 3, embedded: 2, added: 2, updated: 0, known: 1, failed: 0 });
  });

  it("another scope, narrower ones included, has its own", async () => {
    const { memory } = bench();
    const scopes: readonly EntityScope[] = [ANN, BOB, { userId: "ann", agentId: "a" }, { agentId: "ann" }];
    const ids = [];
    for (const scope of scopes) ids.push(await idOfAdded(memory, scope, "I like tea"));
    expect(new Set(ids).size).toBe(4);
  });

  it.each([
    ["a UUID in lower case", "abcdef00-0000-4000-8000-00000000abcd"],
    ["one in upper case", "ABCDEF00-0000-4000-8000-00000000ABCD"],
    ["one as a URN", "urn:uuid:ABCDEF00-0000-4000-8000-00000000ABCD"],
    ["another text", "One Id"],
  ])("an id that is taken is never given to another memory: %s", async (_title, id) => {
    const { memory } = bench({ ids: () => id });
    const given = await idOfAdded(memory, ANN, "of ann");
    for (const form of [given, id]) expect((await memory.get(ANN, form))?.text).toBe("of ann");
    for (const scope of [BOB, ANN]) {
      const failure = await failureOf(() => memory.add(scope, ["another"]));
      expect([failure.code, failure.details.field]).toEqual(["OPTION_INVALID", "ids"]);
    }
    expect((await memory.update(ANN, id, { text: "still of ann" })).id).toBe(given);
    expect(await textsOf(memory, ANN)).toEqual(["still of ann"]);
    expect((await memory.delete(ANN, id)).deleted.memories).toBe(1);
    expect((await memory.history(ANN, id)).status).toBe("deleted");
  });

  it("nor is the id of a key that a caller's function gave away", async () => {
    const { memory: keyed } = bench();
    const [known] = (await keyed.add(ANN, [{ text: "tea", key: "drink" }])).items;
    const hub = openStore();
    const { memory } = bench({ hub, ids: () => known?.id ?? "" });
    await memory.add(BOB, ["of bob"]);
    const failure = await failureOf(() => memory.add(ANN, [{ text: "tea", key: "drink" }]));
    expect([failure.code, failure.details.field]).toEqual(["OPTION_INVALID", "ids"]);
    expect(await textsOf(memory, BOB)).toEqual(["of bob"]);
  });

  it("two at once, and two processes at once, end in one memory", async () => {
    const hub = openStore();
    const [one, two] = [bench({ hub }).memory, bench({ hub }).memory];
    await Promise.all([one.add(ANN, ["tea"]), one.add(ANN, ["tea"]), two.add(ANN, ["tea"])]);
    expect(await hub.count("memory")).toBe(1);
  });

  it("a text that was updated away can be added again", async () => {
    const { memory } = bench();
    const id = await idOfAdded(memory, ANN, "I like tea");
    await memory.update(ANN, id, { text: "I like coffee" });
    expect(await idOfAdded(memory, ANN, "I like tea")).not.toBe(id);
    expect(await idOfAdded(memory, ANN, "I like coffee")).toBe(id);
    expect((await textsOf(memory, ANN)).toSorted()).toEqual(["I like coffee", "I like tea"]);
  });

  it("a key names a fact: another text replaces it", async () => {
    const { memory } = bench();
    const add = (text: string): ReturnType<Memory["add"]> => memory.add(ANN, [{ text, key: "city" }]);
    const events = [];
    for (const text of ["Oslo", "Oslo", "Rome"]) events.push((await add(text)).items[0]?.event);
    expect(events).toEqual(["ADD", "NONE", "UPDATE"]);
    const twice = await memory.add(ANN, [
      { text: "Bern", key: "city" },
      { text: "Prague", key: "city" },
    ]);
    expect(twice.items.map(({ event }) => event)).toEqual(["UPDATE", "UPDATE"]);
    expect(await textsOf(memory, ANN)).toEqual(["Prague"]);
  });

  const similar = [
    "my order 25 will arrive on Monday morning",
    "my order 25 will arrive on monday morning",
  ] as const;

  it("MEM-06: facts are merged by meaning only if asked, and never across guards, keys or scopes", async () => {
    const dedup = { method: "semantic", threshold: 0.6 } as const;
    const other = "my order 26 will arrive on Monday morning";
    const events = async (work: (memory: Memory) => ReturnType<Memory["add"]>): Promise<string[]> =>
      (await work(bench().memory)).items.map(({ event }) => event);
    expect(await events((memory) => memory.add(ANN, similar))).toEqual(["ADD", "ADD"]);
    expect(await events((memory) => memory.add(ANN, similar, { dedup }))).toEqual(["ADD", "NONE"]);
    expect(await events((memory) => memory.add(ANN, [similar[0], other], { dedup }))).toEqual(["ADD", "ADD"]);
    const keyed = similar.map((text, n) => ({ text, key: `order-${n}` }));
    expect(await events((memory) => memory.add(ANN, keyed, { dedup }))).toEqual(["ADD", "ADD"]);
    const scopes: readonly EntityScope[] = [BOB, { userId: "ann", agentId: "a" }];
    for (const scope of scopes) {
      const crossed = events(async (memory) => {
        await memory.add(scope, [similar[0]], { dedup });
        return memory.add(ANN, [similar[1]], { dedup });
      });
      expect(await crossed).toEqual(["ADD"]);
    }
  });

  it("the new text may be the one that stays", async () => {
    const { memory } = bench();
    const dedup = { method: "semantic", threshold: 0.6, keep: "new" } as const;
    const { items } = await memory.add(ANN, similar, { dedup });
    expect(items.map(({ event, id }) => [event, id === items[0]?.id])).toEqual([
      ["ADD", true],
      ["UPDATE", true],
    ]);
    expect(await textsOf(memory, ANN)).toEqual([similar[1]]);
  });

  it("what the store did not take is FAILED, its copies too, and the others are there", async () => {
    const driver = new ReferenceDriver();
    const { memory } = bench({ hub: new VectorStoreHub({ store: driver }) });
    const write = driver.write.bind(driver);
    driver.write = (collection, points) =>
      points.some(({ point }) => point.text === "bad")
        ? Promise.reject(new StoreFailure("refused", "STORE_REFUSED", "No."))
        : write(collection, points);
    const { items, report } = await memory.add(ANN, ["good", "bad", "bad", "fine"]);
    expect(items.map(({ event }) => event)).toEqual(["ADD", "FAILED", "FAILED", "ADD"]);
    expect(report.counts).toMatchObject({ added: 2, failed: 2 });
    expect((await textsOf(memory, ANN)).toSorted()).toEqual(["fine", "good"]);
  });

  it.each([
    [[""], "text"],
    [[{ text: "  " }], "text"],
    [[7], "items"],
    [["x".repeat(32_769)], "text"],
    [[{ text: "a", metadata: { user_id: "bob" } }], "metadata.user_id"],
    [[{ text: "a", metadata: { _memory: {} } }], "metadata._memory"],
    [[{ text: "a", meta: {} }], "meta"],
  ])("refuses %j before anything is embedded", async (items, field) => {
    const { memory, embedder } = bench();
    const failure = await failureOf(() => memory.add(ANN, ["good", ...(items as string[])]));
    expect([failure.code, failure.details.field, embedder.texts]).toEqual(["OPTION_INVALID", field, 0]);
  });

  it("law: adding any list twice, or in any parts, gives the same memories", async () => {
    const texts = fc.array(fc.constantFrom("a", "b", "c", "d", "e f"), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(8), async (list, cut) => {
        const [whole, parts] = [bench(), bench()];
        await whole.memory.add(ANN, list);
        await parts.memory.add(ANN, list.slice(0, cut));
        await parts.memory.add(ANN, list);
        const all = async ({ hub }: Bench): Promise<unknown> => (await hub.scroll("memory")).points;
        expect(await all(parts)).toEqual(await all(whole));
        expect(await whole.hub.count("memory")).toBe(new Set(list).size);
      }),
      { numRuns: 30 },
    );
  });
});

describe("update and history", () => {
  it("keeps what is not named, counts versions, and tells what was", async () => {
    const { memory, time } = bench();
    const [item] = (await memory.add(ANN, [{ text: "Oslo", metadata: { kind: "city" } }])).items;
    const id = item?.id ?? "";
    time.now += 1_000;
    expect(await memory.update(ANN, id, { text: "Rome" })).toEqual({ id, event: "UPDATE", version: 2 });
    expect(await memory.update(ANN, id, {})).toEqual({ id, event: "NONE", version: 2 });
    const before = await memory.history(ANN, id);
    const metadata = { kind: "city" };
    for (const equal of [{ text: "Rome" }, { metadata }, { text: "Rome", metadata, expiresAt: null }]) {
      expect(await memory.update(ANN, id, equal)).toEqual({ id, event: "NONE", version: 2 });
    }
    expect(await memory.history(ANN, id)).toEqual(before);
    expect(await memory.get(ANN, id)).toMatchObject({
      text: "Rome",
      metadata: { kind: "city" },
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:01.000Z",
    });
    expect(await memory.history(ANN, id)).toEqual({
      id,
      status: "there",
      events: [
        { event: "ADD", at: "2026-03-01T12:00:00.000Z", text: "Oslo" },
        { event: "UPDATE", at: "2026-03-01T12:00:01.000Z", text: "Rome" },
      ],
      dropped: 0,
    });
  });

  it("an update of metadata alone embeds nothing", async () => {
    const { memory, embedder } = bench();
    const id = await idOfAdded(memory, ANN, "Oslo");
    await memory.update(ANN, id, { metadata: { kind: "city" } });
    expect(embedder.texts).toBe(1);
    expect((await memory.search("Oslo", { scope: ANN, filters: { kind: "city" } })).results).toHaveLength(1);
  });

  it("a memory of two ids keeps both when it is updated through one", async () => {
    const { memory } = bench();
    const id = await idOfAdded(memory, { userId: "ann", agentId: "a" }, "Oslo");
    await memory.update(ANN, id, { text: "Rome" });
    expect((await memory.get(ANN, id))?.scope).toEqual({ user_id: "ann", agent_id: "a" });
  });

  it("updates at once do not lose each other", async () => {
    const { memory } = bench();
    const id = await idOfAdded(memory, ANN, "v1");
    await Promise.all([2, 3, 4, 5].map((n) => memory.update(ANN, id, { text: `v${n}` })));
    const { events } = await memory.history(ANN, id);
    expect(events.map(({ text }) => text)).toEqual(["v1", "v2", "v3", "v4", "v5"]);
  });

  it("the oldest events go when there are too many, and are counted", async () => {
    const { memory } = bench();
    const id = await idOfAdded(memory, ANN, "v0");
    for (let n = 1; n <= 105; n += 1) await memory.update(ANN, id, { metadata: { n } });
    const { events, dropped } = await memory.history(ANN, id);
    expect([events.length, dropped]).toEqual([100, 6]);
  });
});

describe("forgetting", () => {
  it("a deleted memory leaves when what happened, and none of its texts", async () => {
    const { memory, hub } = bench();
    const id = await idOfAdded(memory, ANN, "S3CRET one");
    await memory.update(ANN, id, { text: "S3CRET two" });
    const receipt = await memory.delete(ANN, id);
    expect(receipt.deleted).toEqual({ memories: 1, tombstones: 0 });
    const { status, events } = await memory.history(ANN, id);
    expect([status, events.map(({ event }) => event)]).toEqual(["deleted", ["ADD", "UPDATE", "DELETE"]]);
    for (const { name } of await hub.collections()) {
      expect(JSON.stringify((await hub.scroll(name)).points)).not.toContain("S3CRET");
    }
    expect((await memory.delete(ANN, id)).deleted.memories).toBe(0);
  });

  it("all of a scope goes, from both places, and nothing of another", async () => {
    const { memory, hub } = bench();
    await memory.add(ANN, ["one", "two"]);
    await memory.add({ userId: "ann", runId: "r" }, ["three"]);
    await memory.add(BOB, ["of bob"]);
    await memory.delete(ANN, await idOfAdded(memory, ANN, "one"));
    expect((await memory.deleteAll(ANN)).deleted).toEqual({ memories: 2, tombstones: 1 });
    expect(await textsOf(memory, ANN)).toEqual([]);
    expect(await textsOf(memory, BOB)).toEqual(["of bob"]);
    expect(await hub.count("memory.deleted")).toBe(0);
    expect((await memory.deleteAll(ANN)).deleted).toEqual({ memories: 0, tombstones: 0 });
  });

  it("deleteAll without a scope is refused", async () => {
    const { memory } = bench();
    expect((await failureOf(() => memory.deleteAll({} as EntityScope))).code).toBe("SCOPE_REQUIRED");
  });

  it("a store that dies between its two writes loses nothing: the call again ends it", async () => {
    const driver = new ReferenceDriver();
    const { memory, time } = bench({ hub: new VectorStoreHub({ store: driver }) });
    const id = await idOfAdded(memory, ANN, "one");
    const remove = driver.delete.bind(driver);
    driver.delete = () => Promise.reject(new StoreFailure("fatal", "STORE_REFUSED", "No."));
    expect((await failureOf(() => memory.delete(ANN, id))).code).toBe("STORE_REFUSED");
    expect((await memory.get(ANN, id))?.text).toBe("one");
    const eventsNow = async (): Promise<string[]> =>
      (await memory.history(ANN, id)).events.map(({ event }) => event);
    expect(await eventsNow()).toEqual(["ADD"]);
    driver.delete = remove;
    expect((await memory.delete(ANN, id)).deleted.memories).toBe(1);
    expect(await memory.get(ANN, id)).toBeUndefined();
    expect(await eventsNow()).toEqual(["ADD", "DELETE"]);
    time.now += 1_000;
    await memory.add(ANN, ["one"]);
    expect(await eventsNow()).toEqual(["ADD", "DELETE", "ADD"]);
  });
});
