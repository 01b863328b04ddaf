/**
 * One trial of a graph index, the same for every contender of the row `index-graph`: find the effort that reaches the recall,
 * build, ask, save.
 *
 * The rule of effort: the smallest of `EFFORTS` whose recall@10 over the held-out queries reaches `RECALL`, found by halving the
 * list; the last one where none does. `--ef N` fixes it instead. Every contender links 16 and builds with 128 candidates.
 * Everything is measured on one thread, in CPU-seconds of the whole process and in wall seconds. The twin is `graph_trial.py`.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { readVectorFile } from "../corpora/vector-file.mjs";
import { judgeHits } from "./recall.mjs";
import { meanOfPasses, startWatch } from "./stopwatch.mjs";

const RECALL = 0.975;
const EFFORTS = [10, 16, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256, 384];
const QUERY_SECONDS = 2;

/** What every contender is told about its graph. */
export const GRAPH = { m: 16, efConstruction: 128 };

/**
 * @template Graph
 * @typedef {object} Contender
 * @property {(rows: Float32Array, dimension: number, effort: number) => Graph | Promise<Graph>} build row after row at its position
 * @property {(graph: Graph, effort: number) => void} [setEffort] where a built graph can search with another effort
 * @property {(graph: Graph, query: Float32Array, k: number) => ArrayLike<number> | Promise<ArrayLike<number>>} search one query
 * @property {(graph: Graph, queries: readonly Float32Array[], k: number) => unknown} [searchMany] where one call takes many
 * @property {(graph: Graph, path: string) => void | Promise<void>} save
 * @property {(graph: Graph) => void} [close]
 */

/**
 * Runs the trial on the file that the command line names and prints the answer.
 * @template Graph
 * @param {Contender<Graph>} contender
 */
export async function runTrial(contender) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { ef: { type: "string" } } });
  const file = readVectorFile(positionals[0] ?? "");
  const { rows, dimension, k } = file.header;
  const queries = Array.from({ length: file.header.queries }, (_, at) =>
    file.queries.slice(at * dimension, (at + 1) * dimension),
  );
  /** @type {{graph: Graph, effort: number, spent: import("./stopwatch.mjs").Spent} | undefined} */
  let built;
  const buildWith = async (/** @type {number} */ effort) => {
    if (built?.effort === effort) return built;
    if (built !== undefined && contender.setEffort !== undefined) {
      contender.setEffort(built.graph, effort);
      built.effort = effort;
      return built;
    }
    if (built !== undefined) contender.close?.(built.graph);
    const spent = startWatch();
    const graph = await contender.build(file.rows, dimension, effort);
    built = { graph, effort, spent: spent() };
    contender.setEffort?.(graph, effort);
    return built;
  };
  const recallWith = async (/** @type {number} */ effort) => {
    const { graph } = await buildWith(effort);
    const found = [];
    for (const query of queries) found.push(await contender.search(graph, query, k));
    return judgeHits(file, found).recall;
  };

  const efSearch = values.ef === undefined ? await smallestEffort(recallWith) : Number(values.ef);
  const recallAt10 = await recallWith(efSearch);
  const { graph, spent } = await buildWith(efSearch);
  const asked = await meanOfPasses(async () => {
    for (const query of queries) await contender.search(graph, query, k);
  }, QUERY_SECONDS);
  const { searchMany } = contender;
  const askedTogether =
    searchMany &&
    (await meanOfPasses(async () => {
      await searchMany(graph, queries, k);
    }, QUERY_SECONDS));
  const fileBytes = await savedBytes((path) => contender.save(graph, path));
  contender.close?.(graph);

  const measures = {
    queriesPerCpuSecond: queries.length / asked.cpuSeconds,
    queriesPerSecond: queries.length / asked.wallSeconds,
    ...(askedTogether && { batchQueriesPerCpuSecond: queries.length / askedTogether.cpuSeconds }),
    recallAt10,
    efSearch,
    fileBytes,
  };
  console.log(JSON.stringify({ records: rows, measures, inner: { ...spent, runs: 1 } }));
}

/**
 * The smallest effort that reaches the recall; the largest where none does.
 * @param {(effort: number) => Promise<number>} recallWith
 * @param {readonly number[]} efforts ascending
 * @returns {Promise<number>}
 */
export async function smallestEffort(recallWith, efforts = EFFORTS) {
  let [low, high] = [0, efforts.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((await recallWith(efforts[middle] ?? 0)) >= RECALL) high = middle;
    else low = middle + 1;
  }
  return efforts[low] ?? 0;
}

/** @param {(path: string) => void | Promise<void>} save */
async function savedBytes(save) {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  try {
    const path = join(folder, "index");
    await save(path);
    return statSync(path).size;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
