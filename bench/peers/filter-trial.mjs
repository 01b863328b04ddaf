/**
 * One trial of filtered search, the same for every contender of the row `index-recall`: build once, then ask every query under
 * each filter of the file, one at a time and, where one call takes many, all together.
 *
 * A filter leaves the rows of the first lots: see `corpora/vector-file.mjs`. Rates are queries a CPU-second of the whole process.
 */
import { LOTS, readVectorFile } from "../corpora/vector-file.mjs";
import { judgeHits } from "./recall.mjs";
import { meanOfPasses, startWatch } from "./stopwatch.mjs";

const QUERY_SECONDS = 1;

/** The lot of a row. @param {number} position */
export const lotOf = (position) => position % LOTS;

/**
 * @template Built
 * @typedef {object} FilteringContender
 * @property {(rows: Float32Array, dimension: number) => Built | Promise<Built>} build
 * @property {(built: Built, query: Float32Array, k: number, lots: number | undefined) => Found | Promise<Found>} search of the rows whose lot is below `lots`
 * @property {(built: Built, queries: readonly Float32Array[], k: number, lots: number | undefined) => unknown} [searchMany]
 */
/** @typedef {{positions: ArrayLike<number>, strategy?: string}} Found */

/**
 * Runs the trial and prints the answer.
 * @template Built
 * @param {string} path a file of vectors
 * @param {FilteringContender<Built>} contender
 */
export async function runFilterTrial(path, { build, search, searchMany }) {
  const file = readVectorFile(path);
  const { rows, dimension, k } = file.header;
  const queries = Array.from({ length: file.header.queries }, (_, at) =>
    file.queries.slice(at * dimension, (at + 1) * dimension),
  );
  const spent = startWatch();
  const built = await build(file.rows, dimension);
  const inner = { ...spent(), runs: 1 };

  /** @type {Record<string, number>} */
  const measures = { wrongCounts: 0 };
  /** @type {Record<string, string>} */
  const labels = {};
  for (const [at, { percent, lots }] of file.header.filters.entries()) {
    const name = `${percent}Percent`.replace(".", "_");
    // All rows: asked without a filter, as a user would.
    const wanted = lots === LOTS ? undefined : lots;
    /** @type {Found[]} */
    let found = [];
    const asked = await meanOfPasses(async () => {
      found = [];
      for (const query of queries) found.push(await search(built, query, k, wanted));
    }, QUERY_SECONDS);
    const judged = judgeHits(
      file,
      found.map(({ positions }) => positions),
      at,
    );
    measures["wrongCounts"] = (measures["wrongCounts"] ?? 0) + judged.wrongCounts;
    measures[`recallAt${name}`] = judged.recall;
    measures[`queriesPerCpuSecondAt${name}`] = queries.length / asked.cpuSeconds;
    if (searchMany !== undefined) {
      const together = await meanOfPasses(async () => {
        await searchMany(built, queries, k, wanted);
      }, QUERY_SECONDS);
      measures[`batchQueriesPerCpuSecondAt${name}`] = queries.length / together.cpuSeconds;
    }
    const strategies = new Set(found.flatMap(({ strategy }) => strategy ?? []));
    if (strategies.size > 0) labels[`strategyAt${name}`] = [...strategies].sort().join(", ");
  }
  console.log(JSON.stringify({ records: rows, measures, labels, inner }));
}
