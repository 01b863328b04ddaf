/** How many of the true nearest rows an answer has. The twin for Python is in `vector_file.py`. */

/** Scores of one pair differ by no more between two ways of adding it up. */
const ROUNDING = 1e-6;

/**
 * Compares the found positions of every query with the truth of one filter.
 *
 * A hit is right when its exact cosine reaches that of the last true hit: of two rows with the same score either is right.
 * `wrongCounts` are the queries with more or fewer hits than the k that were asked for, or than match where fewer do.
 * @param {import("../corpora/vector-file.mjs").VectorFile} file
 * @param {readonly ArrayLike<number>[]} found positions of each query
 * @param {number} filter which of the file's filters was on
 * @returns {{recall: number, wrongCounts: number}}
 */
export function judgeHits({ header, rows, queries, truths }, found, filter = 0) {
  const { k, dimension } = header;
  const vector = (/** @type {Float32Array} */ all, /** @type {number} */ at) =>
    all.subarray(at * dimension, (at + 1) * dimension);
  let [shares, wrongCounts] = [0, 0];
  for (let query = 0; query < header.queries; query += 1) {
    const truth = [...(truths[filter] ?? []).slice(query * k, (query + 1) * k)].filter(
      (score) => !Number.isNaN(score),
    );
    const positions = new Set(Array.from(found[query] ?? []));
    if (positions.size !== truth.length || found[query]?.length !== truth.length) wrongCounts += 1;
    const floor = (truth.at(-1) ?? Infinity) - ROUNDING;
    const hits = [...positions].filter(
      (position) => cosine(vector(queries, query), vector(rows, position)) >= floor,
    );
    shares += truth.length === 0 ? 1 : hits.length / truth.length;
  }
  return { recall: shares / header.queries, wrongCounts };
}

/** @param {Float32Array} a @param {Float32Array} b */
function cosine(a, b) {
  let [ab, aa, bb] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 1) {
    const [x, y] = [a[at] ?? NaN, b[at] ?? NaN];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / Math.sqrt(aa * bb);
}
