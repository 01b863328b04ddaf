/**
 * Finds the candidates of a query: the nearest vectors, and with a hybrid search also the best answers to its words.
 *
 * Every candidate has the score of its vector, also one that only its words brought up: a floor means one thing.
 */
import { untilAborted } from "../abort.js";
import type { Metric } from "../metric.js";
import { embedChecked } from "../embed/embedder.js";
import { SluiceError } from "../errors.js";
import type { Hit, PointId, SearchReport } from "../stores/vector-store.js";
import type { Plan, RetrievalStore } from "./options.js";
import { fuseRanks } from "./reciprocal-rank.js";
import type { Stopwatch } from "./stopwatch.js";

/** A hit on its way to becoming a result. */
export interface Candidate extends Hit {
  readonly fusedScore?: number;
  readonly rerankScore?: number;
}

/** The candidates in the order of the search. */
export interface Found {
  readonly candidates: readonly Candidate[];
  /** Whether the search by vector gave as many hits as it was asked for: there may be more. */
  readonly full: boolean;
  readonly embedded: number;
  /** Candidates that only the search by words found. */
  readonly byWordsOnly: number;
  /** How the store searched by vector; undefined where it does not say. */
  readonly search: SearchReport | undefined;
}

/** Asks the store. */
export async function findCandidates(store: RetrievalStore, plan: Plan, watch: Stopwatch): Promise<Found> {
  const { collection, depth, embedderId, filter, signal } = plan;
  const vector = plan.vector ?? (await watch.time("embed", () => embedQuery(plan)));
  const withVector = plan.dedup !== undefined;
  const told: SearchReport[] = [];
  const onSearch = (report: SearchReport): void => void told.push(report);
  const byVector = await watch.time("search", () =>
    untilAborted(
      () =>
        store.searchVectors(collection, vector, {
          topK: depth,
          filter,
          withVector,
          embedderId,
          onSearch,
          signal,
        }),
      signal,
    ),
  );
  const search = told.at(-1);
  if (search !== undefined) watch.part("search", "view", search.viewSeconds);
  const found = { full: byVector.length === depth, embedded: plan.vector === undefined ? 1 : 0, search };
  const { hybrid, query } = plan;
  if (hybrid === undefined || query === undefined) return { ...found, candidates: byVector, byWordsOnly: 0 };

  const byWords = await watch.time("text", () =>
    untilAborted(() => store.searchText(collection, query, { topK: hybrid.pool, filter, signal }), signal),
  );
  const known = new Map<PointId, Candidate>(byVector.map((hit) => [hit.id, hit]));
  const unscored = byWords.map(({ id }) => id).filter((id) => !known.has(id));
  const scored = await watch.time("text", () => scoreByVector(store, plan, unscored, vector));
  for (const hit of scored) known.set(hit.id, hit);

  // Only so many of each list are fused, so that asking for more results never changes the order of the first ones.
  const pool = byVector.slice(0, hybrid.pool);
  const lists = [pool, byWords].map((list) => list.map(({ id }) => id).filter((id) => known.has(id)));
  const fused = fuseRanks(lists, hybrid.k).flatMap(({ id, fusedScore }) => {
    const hit = known.get(id);
    return hit === undefined ? [] : [{ ...hit, fusedScore }];
  });
  const inPool = new Set(fused.map(({ id }) => id));
  const tail = byVector.filter(({ id }) => !inPool.has(id));
  return { ...found, candidates: [...fused, ...tail], byWordsOnly: scored.length };
}

async function embedQuery({ embedder, query, signal }: Plan): Promise<Float32Array> {
  if (embedder === undefined || query === undefined) {
    throw new SluiceError("INTERNAL", "A request without a vector passed its check without words.");
  }
  const vector = await embedChecked(embedder, [query], { signal });
  return vector;
}

/** The hits for ids that only the words found: what the store would have said of their vectors. */
async function scoreByVector(
  store: RetrievalStore,
  { collection, dedup, signal }: Plan,
  ids: readonly PointId[],
  query: Float32Array | readonly number[],
): Promise<readonly Candidate[]> {
  if (ids.length === 0) return [];
  const collections = await untilAborted(() => store.collections({ signal }), signal);
  const metric = collections.find(({ name }) => name === collection)?.metric;
  if (metric === undefined) {
    throw new SluiceError("COLLECTION_MISSING", `There is no collection ${collection}.`, {
      field: "collection",
    });
  }
  // A point that was deleted in between is not there any more.
  const points = await untilAborted(() => store.get(collection, ids, { withVector: true, signal }), signal);
  return points.flatMap(({ vector, ...point }) => {
    if (vector === undefined) return [];
    const score = similarity(metric, query, vector);
    return [{ ...point, score, ...(dedup === undefined ? {} : { vector }) }];
  });
}

/** The score of two vectors of one length, in 64 bits. The store's own may differ in the seventh digit. */
function similarity(metric: Metric, left: ArrayLike<number>, right: ArrayLike<number>): number {
  let dot = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  let differences = 0;
  for (let n = 0; n < right.length; n += 1) {
    const a = left[n] ?? 0;
    const b = right[n] ?? 0;
    dot += a * b;
    leftSquares += a * a;
    rightSquares += b * b;
    differences += (a - b) ** 2;
  }
  switch (metric) {
    case "cosine":
      return Math.max(-1, Math.min(1, dot / Math.sqrt(leftSquares * rightSquares)));
    case "dot":
      return dot;
    case "l2":
      return differences === 0 ? 0 : -Math.sqrt(differences);
  }
}
