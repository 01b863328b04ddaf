/**
 * What a server and the network between may do, and what becomes of the call.
 */
import { expect, it } from "vitest";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import type { StoreConfig } from "../../src/stores/store-config.js";
import type { Point } from "../../src/stores/vector-store.js";
import { GREETING, description, DESCRIBED, ok, QdrantRecorder, refusal } from "../support/qdrant-recorder.js";
import type { Answer, Exchange } from "../support/qdrant-recorder.js";
import { failureOf } from "../support/refusal-table.js";
import { stillClock } from "../support/still-clock.js";

const CREATION = {
  vectors: { size: 4, distance: "Cosine" },
  replication_factor: 1,
  write_consistency_factor: 1,
  metadata: { sluice: {} },
};
const create = (answer: Answer): Exchange => ({
  method: "PUT",
  path: "/collections/a",
  body: CREATION,
  answer,
});
const describe = (answer: Answer): Exchange => ({ method: "GET", path: "/collections/a", answer });
const wirePoint = (id: number): object => ({ id, vector: [id, 1, 0, 0], payload: {} });
const upsert = (ids: readonly number[], answer: Answer): Exchange => ({
  method: "PUT",
  path: "/collections/a/points?wait=true",
  body: { points: ids.map(wirePoint) },
  answer,
});
const points = (ids: readonly number[]): readonly Point[] => ids.map((id) => ({ id, vector: [id, 1, 0, 0] }));
const COMPLETED = ok({ operation_id: 1, status: "completed" });
const ACKNOWLEDGED = ok({ operation_id: 2, status: "acknowledged" });
const EXISTS = refusal(409, "Wrong input: Collection `a` already exists!");
const NODE_DOWN = refusal(500, "Service internal error: 4 out of 6 shards failed to apply operation.");
const WRONG_ID = refusal(400, "Format error in JSON body: value zz is not a valid point ID");
const TOO_LARGE = refusal(
  400,
  "JSON payload (34603071 bytes) is larger than allowed (limit: 33554432 bytes).",
);
const RATE =
  "Rate limiting exceeded: Write rate limit exceeded: Operation requires 1 tokens. Retry after 12s";
const BAD_GATEWAY: Answer = { status: 502, body: "<html><h1>502 Bad Gateway</h1></html>" };

/** Runs a call against a server with these answers, and sees that it asked for all of them and for nothing else. */
async function against<T>(
  exchanges: readonly Exchange[],
  call: (hub: VectorStoreHub, clock: ReturnType<typeof stillClock>) => Promise<T>,
  config: Partial<StoreConfig> = {},
): Promise<T> {
  await using recorder = await QdrantRecorder.start(exchanges);
  const clock = stillClock();
  await using hub = new VectorStoreHub({ store: `qdrant://${recorder.host}`, clock, ...config });
  const result = await call(hub, clock);
  recorder.verify();
  return result;
}

it("the recorder refuses what it never heard", async () => {
  await expect(against([DESCRIBED], (hub) => hub.count("a").catch(() => 0))).rejects.toThrow(
    /not recorded: POST/,
  );
  await expect(against([DESCRIBED, DESCRIBED], (hub) => hub.get("a", []))).rejects.toThrow(
    /not asked for: GET/,
  );
});

it("IDX-05: two that create at once get the same collection; 500 right after is waited for", async () => {
  const [first, second] = await against(
    [
      create(ok(true)),
      create(EXISTS),
      describe(refusal(500, "Service internal error: shards are not ready")),
      describe(description()),
      create(EXISTS),
      describe(description()),
    ],
    (hub) => Promise.all([1, 2].map(() => hub.ensureCollection("a", { dimension: 4 }))),
  );
  expect(first).toEqual({ name: "a", dimension: 4, metric: "cosine", foldedFields: [] });
  expect(second).toEqual(first);
});

it("a collection that was there is compared, never made anew", async () => {
  const failure = await against([create(EXISTS), describe(description({ size: 3 }))], (hub) =>
    failureOf(() => hub.ensureCollection("a", { dimension: 4 })),
  );
  expect(failure.code).toBe("COLLECTION_MISMATCH");
  expect(failure.details).toMatchObject({ field: "dimension", expected: "4", received: "3" });
});

it.each([{ embedderId: "e" }, { foldedFields: ["title"] }])(
  "a server that keeps no metadata is not told %o for nothing",
  async (options) => {
    const forgetful = ok({
      status: "green",
      config: { params: { vectors: { size: 4, distance: "Cosine" } } },
    });
    const anyCreation: Exchange = { method: "PUT", path: "/collections/a", answer: ok(true) };
    const failure = await against([anyCreation, describe(forgetful)], (hub) =>
      failureOf(() => hub.ensureCollection("a", { dimension: 4, ...options })),
    );
    expect([failure.code, failure.details.field]).toEqual(["STORE_UNSUPPORTED", "metadata"]);
  },
);

