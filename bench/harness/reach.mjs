/** Whether a race reached what was promised. */

/** Costs: smaller is better. The other measure, records a CPU-second, is better when larger. */
const COSTS = new Set(["cpuSeconds", "wallSeconds", "peakBytes", "loadSeconds", "bytesPerKey"]);

/**
 * Compares each target with the medians. A target whose contender has no median is neither met nor missed.
 * @param {readonly import("./definition.mjs").ReachTarget[]} targets
 * @param {readonly import("./rounds.mjs").Standing[]} standings
 */
export function judgeReach(targets, standings) {
  return targets.map((target) => {
    const value = measured(target, standings);
    const met =
      value === undefined
        ? undefined
        : value >= (target.atLeast ?? -Infinity) && value <= (target.atMost ?? Infinity);
    return { ...target, measured: value ?? null, met: met ?? null };
  });
}

/**
 * @param {import("./definition.mjs").ReachTarget} target
 * @param {readonly import("./rounds.mjs").Standing[]} standings
 * @returns {number | undefined}
 */
function measured({ contender, measure, against }, standings) {
  const ours = standings.find(({ name }) => name === contender)?.median?.[measure];
  if (ours === undefined || against === undefined) return ours;
  const theirs = standings.find(({ name }) => name === against)?.median?.[measure];
  if (theirs === undefined) return undefined;
  return COSTS.has(measure) ? theirs / ours : ours / theirs;
}
