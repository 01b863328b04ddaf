/**
 * What is sent to Qdrant and what becomes of its answers: the answers are those of a server 1.18.3.
 */
import { describe as group, expect, it } from "vitest";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import { description, DESCRIBED, ok, QdrantRecorder } from "../support/qdrant-recorder.js";
import type { Exchange } from "../support/qdrant-recorder.js";
import { failureOf } from "../support/refusal-table.js";

const uuid = (last: string): string => `550e8400-e29b-41d4-a716-44665544000${last}`;
const post = (what: string, body: object, result: unknown): Exchange => ({
  method: "POST",
  path: `/collections/a/points/${what}`,
  body,
  answer: ok(result),
});
const query = (body: object, points: readonly object[]): Exchange =>
  post("query", { query: [1, 0, 0, 0], with_payload: true, with_vector: false, ...body }, { points });

async function against<T>(
  exchanges: readonly Exchange[],
  call: (hub: VectorStoreHub, recorder: QdrantRecorder) => Promise<T>,
): Promise<T> {
  await using recorder = await QdrantRecorder.start(exchanges);
  await using hub = new VectorStoreHub(`qdrant://${recorder.host}`);
  const result = await call(hub, recorder);
  recorder.verify();
  return result;
}

const q = [1, 0, 0, 0];
const FOUND = [
  { id: uuid("0"), version: 1, score: 1, payload: { t: "x", n: 1 } },
  { id: uuid("1"), version: 1, score: 0.6, payload: { t: "y", n: 2 } },
];

it("a search asks for one more than wanted, and gives plain hits", async () => {
  const hits = await against([DESCRIBED, query({ limit: 11 }, FOUND)], (hub) => hub.searchVectors("a", q));
  expect(hits).toEqual([
    { id: uuid("0"), payload: { t: "x", n: 1 }, score: 1 },
    { id: uuid("1"), payload: { t: "y", n: 2 }, score: 0.6 },
  ]);
});

it("the threshold that is sent lies one 32-bit step below: the server drops what equals it", async () => {
  const below = 0.5999999642372131;
  expect(Math.fround(below)).toBe(below);
  const hits = await against([DESCRIBED, query({ limit: 3, score_threshold: below }, FOUND)], (hub) =>
    hub.searchVectors("a", q, { topK: 2, scoreThreshold: 0.6 }),
  );
  expect(hits.map(({ score }) => score)).toEqual([1, 0.6]);
});

it("what the server keeps below the threshold is dropped here", async () => {
  const hits = await against(
    [DESCRIBED, query({ limit: 11, score_threshold: 0.9999999403953552 }, FOUND)],
    (hub) => hub.searchVectors("a", q, { scoreThreshold: 1 }),
  );
  expect(hits.map(({ score }) => score)).toEqual([1]);
});

it("a tie on the last place is asked for until it ends; then ids decide", async () => {
  const tied = (ids: readonly unknown[]): readonly object[] =>
    ids.map((id) => ({ id, score: 0.5, payload: {} }));
  const hits = await against(
    [
      DESCRIBED,
      query({ limit: 3 }, tied([uuid("1"), 300, 9])),
      query({ limit: 6 }, tied([uuid("1"), 300, 9, uuid("0"), 7])),
    ],
    (hub) => hub.searchVectors("a", q, { topK: 2 }),
  );
  expect(hits.map(({ id }) => id)).toEqual([7, 9]);
});

it("IDX-03: a point with a poisoned vector is no hit", async () => {
  const poisoned = [{ id: 99, version: 8, score: null, payload: {} }];
  const failure = await against([DESCRIBED, query({ limit: 11 }, poisoned)], (hub) =>
    failureOf(() => hub.searchVectors("a", q)),
  );
  expect([failure.code, failure.details.received]).toEqual(["STORE_REFUSED", "null"]);
});

it("distances of Euclid become similarities", async () => {
  const euclid: Exchange = { ...DESCRIBED, answer: description({ distance: "Euclid" }) };
  const near = [
    { id: 1, score: 0, payload: {} },
    { id: 2, score: 5, payload: {} },
  ];
  const hits = await against(
    [euclid, query({ limit: 11, score_threshold: 5.000000476837158 }, near)],
    (hub) => hub.searchVectors("a", q, { scoreThreshold: -5 }),
  );
  expect(hits.map(({ score }) => score)).toEqual([0, -5]);
});

it.each([
  ["named vectors", { vectors: { text: { size: 4, distance: "Cosine" } } }],
  ["another distance", { vectors: { size: 4, distance: "Manhattan" } }],
])("%s are not ours", async (_title, params) => {
  const other: Exchange = { ...DESCRIBED, answer: ok({ status: "green", config: { params } }) };
  const failure = await against([other], (hub) => failureOf(() => hub.count("a")));
  expect(failure.code).toBe("COLLECTION_MISMATCH");
});

it("a damaged collection is not written to", async () => {
  const red: Exchange = { ...DESCRIBED, answer: description({}, { status: "red" }) };
  const failure = await against([red], (hub) =>
    failureOf(() => hub.storeVectors("a", [{ id: 1, vector: q }])),
  );
  expect(failure.code).toBe("STORE_REFUSED");
});