it("an index of another type is never replaced", async () => {
  const there = description({}, { payload_schema: { user_id: { data_type: "integer" } } });
  const failure = await against([create(EXISTS), describe(there)], (hub) =>
    failureOf(() => hub.ensureCollection("a", { dimension: 4 })),
  );
  expect(failure.code).toBe("COLLECTION_MISMATCH");
});

it("the indexes of the scope are made where they are missing, that of the user as the main one", async () => {
  const index = (body: object): Exchange => ({
    method: "PUT",
    path: "/collections/a/index?wait=true",
    body,
    answer: COMPLETED,
  });
  await against(
    [
      create(ok(true)),
      describe(description({}, { payload_schema: { agent_id: { data_type: "keyword" } } })),
      index({ field_name: "price", field_schema: { type: "float" } }),
      index({ field_name: "user_id", field_schema: { type: "keyword", is_tenant: true } }),
      index({ field_name: "run_id", field_schema: { type: "keyword" } }),
      index({ field_name: "tenant_id", field_schema: { type: "keyword" } }),
    ],
    (hub) => hub.ensureCollection("a", { dimension: 4, payloadIndexes: { price: "float" } }),
  );
});

/** What the server says to a write of three points, one answer a request; the report; the waits. */
const WRITES: ReadonlyArray<{
  readonly title: string;
  readonly answers: readonly Exchange[];
  readonly report: object;
  readonly failed?: ReadonlyArray<readonly [index: number, code: string, retryable: boolean]>;
  readonly waits?: readonly number[];
}> = [
  {
    title: "completed is written",
    answers: [upsert([1, 2, 3], COMPLETED)],
    report: { written: 3, batches: 1, attempts: 1, mayBePartial: false },
  },
  {
    title: "acknowledged is not: it is sent again until it is completed",
    answers: [upsert([1, 2, 3], ACKNOWLEDGED), upsert([1, 2, 3], COMPLETED)],
    report: { written: 3, batches: 1, attempts: 2, mayBePartial: false },
    waits: [50],
  },
  {
    title: "a node that is down is waited for, longer every time",
    answers: [NODE_DOWN, NODE_DOWN, NODE_DOWN, COMPLETED].map((answer) => upsert([1, 2, 3], answer)),
    report: { written: 3, batches: 1, attempts: 4, mayBePartial: false },
    waits: [50, 100, 200],
  },
  {
    title: "500 to the end leaves points that may be there",
    answers: Array.from({ length: 5 }, () => upsert([1, 2, 3], NODE_DOWN)),
    report: { written: 0, batches: 1, attempts: 5, mayBePartial: true },
    failed: [0, 1, 2].map((index) => [index, "STORE_UNREACHABLE", true]),
    waits: [50, 100, 200, 400],
  },
  {
    title: "429 with Retry-After waits so long and a little more",
    answers: [upsert([1, 2, 3], refusal(429, RATE, { "retry-after": "12" })), upsert([1, 2, 3], COMPLETED)],
    report: { written: 3, attempts: 2, mayBePartial: false },
    waits: [12_050],
  },
  {
    title: "429 without Retry-After waits like any other",
    answers: [upsert([1, 2, 3], refusal(429, RATE)), upsert([1, 2, 3], COMPLETED)],
    report: { written: 3, attempts: 2, mayBePartial: false },
    waits: [50],
  },
  {
    title: "429 that asks for longer than a minute is given up at once",
    answers: [upsert([1, 2, 3], refusal(429, RATE, { "retry-after": "3600" }))],
    report: { written: 0, attempts: 1, mayBePartial: false },
    failed: [0, 1, 2].map((index) => [index, "STORE_UNREACHABLE", true]),
    waits: [],
  },
  {
    title: "413 halves the batch",
    answers: [
      upsert([1, 2, 3], refusal(413, "too large")),
      upsert([1, 2], COMPLETED),
      upsert([3], COMPLETED),
    ],
    report: { written: 3, batches: 2, attempts: 3, mayBePartial: false },
    waits: [],
  },
  {
    title: "too large in a 400 halves it too, and a single point is too large",
    answers: [upsert([1, 2, 3], TOO_LARGE), upsert([1, 2], COMPLETED), upsert([3], TOO_LARGE)],
    report: { written: 2, batches: 2, attempts: 3, mayBePartial: false },
    failed: [[2, "POINT_TOO_LARGE", false]],
  },
  {
    title: "a batch that is refused is halved until the bad point stands alone",
    answers: [
      upsert([1, 2, 3], WRONG_ID),
      upsert([1, 2], WRONG_ID),
      upsert([1], COMPLETED),
      upsert([2], WRONG_ID),
      upsert([3], COMPLETED),
    ],
    report: { written: 2, batches: 3, attempts: 5, mayBePartial: false },
    failed: [[1, "STORE_REFUSED", false]],
    waits: [],
  },
  {
    title: "a connection that breaks halves the batch and tries again",
    answers: [upsert([1, 2, 3], { fault: "cut" }), upsert([1, 2], COMPLETED), upsert([3], COMPLETED)],
    report: { written: 3, batches: 2, attempts: 3, mayBePartial: false },
    waits: [50],
  },
  {
    title: "a page of a proxy is no answer",
    answers: [upsert([1, 2, 3], BAD_GATEWAY), upsert([1, 2, 3], COMPLETED)],
    report: { written: 3, attempts: 2, mayBePartial: false },
    waits: [50],
  },
  {
    title: "a page of a proxy with status 200 is none either",
    answers: [upsert([1, 2, 3], { status: 200, body: "<html>welcome</html>" }), upsert([1, 2, 3], COMPLETED)],
    report: { written: 3, attempts: 2, mayBePartial: false },
  },
  {
    title: "a collection that is gone is not written to again",
    answers: [upsert([1, 2, 3], refusal(404, "Not found: Collection `a` doesn't exist!"))],
    report: { written: 0, attempts: 1, mayBePartial: false },
    failed: [0, 1, 2].map((index) => [index, "COLLECTION_MISSING", false]),
    waits: [],
  },
];

