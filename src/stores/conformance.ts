/**
 * What every store must do, as named checks that need no test runner: a check rejects with what was expected and what came.
 *
 * A store that passes answers the same calls the same way as every other one. Each check makes a collection of its own,
 * whose name begins with the prefix that it is given.
 */
import type { Metric } from "../metric.js";
import { SluiceError } from "../errors.js";
import type { Filter } from "../filter/filter.js";
import type { Hit, Point, PointId, VectorStore } from "./vector-store.js";

/** What a check works with. */
export interface StoreCheckSetting {
  readonly store: VectorStore;
  /** Begins the name of the collection; no other may have it. */
  readonly prefix: string;
}

/** A check. */
export interface StoreCheck {
  readonly name: string;
  run(setting: StoreCheckSetting): Promise<void>;
}

/** A check that failed. */
export class StoreCheckError extends Error {
  override readonly name = "StoreCheckError";
}

type Body = (store: VectorStore, collection: string) => Promise<void>;

/** Query (3, 4) against these; what each metric must say. The zero vector is refused under cosine. */
const SCORE_VECTORS: ReadonlyArray<readonly [id: number, vector: readonly number[]]> = [
  [1, [3, 4]],
  [2, [4, -3]],
  [3, [-3, -4]],
  [4, [0, 0]],
  [5, [6, 8]],
];
const SCORES: Readonly<Record<Metric, ReadonlyArray<readonly [id: number, score: number]>>> = {
  cosine: [
    [1, 1],
    [5, 1],
    [2, 0],
    [3, -1],
  ],
  dot: [
    [5, 50],
    [1, 25],
    [2, 0],
    [4, 0],
    [3, -25],
  ],
  l2: [
    [1, 0],
    [4, -5],
    [5, -5],
    [2, -Math.sqrt(50)],
    [3, -10],
  ],
};

/** Payloads that filters are tried on, by id from 1. */
const FILTER_PAYLOADS = [
  {
    user_id: "ann",
    n: 9,
    tags: ["red", "blue"],
    done: true,
    at: "2025-01-15T09:30:00Z",
    deep: { name: "a" },
  },
  { user_id: "ann", n: 4.5, tags: ["red"], done: false, title: "100% done_" },
  { user_id: "ann", n: "9", tags: [], at: "2025-03-11T00:30:00+02:00" },
  { user_id: "ann", n: [2, 8], tags: null, title: "Meeting notes" },
  { user_id: "bob", n: 9, tags: ["red"], done: true },
  { n: -3 },
] as const;
const FILTERS: ReadonlyArray<readonly [name: string, filter: Filter, ids: readonly number[]]> = [
  ["equal text", { user_id: "ann" }, [1, 2, 3, 4]],
  ["equal number, not the text", { n: 9 }, [1, 5]],
  ["equal fraction", { n: 4.5 }, [2]],
  ["equal truth", { done: false }, [2]],
  ["an element of an array", { tags: "red" }, [1, 2, 5]],
  ["unequal includes what is absent", { done: { ne: true } }, [2, 3, 4, 6]],
  ["one of", { n: { in: [9, "9", -3] } }, [1, 3, 5, 6]],
  ["one of none", { n: { in: [] } }, []],
  ["none of none", { n: { nin: [] } }, [1, 2, 3, 4, 5, 6]],
  ["a range by one value", { n: { gt: 2, lt: 8 } }, [2]],
  ["a range that elements meet only together", { n: { gt: 2, lte: 7 } }, [2]],
  ["instants across zones", { at: { gte: "2025-03-10T22:30:00Z" } }, [3]],
  ["present", { tags: "*" }, [1, 2, 5]],
  ["contained, literally", { title: { contains: "0% d" } }, [2]],
  ["a path", { "deep.name": "a" }, [1]],
  ["all", { AND: [{ tags: "red" }, { tags: "blue" }] }, [1]],
  ["any", { OR: [{ n: -3 }, { done: false }] }, [2, 6]],
  ["none", { NOT: [{ user_id: "ann" }, { user_id: "bob" }] }, [6]],
  ["scope cannot be widened", { user_id: "ann", AND: [{ user_id: "bob" }] }, []],
];

