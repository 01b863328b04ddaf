/**
 * What every index backend must do, as named checks that need no test runner.
 *
 * The one idea: the definition of an answer is brute force over the items in hand. A backend may miss hits where it is
 * approximate, but never tells a wrong score, a removed item, one that the filter leaves out, or too few.
 */
import type { Metric } from "../metric.js";
import { Index } from "./search-index.js";
import type { IndexHit } from "./search-result.js";

/** One check: resolves when it holds, rejects with a sentence when it does not. */
export interface ConformanceCheck {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** What is checked, and how strictly. */
export interface BackendConformanceOptions {
  /** The backend's own arguments. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /** The metrics it knows. Default: all. */
  readonly metrics?: readonly Metric[] | undefined;
  /** Least share of the true best ten that is found. Default 1: exact. */
  readonly recall?: number | undefined;
}

/** An item of the checks. */
interface Item {
  readonly number: number;
  readonly group: number;
}

const DIMENSION = 16;
const ITEMS = 600;
const GROUPS = 10;
const QUERIES = 20;

/** The checks of a backend, by its name. Example: `test/index/conformance.test.ts`. */
export function backendConformance(
  backend: string,
  options: BackendConformanceOptions = {},
): readonly ConformanceCheck[] {
  const recall = options.recall ?? 1;
  const metrics = options.metrics ?? ["cosine", "dot", "l2"];
  const built = (metric: Metric): Promise<Index<Item>> =>
    Index.fromVectorsAndItems<Item, string>(vectors, items, backend, {
      ...options.args,
      dimension: DIMENSION,
      metric,
    });
  const each = (
    name: string,
    run: (index: Index<Item>, metric: Metric) => Promise<void>,
  ): ConformanceCheck[] =>
    metrics.map((metric) => ({
      name: `${metric}: ${name}`,
      run: async () => {
        await using index = await built(metric);
        await run(index, metric);
      },
    }));
  return [
    ...each("the best ten are those of brute force, with their scores", async (index, metric) => {
      const { results } = await index.queryTopK(queries, 10);
      compare(results, metric, () => true, { take: 10, recall });
    }),
    ...each("a filter leaves only what matches, and never too few", async (index, metric) => {
      for (const group of [0, GROUPS]) {
        const { results } = await index.queryTopK(queries, 10, { filter: { group } });
        compare(results, metric, (item) => item.group === group, { take: 10, recall });
      }
    }),
    ...each("asked for more than there is, it gives all", async (index, metric) => {
      const { results } = await index.queryTopK(queries.slice(0, 2), ITEMS * 2);
      compare(results, metric, () => true, { take: ITEMS, recall: 1 });
    }),
    ...each("a threshold gives everything at or above it", async (index, metric) => {
      for (const query of queries) {
        // Between two scores, since sums in another order differ in their last bits.
        const [last, next] = expected(query, metric, () => true).slice(24);
        const threshold = ((last?.score ?? 0) + (next?.score ?? 0)) / 2;
        const { results } = await index.queryThreshold(query, threshold);
        const least = results[0]?.at(-1)?.score ?? threshold;
        demand(least >= threshold, `a hit scores ${least}, below ${threshold}`);
        demand(recalled(results[0] ?? [], query, metric, () => true, 25) >= recall, "hits are missing");
      }
    }),
    ...each("a removed item is never found", async (index, metric) => {
      const gone = (item: Item): boolean => item.number % 3 === 0;
      await index.remove(items.filter(gone).map((item) => item.number));
      const { results } = await index.queryTopK(queries, 10);
      compare(results, metric, (item) => !gone(item), { take: 10, recall });
    }),
    ...each("items added later are found, and a rebuild keeps positions", async (index) => {
      await index.remove([1, 2]);
      const [position] = await index.add(row(7777), [{ number: ITEMS, group: GROUPS + 1 }]);
      for (const rebuild of [false, true]) {
        if (rebuild) await index.rebuild();
        const { results } = await index.queryTopK(row(7777), 1, { filter: { group: GROUPS + 1 } });
        demand(results[0]?.[0]?.position === position, `position ${position ?? -1} is not found`);
      }
    }),
    ...each("equal vectors come in order of their positions", async (index) => {
      const same = new Float32Array(DIMENSION * 30).map((_, at) => row(4242)[at % DIMENSION] ?? 0);
      const copies = Array.from({ length: 30 }, (_, at) => ({ number: ITEMS + at, group: GROUPS + 2 }));
      const positions = await index.add(same, copies);
      const { results } = await index.queryTopK(row(4242), 30, { filter: { group: GROUPS + 2 } });
      const found = (results[0] ?? []).map((hit) => hit.position);
      demand(found.join() === positions.join(), `found ${found.join()}`);
    }),
  ];
}

/** A row of a number: the same in every run. */
function row(seed: number): Float32Array {
  let state = seed * 2_654_435_761 + 1;
  return Float32Array.from({ length: DIMENSION }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x8000_0000 - 1;
  });
}