it.each(WRITES)("write: $title", async ({ answers, report, failed = [], waits }) => {
  await against([DESCRIBED, ...answers], async (hub, clock) => {
    const result = await hub.storeVectors("a", points([1, 2, 3]));
    expect(result).toMatchObject({ requested: 3, superseded: 0, ...report });
    expect(result.failed.map(({ index, code, retryable }) => [index, code, retryable])).toEqual(failed);
    if (waits !== undefined) expect(clock.waits).toEqual(waits);
    expect(structuredClone(result)).toEqual(JSON.parse(JSON.stringify(result)));
  });
});

it("the reason is the server's own", async () => {
  const report = await against([DESCRIBED, upsert([1], WRONG_ID)], (hub) =>
    hub.storeVectors("a", points([1])),
  );
  expect(report.failed[0]?.message).toContain("value zz is not a valid point ID");
});

it("points that were not confirmed are sent again, until they are", async () => {
  const down = Array.from({ length: 5 }, () => upsert([1, 2], NODE_DOWN));
  await against([DESCRIBED, ...down, upsert([1, 2], COMPLETED)], async (hub) => {
    expect((await hub.storeVectors("a", points([1, 2]))).written).toBe(0);
    expect(await hub.resendPending("a")).toMatchObject({ requested: 2, written: 2, failed: [] });
    expect(await hub.resendPending("a")).toMatchObject({ requested: 0, attempts: 0 });
  });
});

it("a newer point takes the place of the one that waits, a deleted one does not come back", async () => {
  const down = Array.from({ length: 5 }, () => upsert([1, 2], NODE_DOWN));
  const which = { must: [{ has_id: [2] }] };
  await against(
    [
      DESCRIBED,
      ...down,
      upsert([1], COMPLETED),
      {
        method: "POST",
        path: "/collections/a/points/count",
        body: { exact: true, filter: which },
        answer: ok({ count: 0 }),
      },
      {
        method: "POST",
        path: "/collections/a/points/delete?wait=true",
        body: { points: [2] },
        answer: COMPLETED,
      },
    ],
    async (hub) => {
      await hub.storeVectors("a", points([1, 2]));
      await hub.storeVectors("a", points([1]));
      expect(await hub.deletePoints("a", { ids: [2] })).toEqual({ deleted: 0 });
      expect(await hub.resendPending("a")).toMatchObject({ requested: 0 });
    },
  );
});

it("a body that stops is given up in time, and tried again", async () => {
  const count = (answer: Answer): Exchange => ({
    method: "POST",
    path: "/collections/a/points/count",
    answer,
  });
  const found = await against(
    [DESCRIBED, count({ fault: "slow" }), count(ok({ count: 12 }))],
    (hub) => hub.count("a"),
    { requestTimeoutMs: 2_000 },
  );
  expect(found).toBe(12);
});

it("an abort ends a request that hangs, with the caller's reason", async () => {
  const hanging: Exchange = {
    method: "POST",
    path: "/collections/a/points/count",
    answer: { fault: "slow" },
  };
  const reason = new Error("enough");
  await using recorder = await QdrantRecorder.start([DESCRIBED, hanging]);
  await using hub = new VectorStoreHub({ store: `qdrant://${recorder.host}` });
  const abort = new AbortController();
  const heard = recorder.heard(hanging.path);
  const counting = hub.count("a", { signal: abort.signal });
  await Promise.all([
    expect(counting).rejects.toBe(reason),
    heard.then(() => {
      abort.abort(reason);
    }),
  ]);
  recorder.verify();
});

