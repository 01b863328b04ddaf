// The measures of an evaluation: how well scores order pairs.
//
// The one idea: all three depend on the order of the scores only, with ties shared fairly, so that embedders with different
// ranges of cosine can be compared. The same measures, written a second time, are in `training/static-en/metrics.py`.

/**
 * The ranks of the values, from 1; equal values share their mean rank.
 * @param {ArrayLike<number>} values
 */
export function meanRanks(values) {
  const order = Uint32Array.from(values, (_, position) => position).sort((a, b) => values[a] - values[b]);
  const ranks = new Float64Array(values.length);
  for (let start = 0; start < order.length;) {
    let end = start + 1;
    while (end < order.length && values[order[end]] === values[order[start]]) end += 1;
    // Ranks start + 1 to end have this mean.
    for (let i = start; i < end; i += 1) ranks[order[i]] = (start + 1 + end) / 2;
    start = end;
  }
  return ranks;
}

/**
 * The chance that a positive pair scores above a negative one; a tie counts half. Needs both kinds.
 * @param {ArrayLike<number>} scores
 * @param {readonly boolean[]} positive
 */
export function areaUnderCurve(scores, positive) {
  const ranks = meanRanks(scores);
  let sum = 0;
  let positives = 0;
  positive.forEach((isPositive, position) => {
    if (isPositive) {
      sum += ranks[position];
      positives += 1;
    }
  });
  return (sum - (positives * (positives + 1)) / 2) / (positives * (positive.length - positives));
}

/**
 * The largest F1 over all thresholds `score >= t`, and the largest t that reaches it.
 * @param {ArrayLike<number>} scores
 * @param {readonly boolean[]} positive
 */
export function bestF1(scores, positive) {
  const order = Uint32Array.from(scores, (_, position) => position).sort((a, b) => scores[b] - scores[a]);
  const positives = positive.filter(Boolean).length;
  let best = { f1: 0, threshold: Infinity };
  let found = 0;
  order.forEach((position, i) => {
    if (positive[position]) found += 1;
    const endsTie = i + 1 === order.length || scores[order[i + 1]] !== scores[position];
    const f1 = (2 * found) / (i + 1 + positives);
    if (endsTie && f1 > best.f1) best = { f1, threshold: scores[position] };
  });
  return best;
}

/**
 * Spearman's correlation: that of the ranks, with ties at their mean rank. NaN when one side is constant.
 * @param {ArrayLike<number>} left
 * @param {ArrayLike<number>} right
 */
export function spearman(left, right) {
  const [a, b] = [meanRanks(left), meanRanks(right)];
  const mean = (a.length + 1) / 2;
  let [product, squaresA, squaresB] = [0, 0, 0];
  for (let i = 0; i < a.length; i += 1) {
    product += (a[i] - mean) * (b[i] - mean);
    squaresA += (a[i] - mean) ** 2;
    squaresB += (b[i] - mean) ** 2;
  }
  return product / Math.sqrt(squaresA * squaresB);
}