const checks: Readonly<Record<string, Body>> = {
  "a collection is made once and compared after that": async (store, collection) => {
    const [first, second] = await Promise.all([
      store.ensureCollection(collection, { dimension: 3 }),
      store.ensureCollection(collection, { dimension: 3 }),
    ]);
    same("the two answers", second, first);
    await fails("COLLECTION_MISMATCH", () => store.ensureCollection(collection, { dimension: 4 }));
    await fails("COLLECTION_MISMATCH", () =>
      store.ensureCollection(collection, { dimension: 3, metric: "dot" }),
    );
    const names = (await store.collections()).map(({ name }) => name);
    same("the list holds it", names.includes(collection), true);
  },

  "a collection that is not there is COLLECTION_MISSING": async (store, collection) => {
    await fails("COLLECTION_MISSING", () => store.storeVectors(collection, [{ id: 1, vector: [1] }]));
    await fails("COLLECTION_MISSING", () => store.searchVectors(collection, [1]));
    await fails("COLLECTION_MISSING", () => store.count(collection));
  },

  "ids, payloads, texts and vectors come back as they were": async (store, collection) => {
    await store.ensureCollection(collection, { dimension: 2, metric: "dot" });
    const uuid = "0d6c6d6e-7f3a-4b1c-9d2e-111111111111";
    const ids: readonly PointId[] = [
      0,
      7,
      Number.MAX_SAFE_INTEGER,
      "18446744073709551615",
      uuid,
      "a name",
      "42",
    ];
    const payload = { text: "ä\n\"'", list: [1, null, { a: true }], big: 1e300 };
    await written(
      store,
      collection,
      ids.map((id) => ({ id, vector: [0.1, -3e-20], payload, text: "words" })),
    );
    const back = await store.get(collection, [...ids, "nobody"], { withVector: true });
    same(
      "the ids",
      back.map(({ id }) => id),
      ids,
    );
    for (const point of back) {
      same("the payload", point.payload, payload);
      same("the text", point.text, "words");
      same("the vector", [...(point.vector ?? [])], [Math.fround(0.1), Math.fround(-3e-20)]);
    }
  },

  "the same ids again replace, and the last of equal ids wins": async (store, collection) => {
    await store.ensureCollection(collection, { dimension: 2, metric: "dot" });
    const points = [1, 2, 3].map((id) => ({ id, vector: [id, 1], payload: { round: 1, only: "first" } }));
    await written(store, collection, points);
    const again = [1, 2, 3, 2].map((id, n) => ({ id, vector: [id, 2], payload: { round: n } }));
    const report = await store.storeVectors(collection, again);
    same("the counts", [report.requested, report.written, report.superseded], [4, 3, 1]);
    same("the points", await store.count(collection), 3);
    const back = await store.get(collection, [1, 2, 3]);
    same(
      "the payloads",
      back.map((point) => point.payload),
      [{ round: 0 }, { round: 3 }, { round: 2 }],
    );
  },

  "a query is what it was when it was asked, whatever becomes of its buffer": async (store, collection) => {
    await store.ensureCollection(collection, { dimension: 2, metric: "dot" });
    await written(store, collection, [
      { id: 1, vector: [1, 0] },
      { id: 2, vector: [0, 1] },
    ]);
    const query = Float32Array.of(1, 0);
    const asked = store.searchVectors(collection, query, { topK: 1 });
    query.set([0, 1]);
    same("the nearest", idsOf(await asked), [1]);
  },

  "writers of the same points at once leave one of each": async (store, collection) => {
    await store.ensureCollection(collection, { dimension: 2, metric: "dot" });
    const points = Array.from({ length: 50 }, (_, id) => ({ id, vector: [id, 1], payload: { id } }));
    await Promise.all([1, 2, 3, 4].map(() => written(store, collection, points)));
    same("the points", await store.count(collection), 50);
  },

  "what is no point is reported by position, the rest is written": async (store, collection) => {
    await store.ensureCollection(collection, { dimension: 3 });
    const good = (id: number): Point => ({ id, vector: [id, 1, 0] });
    const report = await store.storeVectors(collection, [
      good(1),
      { id: 2, vector: [1, 2] },
      { id: 3, vector: [1, 2, 3, 4, 5, 6] },
      { id: 4, vector: [1e39, 0, 0] },
      { id: 5, vector: [Number.NaN, 0, 0] },
      { id: 6, vector: [0, 0, 0] },
      { id: 7.5, vector: [1, 0, 0] },
      { id: 8, vector: [1, 0, 0], payload: { _id: "mine" } },
      good(9),
    ]);
    same(
      "the failures",
      report.failed.map(({ index, code }) => [index, code]),
      [
        [1, "DIMENSION_MISMATCH"],
        [2, "DIMENSION_MISMATCH"],
        [3, "VECTOR_NOT_FINITE"],
        [4, "VECTOR_NOT_FINITE"],
        [5, "VECTOR_ZERO"],
        [6, "POINT_ID_INVALID"],
        [7, "PAYLOAD_INVALID"],
      ],
    );
    same("the counts", [report.requested, report.written, report.mayBePartial], [9, 2, false]);
    same("the points", await store.count(collection), 2);
  },

  "a query of another length, not finite or without direction is refused": async (store, collection) => {
    await store.ensureCollection(collection, { dimension: 3 });
    await fails("DIMENSION_MISMATCH", () => store.searchVectors(collection, [1, 2]));
    await fails("DIMENSION_MISMATCH", () => store.searchVectors(collection, [1, 2, 3, 4, 5, 6]));
    await fails("VECTOR_NOT_FINITE", () => store.searchVectors(collection, [1e39, 0, 0]));
    await fails("VECTOR_ZERO", () => store.searchVectors(collection, [0, 0, 0]));
    await fails("OPTION_INVALID", () => store.searchVectors(collection, [1, 0, 0], { topK: 0 }));
  },

  "a threshold keeps the score that equals it": async (store, collection) => {
    await store.ensureCollection(collection, { dimension: 2, metric: "dot" });
    await written(
      store,
      collection,
      [3, 2, 1].map((id) => ({ id, vector: [id, 0] })),
    );
    const found = async (scoreThreshold: number): Promise<readonly PointId[]> =>
      idsOf(await store.searchVectors(collection, [1, 0], { scoreThreshold }));
    same("at 2", await found(2), [3, 2]);
    same("just above 2", await found(2.001), [3]);
    same("at 4", await found(4), []);
  },

  "equal scores come in the order of their ids, also where the list ends": async (store, collection) => {
    await store.ensureCollection(collection, { dimension: 2, metric: "dot" });
    const uuids = ["b", "0"].map((letter) => `${letter}0000000-0000-4000-8000-000000000000`);
    await written(
      store,
      collection,
      [...uuids, 30, 4, 100].map((id) => ({ id, vector: [1, 0] })),
    );
    const order: readonly PointId[] = [4, 30, 100, uuids[1] ?? "", uuids[0] ?? ""];
    for (const topK of [1, 2, 4, 5, 50]) {
      const found = await store.searchVectors(collection, [1, 0], { topK });
      same(`the first ${topK}`, idsOf(found), order.slice(0, topK));
    }
  },

  "a filter that nothing matches finds nothing, and one that few match finds those": async (
    store,
    collection,
  ) => {
    await store.ensureCollection(collection, { dimension: 2, metric: "dot" });
    const points = Array.from({ length: 10 }, (_, id) => ({
      id,
      vector: [10 - id, 1],
      payload: { even: id % 5 === 0 },
    }));
    await written(store, collection, points);
    const found = async (filter: Filter): Promise<readonly PointId[]> =>
      idsOf(await store.searchVectors(collection, [1, 0], { topK: 5, filter }));
    same("nothing", await found({ even: "neither" }), []);
    same("two of ten", await found({ even: true }), [0, 5]);
    await store.deletePoints(collection, { ids: [0] });
    same("one is deleted", await found({ even: true }), [5]);
    same("more than there are", (await store.searchVectors(collection, [1, 0], { topK: 50 })).length, 9);
  },

  "a walk goes by id, in pages that meet": async (store, collection) => {
    await store.ensureCollection(collection, { dimension: 2, metric: "dot" });
    const uuid = "00000000-0000-4000-8000-000000000000";
    const ids: readonly PointId[] = [uuid, ...Array.from({ length: 11 }, (_, n) => 10 - n)];
    await written(
      store,
      collection,
      ids.map((id) => ({ id, vector: [1, 1], payload: { odd: typeof id === "number" && id % 2 === 1 } })),
    );
    const walked: PointId[] = [];
    let after: string | undefined;
    do {
      const page = await store.scroll(collection, { limit: 5, after });
      walked.push(...page.points.map(({ id }) => id));
      after = page.next ?? undefined;
    } while (after !== undefined);
    same("the order", walked, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, uuid]);
    const odd = await store.scroll(collection, { filter: { odd: true } });
    same(
      "with a filter",
      odd.points.map(({ id }) => id),
      [1, 3, 5, 7, 9],
    );
    same("the end", odd.next, null);
  },

  "deleting by filter needs a scope": async (store, collection) => {
    await store.ensureCollection(collection, { dimension: 2, metric: "dot" });
    const payloads = [{ user_id: "ann", old: true }, { user_id: "ann" }, { user_id: "bob", old: true }];
    await written(
      store,
      collection,
      payloads.map((payload, id) => ({ id, vector: [1, 1], payload })),
    );
    await fails("SCOPE_REQUIRED", () => store.deletePoints(collection, { filter: {} }));
    await fails("SCOPE_REQUIRED", () => store.deletePoints(collection, { filter: { old: true } }));
    await fails("SCOPE_REQUIRED", () =>
      store.deletePoints(collection, { filter: { OR: [{ user_id: "ann" }, { old: true }] } }),
    );
    same("nothing is gone", await store.count(collection), 3);
    same("in scope", await store.deletePoints(collection, { filter: { user_id: "ann", old: true } }), {
      deleted: 1,
    });
    same("by id", await store.deletePoints(collection, { ids: [1, 99] }), { deleted: 1 });
    same("on demand", await store.deletePoints(collection, { filter: { old: true }, allowUnscoped: true }), {
      deleted: 1,
    });
    same("all are gone", await store.count(collection), 0);
  },

  "a call that was aborted before rejects with the reason": async (store, collection) => {
    await store.ensureCollection(collection, { dimension: 2, metric: "dot" });
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    for (const call of [
      () => store.storeVectors(collection, [{ id: 1, vector: [1, 1] }], { signal }),
      () => store.searchVectors(collection, [1, 1], { signal }),
      () => store.scroll(collection, { signal }),
      () => store.count(collection, { signal }),
    ]) {
      same("the reason", await failureOf(call), reason);
    }
    same("nothing is written", await store.count(collection), 0);
  },

  ...Object.fromEntries(
    // The keys of the table are the metrics.
    (Object.keys(SCORES) as Metric[]).map((metric): [string, Body] => [
      `scores of ${metric} are similarities`,
      async (store, collection) => {
        await store.ensureCollection(collection, { dimension: 2, metric });
        const points = SCORE_VECTORS.filter(([id]) => metric !== "cosine" || id !== 4);
        await written(
          store,
          collection,
          points.map(([id, vector]) => ({ id, vector })),
        );
        const found = await store.searchVectors(collection, [3, 4]);
        same(
          "the order",
          idsOf(found),
          SCORES[metric].map(([id]) => id),
        );
        for (const [n, [id, score]] of SCORES[metric].entries()) {
          const got = found[n]?.score ?? Number.NaN;
          if (!(Math.abs(got - score) <= 1e-5 * Math.max(1, Math.abs(score))))
            same(`the score of ${id}`, got, score);
        }
      },
    ]),
  ),

  ...Object.fromEntries(
    FILTERS.map(([name, filter, ids]): [string, Body] => [
      `filter: ${name}`,
      async (store, collection) => {
        await store.ensureCollection(collection, { dimension: 2, metric: "dot" });
        await written(
          store,
          collection,
          FILTER_PAYLOADS.map((payload, n) => ({ id: n + 1, vector: [1, 1], payload })),
        );
        const page = await store.scroll(collection, { filter });
        same(
          "the walk",
          page.points.map(({ id }) => id),
          ids,
        );
        same("the count", await store.count(collection, { filter }), ids.length);
        const hits = await store.searchVectors(collection, [1, 1], { filter });
        same("the search", idsOf(hits), ids);
      },
    ]),
  ),
};

/** All checks of a store. Example: `test/stores/conformance.test.ts`. */
export const STORE_CONFORMANCE: readonly StoreCheck[] = Object.entries(checks).map(([name, body], n) => ({
  name,
  run: ({ store, prefix }) => body(store, `${prefix}-${n}`),
}));

async function written(store: VectorStore, collection: string, points: readonly Point[]): Promise<void> {
  const report = await store.storeVectors(collection, points);
  same("the failures", report.failed, []);
  same("the points written", report.written, points.length);
}

function idsOf(hits: readonly Hit[]): readonly PointId[] {
  return hits.map(({ id }) => id);
}

async function fails(code: string, call: () => Promise<unknown>): Promise<void> {
  const failure = await failureOf(call);
  same("the failure", failure instanceof SluiceError ? failure.code : String(failure), code);
}

async function failureOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return "nothing failed";
}

/** Compares by value; keys of objects in any order. */
function same(what: string, received: unknown, expected: unknown): void {
  if (canonical(received) === canonical(expected)) return;
  throw new StoreCheckError(`${what}: expected ${canonical(expected)}, received ${canonical(received)}`);
}

function canonical(value: unknown): string {
  if (value === undefined) return "undefined";
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  );
}