it("close ends a request that hangs; calls after it are CLOSED", async () => {
  const hanging: Exchange = {
    method: "POST",
    path: "/collections/a/points/count",
    answer: { fault: "slow" },
  };
  await using recorder = await QdrantRecorder.start([DESCRIBED, hanging]);
  await using hub = new VectorStoreHub({ store: `qdrant://${recorder.host}` });
  const heard = recorder.heard(hanging.path);
  const counting = failureOf(() => hub.count("a"));
  await heard;
  await hub.close();
  expect((await counting).code).toBe("CLOSED");
  expect((await failureOf(() => hub.count("a"))).code).toBe("CLOSED");
  recorder.verify();
});

it.each([
  ["429 with Retry-After", refusal(429, RATE, { "retry-after": "12" }), 12_050],
  ["429", refusal(429, RATE), 50],
  ["503", NODE_DOWN, 50],
])("the very first request is tried again after a %s", async (_what, answer, waitMs) => {
  const greeting: Exchange = { method: "GET", path: "/", answer };
  const count: Exchange = { method: "POST", path: "/collections/a/points/count", answer: ok({ count: 7 }) };
  await using recorder = await QdrantRecorder.start([greeting, GREETING, DESCRIBED, count], false);
  const clock = stillClock();
  await using hub = new VectorStoreHub({ store: `qdrant://${recorder.host}`, clock });
  expect(await hub.count("a")).toBe(7);
  expect(clock.waits).toEqual([waitMs]);
  recorder.verify();
});

it.each([
  ["a page", { status: 200, body: "<html>Welcome</html>" }, "STORE_REFUSED", /no Qdrant server/],
  ["nothing at that path", refusal(404, "not found"), "STORE_REFUSED", /no Qdrant server/],
  ["a refused key", refusal(401, "Invalid API key"), "STORE_REFUSED", /refused the key/],
])("%s to the very first request is fatal at once", async (_what, answer, code, message) => {
  const greeting: Exchange = { method: "GET", path: "/", answer };
  await using recorder = await QdrantRecorder.start([greeting], false);
  await using hub = new VectorStoreHub({ store: `qdrant://${recorder.host}`, clock: stillClock() });
  const failure = await failureOf(() => hub.count("a"));
  expect([failure.code, failure.message]).toEqual([code, expect.stringMatching(message)]);
  recorder.verify();
});

it("nobody there is STORE_UNREACHABLE, after every try", async () => {
  const clock = stillClock();
  await using hub = new VectorStoreHub({ store: "qdrant://127.0.0.1:1", clock });
  expect((await failureOf(() => hub.count("a"))).code).toBe("STORE_UNREACHABLE");
  expect(clock.waits).toHaveLength(4);
  expect((await hub.health()).status).toBe("down");
});

it("the next node answers for the one that is dead", async () => {
  await using recorder = await QdrantRecorder.start([DESCRIBED, upsert([1], COMPLETED)]);
  const clock = stillClock();
  await using hub = new VectorStoreHub({ store: `qdrant://127.0.0.1:1,${recorder.host}`, clock });
  expect((await hub.storeVectors("a", points([1]))).written).toBe(1);
  recorder.verify();
});

it("copies are written in one order", async () => {
  const replicated: Exchange = { ...DESCRIBED, answer: description({ replicas: 3 }) };
  const ordered: Exchange = {
    ...upsert([1], COMPLETED),
    path: "/collections/a/points?wait=true&ordering=medium",
  };
  const report = await against([replicated, ordered], (hub) => hub.storeVectors("a", points([1])));
  expect(report.written).toBe(1);
});

it("the key goes into the header, and over TLS only", async () => {
  await using recorder = await QdrantRecorder.start([DESCRIBED]);
  const store = `qdrant://${recorder.host}`;
  expect((await failureOf(() => new VectorStoreHub({ store, apiKey: "k3y" }))).details).toMatchObject({
    field: "apiKey",
  });
  await using hub = new VectorStoreHub({ store, apiKey: "k3y", allowInsecureKey: true });
  await hub.get("a", []);
  await hub.initialize();
  expect(recorder.headers.map((headers) => headers["api-key"])).toContain("k3y");
});

it("what is no Qdrant is refused", async () => {
  const other: Exchange = {
    method: "GET",
    path: "/",
    answer: { status: 200, body: { name: "something else" } },
  };
  await using recorder = await QdrantRecorder.start([other], false);
  await using hub = new VectorStoreHub(`qdrant://${recorder.host}`);
  expect((await failureOf(() => hub.initialize())).code).toBe("STORE_REFUSED");
});
