/**
 * The nearest rows of each query, by comparing every row with every query in f64: the truth that recall is measured against.
 *
 * Written from the definition of the cosine; it shares nothing with our code or with a peer's. It gives scores and no
 * positions, because of two rows with the same score either is right.
 */
import { LOTS } from "../corpora/vector-file.mjs";

/**
 * The scores of the k nearest rows of each query under each filter, the best first; NaN where fewer match.
 * @param {{rows: Float32Array, queries: Float32Array, dimension: number, k: number, filters: readonly import("../corpora/vector-file.mjs").LotFilter[]}} work
 * @returns {Float64Array[]} one for each filter
 */
export function nearestScores({ rows, queries, dimension, k, filters }) {
  const rowNorms = norms(rows, dimension);
  const queryNorms = norms(queries, dimension);
  const truths = filters.map(() => new Float64Array(queryNorms.length * k).fill(NaN));
  const query = new Float64Array(dimension);
  queryNorms.forEach((queryNorm, at) => {
    query.set(queries.subarray(at * dimension, (at + 1) * dimension));
    const best = truths.map((truth) => truth.subarray(at * k, (at + 1) * k));
    rowNorms.forEach((rowNorm, position) => {
      const score = product(query, rows, position * dimension) / (queryNorm * rowNorm);
      filters.forEach(({ lots }, filter) => {
        const list = best[filter];
        if (list !== undefined && position % LOTS < lots) insert(list, score);
      });
    });
  });
  return truths;
}

/** @param {Float32Array} vectors @param {number} dimension */
function norms(vectors, dimension) {
  return Float64Array.from({ length: vectors.length / dimension }, (_, at) => {
    const row = Float64Array.from(vectors.subarray(at * dimension, (at + 1) * dimension));
    const norm = Math.sqrt(product(row, vectors, at * dimension));
    if (norm === 0) throw new Error(`vector ${at} is zero: its text has no known token`);
    return norm;
  });
}

/** @param {Float64Array} query @param {Float32Array} rows @param {number} from */
function product(query, rows, from) {
  let [a, b, c, d] = [0, 0, 0, 0];
  // Four sums, so that an addition need not wait for the last one.
  for (let at = 0; at < query.length; at += 4) {
    a += (query[at] ?? 0) * (rows[from + at] ?? 0);
    b += (query[at + 1] ?? 0) * (rows[from + at + 1] ?? 0);
    c += (query[at + 2] ?? 0) * (rows[from + at + 2] ?? 0);
    d += (query[at + 3] ?? 0) * (rows[from + at + 3] ?? 0);
  }
  return a + b + (c + d);
}

/** Puts a score into a list in falling order, whose free places are NaN. @param {Float64Array} list @param {number} score */
function insert(list, score) {
  let place = list.length - 1;
  if (score <= (list[place] ?? 0)) return;
  // A comparison with NaN is false, so that a free place gives way to any score.
  while (place > 0 && !((list[place - 1] ?? 0) >= score)) {
    list[place] = list[place - 1] ?? NaN;
    place -= 1;
  }
  list[place] = score;
}