const vectors = new Float32Array(DIMENSION * ITEMS);
// The last group holds three items: fewer than are asked for.
const items: readonly Item[] = Array.from({ length: ITEMS }, (_, number) => {
  vectors.set(row(number), number * DIMENSION);
  return { number, group: number < 3 ? GROUPS : number % GROUPS };
});
const queries = Array.from({ length: QUERIES }, (_, number) => row(10_000 + number));

function scoreOf(metric: Metric, a: Float32Array, b: Float32Array): number {
  let [product, squareA, squareB, distance] = [0, 0, 0, 0];
  a.forEach((x, at) => {
    const y = b[at] ?? 0;
    product += x * y;
    squareA += x * x;
    squareB += y * y;
    distance += (x - y) ** 2;
  });
  switch (metric) {
    case "cosine":
      return product / Math.sqrt(squareA * squareB);
    case "dot":
      return product;
    case "l2":
      return 0 - Math.sqrt(distance);
  }
}

function expected(
  query: Float32Array,
  metric: Metric,
  among: (item: Item) => boolean,
): Array<{ readonly number: number; readonly score: number }> {
  const scored = items.filter(among).map(({ number }) => ({
    number,
    score: scoreOf(metric, query, vectors.subarray(number * DIMENSION, (number + 1) * DIMENSION)),
  }));
  return scored.sort((a, b) => b.score - a.score || a.number - b.number);
}

/** The share of the true best that was found. */
function recalled(
  hits: ReadonlyArray<IndexHit<Item>>,
  query: Float32Array,
  metric: Metric,
  among: (item: Item) => boolean,
  take: number,
): number {
  const best = expected(query, metric, among).slice(0, take);
  const found = new Set(hits.map((hit) => hit.item.number));
  return best.length === 0 ? 1 : best.filter(({ number }) => found.has(number)).length / best.length;
}

/** Scores in float arithmetic of another order differ by less than this. */
const SCORE_TOLERANCE = 1e-5;

function compare(
  results: ReadonlyArray<ReadonlyArray<IndexHit<Item>>>,
  metric: Metric,
  among: (item: Item) => boolean,
  { take, recall }: { readonly take: number; readonly recall: number },
): void {
  let share = 0;
  results.forEach((hits, at) => {
    const query = queries[at] ?? row(0);
    const all = expected(query, metric, among);
    const scores = new Map(all.map(({ number, score }) => [number, score]));
    demand(hits.length === Math.min(take, all.length), `${hits.length} of ${all.length} items came`);
    hits.forEach((hit, place) => {
      const score = scores.get(hit.item.number);
      demand(score !== undefined, `item ${hit.item.number} may not be found`);
      demand(Math.abs(score - hit.score) < SCORE_TOLERANCE, `a score is ${hit.score}, not ${score}`);
      demand(hit.score <= (hits[place - 1]?.score ?? Infinity), "hits are out of order");
    });
    share += recalled(hits, query, metric, among, take) / results.length;
  });
  demand(share > recall - 1e-9, `recall is ${share}, asked for ${recall}`);
}

function demand(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new Error(`The backend does not conform: ${sentence}.`);
}
