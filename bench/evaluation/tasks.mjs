// The three kinds of task: each turns labelled texts and an embedder into figures.
//
// The one idea: a task knows `embed` and `veto` only as functions, and gives back plain numbers under the names of its measures.
import { drawPairs, firstOfEachIntent, readEdits, readIntents, readSimilarities } from "./data.mjs";
import { areaUnderCurve, bestF1, spearman } from "./metrics.mjs";

/** @typedef {{ dimension: number, embed: (texts: readonly string[]) => Promise<Float32Array> }} Embedder */
/** @typedef {(a: string, b: string, rules: readonly string[]) => string | undefined | null} Veto */
/** @typedef {Record<string, number>} Figures */

/**
 * The inner product of two rows; the cosine, as the rows have length 1 (or 0, for a text that has no vector).
 * @param {Float32Array} left @param {number} leftRow @param {Float32Array} right @param {number} rightRow @param {number} dimension
 */
function cosine(left, leftRow, right, rightRow, dimension) {
  const [l, r] = [leftRow * dimension, rightRow * dimension];
  let sum = 0;
  for (let i = 0; i < dimension; i += 1) sum += left[l + i] * right[r + i];
  return sum;
}

/**
 * The cosine of every pair.
 * @param {Embedder} embedder
 * @param {ReadonlyArray<{ a: string, b: string }>} pairs
 */
async function pairCosines(embedder, pairs) {
  const left = await embedder.embed(pairs.map((pair) => pair.a));
  const right = await embedder.embed(pairs.map((pair) => pair.b));
  return Float64Array.from(pairs, (_, row) => cosine(left, row, right, row, embedder.dimension));
}

/**
 * The share of queries whose nearest cached utterance has the same intent; the first of equals counts.
 * @param {Embedder} embedder
 * @param {ReadonlyArray<{ text: string, label: string }>} cache
 * @param {ReadonlyArray<{ text: string, label: string }>} queries
 */
async function nearestHasSameIntent(embedder, cache, queries) {
  const cached = await embedder.embed(cache.map((utterance) => utterance.text));
  const asked = await embedder.embed(queries.map((utterance) => utterance.text));
  let right = 0;
  queries.forEach((query, queryRow) => {
    let [nearest, best] = [0, -Infinity];
    for (let row = 0; row < cache.length; row += 1) {
      const score = cosine(asked, queryRow, cached, row, embedder.dimension);
      if (score > best) [nearest, best] = [row, score];
    }
    if (cache[nearest].label === query.label) right += 1;
  });
  return right / queries.length;
}

/**
 * Same intent or not? Over drawn pairs, and by the nearest cached neighbour.
 * @param {any} task @param {string} path @param {number} seed @param {Embedder} embedder
 * @returns {Promise<Figures>}
 */
async function intents(task, path, seed, embedder) {
  const utterances = readIntents(path);
  /** @param {string} split */
  const of = (split) => utterances.filter((utterance) => utterance.split === split);
  const pairs = drawPairs(of(task.pairs.split), task.pairs.count, seed);
  const scores = await pairCosines(embedder, pairs);
  const same = pairs.map((pair) => pair.same);
  const { f1, threshold } = bestF1(scores, same);

  const { cacheSplit, cachePerIntent, querySplit } = task.neighbour;
  const { first, rest } = firstOfEachIntent(of(cacheSplit), cachePerIntent);
  const queries = querySplit === cacheSplit ? rest : of(querySplit);
  return {
    auc: areaUnderCurve(scores, same),
    best_f1: f1,
    best_f1_threshold: threshold,
    nearest_same_intent: await nearestHasSameIntent(embedder, first, queries),
  };
}

/**
 * Do cosines order pairs as people do?
 * @param {any} _task @param {string} path @param {number} _seed @param {Embedder} embedder
 * @returns {Promise<Figures>}
 */
async function similarity(_task, path, _seed, embedder) {
  const pairs = readSimilarities(path);
  const scores = await pairCosines(embedder, pairs);
  return {
    spearman: spearman(
      scores,
      pairs.map((pair) => pair.score),
    ),
  };
}

/**
 * Would a deduplicator at this threshold merge what it should, and only that? With every set of guards, over all pairs and per
 * kind of edit.
 * @param {any} task @param {string} path @param {number} _seed @param {Embedder} embedder @param {Veto} veto
 * @returns {Promise<Figures>}
 */
async function edits(task, path, _seed, embedder, veto) {
  const pairs = readEdits(path);
  const scores = await pairCosines(embedder, pairs);
  const near = pairs.filter((_, row) => scores[row] >= task.threshold);
  const kinds = [...new Set(pairs.map((pair) => pair.kind))].sort();
  /** @type {Figures} */
  const figures = {
    auc: areaUnderCurve(
      scores,
      pairs.map((pair) => pair.same),
    ),
  };
  for (const [guard, rules] of Object.entries(task.guards)) {
    const merged = near.filter((pair) => rules.length === 0 || !veto(pair.a, pair.b, rules));
    const right = merged.filter((pair) => pair.same).length;
    figures[`precision, guard ${guard}`] = right / merged.length;
    figures[`recall, guard ${guard}`] = right / pairs.filter((pair) => pair.same).length;
    for (const kind of kinds) {
      /** @param {readonly { kind: string }[]} some */
      const count = (some) => some.filter((pair) => pair.kind === kind).length;
      figures[`merged ${kind}, guard ${guard}`] = count(merged) / count(pairs);
    }
  }
  return figures;
}

/** The kinds of task, by the name that the definition gives them. */
export const TASK_KINDS = { intents, similarity, edits };