it("ids beyond 2^53 keep their digits, both ways", async () => {
  const text =
    '{"result":{"points":[{"id":9007199254740993,"payload":{"n":9007199254740993}}],"next_page_offset":18446744073709551615},"status":"ok","time":0}';
  const scrolled: Exchange = {
    method: "POST",
    path: "/collections/a/points/scroll",
    answer: { status: 200, body: text },
  };
  await against(
    [DESCRIBED, scrolled, { ...scrolled, answer: ok({ points: [], next_page_offset: null }) }],
    async (hub, recorder) => {
      const page = await hub.scroll("a", { limit: 1 });
      expect([page.points[0]?.id, page.next]).toEqual(["9007199254740993", "18446744073709551615"]);
      expect(await hub.scroll("a", { limit: 1, after: page.next ?? "" })).toEqual({ points: [], next: null });
      expect(recorder.bodies.at(-1)).toContain('"offset":18446744073709551615,');
    },
  );
});

it("a payload that has an `id` of its own keeps it a number", async () => {
  const text =
    '{"result":{"points":[{"id":18446744073709551615,"payload":{"id":100000000000000000,"of":[{"id":9007199254740992}]}}],"next_page_offset":null},"status":"ok","time":0}';
  const scrolled: Exchange = {
    method: "POST",
    path: "/collections/a/points/scroll",
    answer: { status: 200, body: text },
  };
  const { points } = await against([DESCRIBED, scrolled], (hub) => hub.scroll("a"));
  expect(points).toEqual([{ id: "18446744073709551615", payload: { id: 1e17, of: [{ id: 2 ** 53 }] } }]);
});

it("what Qdrant cannot keep elsewhere goes into the payload, and out of it again", async () => {
  const metadata = { sluice: { embedder_id: "e", folded_fields: ["title", "deep.tags"] } };
  const folding: Exchange = {
    ...DESCRIBED,
    answer: ok({
      status: "green",
      config: { params: { vectors: { size: 4, distance: "Cosine" } }, metadata },
    }),
  };
  const payload = { title: "ÜBER", deep: { tags: ["A", 1] } };
  const stored = { ...payload, _id: "doc_1", _text: "words", _lc: { title: "über", deep: { tags: ["a"] } } };
  await against(
    [
      folding,
      { method: "PUT", path: "/collections/a/points?wait=true", answer: ok({ status: "completed" }) },
      {
        method: "POST",
        path: "/collections/a/points/scroll",
        answer: ok({ points: [{ id: uuid("0"), payload: stored, vector: q }], next_page_offset: null }),
      },
    ],
    async (hub, recorder) => {
      await hub.storeVectors("a", [{ id: "doc_1", vector: q, payload, text: "words" }], { embedderId: "e" });
      // What a request holds is what the hub wrote.
      const sent = JSON.parse(recorder.bodies.at(-1) ?? "") as {
        points: Array<{ id: string; payload: object }>;
      };
      expect(sent.points[0]?.payload).toEqual(stored);
      expect(sent.points[0]?.id).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      const { points } = await hub.scroll("a", { withVector: true });
      expect(points).toEqual([{ id: "doc_1", payload, text: "words", vector: Float32Array.from(q) }]);
      const failure = await failureOf(() => hub.storeVectors("a", [], { embedderId: "other" }));
      expect(failure.code).toBe("EMBEDDER_MISMATCH");
      const question = await failureOf(() => hub.searchVectors("a", q, { embedderId: "other" }));
      expect(question.code).toBe("EMBEDDER_MISMATCH");
    },
  );
});

group("a collection on three nodes", () => {
  it("has three copies, two of which confirm", async () => {
    const creation = {
      vectors: { size: 4, distance: "Cosine", on_disk: true },
      replication_factor: 3,
      write_consistency_factor: 2,
      shard_number: 6,
      metadata: { sluice: { embedder_id: "e", folded_fields: ["title"] } },
    };
    await using recorder = await QdrantRecorder.start([
      { method: "PUT", path: "/collections/a", body: creation, answer: ok(true) },
      {
        method: "GET",
        path: "/collections/a",
        answer: description(
          { replicas: 3 },
          { config: { params: { vectors: { size: 4, distance: "Cosine" } }, metadata: creation.metadata } },
        ),
      },
    ]);
    await using hub = new VectorStoreHub(`qdrant://${recorder.host}?replication=3&shards=6`);
    const made = await hub.ensureCollection("a", {
      dimension: 4,
      onDisk: true,
      embedderId: "e",
      foldedFields: ["title"],
    });
    expect(made).toEqual({
      name: "a",
      dimension: 4,
      metric: "cosine",
      embedderId: "e",
      foldedFields: ["title"],
    });
    recorder.verify();
  });
});

it("health names the nodes, the collections and their trouble", async () => {
  const health = await against(
    [
      { method: "GET", path: "/readyz", answer: { status: 200, body: "all shards are ready" } },
      { method: "GET", path: "/collections", answer: ok({ collections: [{ name: "a" }] }) },
      {
        ...DESCRIBED,
        answer: description(
          {},
          { status: "yellow", optimizer_status: { error: "disk full" }, points_count: 5 },
        ),
      },
      {
        method: "GET",
        path: "/collections/a/cluster",
        answer: ok({
          local_shards: [{ shard_id: 0, state: "Active" }],
          remote_shards: [{ shard_id: 0, state: "Dead" }],
        }),
      },
    ],
    (hub) => hub.health(),
  );
  expect(health).toMatchObject({
    status: "ok",
    store: "qdrant",
    version: "1.18.3",
    collections: [
      { name: "a", status: "yellow", points: 5, indexed: 0, problem: "disk full; 1 copies are not active" },
    ],
    pending: 0,
  });
});

it("full text is the embedded store's", async () => {
  await using hub = new VectorStoreHub("qdrant://localhost");
  expect((await failureOf(() => hub.searchText("a", "words"))).code).toBe("STORE_UNSUPPORTED");
});
