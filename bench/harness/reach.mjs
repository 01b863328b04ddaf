/** Whether a race reached what was promised. */

/** The costs that the harness measures, and which way is better. */
const COSTS = /** @type {const} */ ({
  cpuSeconds: "less",
  wallSeconds: "less",
  peakBytes: "less",
  loadSeconds: "less",
  bytesPerKey: "less",
  recordsPerCpuSecond: "more",
});

/** @typedef {Readonly<Record<string, import("./definition.mjs").ReportedMeasure>>} ReportedMeasures */

/**
 * Whether a name is that of something that can be promised.
 * @param {string} measure
 * @param {ReportedMeasures} reported the definition's own
 */
export function isMeasure(measure, reported) {
  return Object.hasOwn(COSTS, measure) || Object.hasOwn(reported, measure);
}

/**
 * Compares each target with the medians. A target whose contender has no median is neither met nor missed.
 * @param {readonly import("./definition.mjs").ReachTarget[]} targets
 * @param {readonly import("./rounds.mjs").Standing[]} standings
 * @param {ReportedMeasures} reported the definition's own measures
 */
export function judgeReach(targets, standings, reported = {}) {
  return targets.map((target) => {
    const value = measured(target, standings, reported);
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
 * @param {ReportedMeasures} reported
 * @returns {number | undefined}
 */
function measured({ contender, measure, against }, standings, reported) {
  const ours = valueOf(standings, contender, measure);
  if (ours === undefined || against === undefined) return ours;
  const theirs = valueOf(standings, against, measure);
  if (theirs === undefined) return undefined;
  const better = isCost(measure) ? COSTS[measure] : reported[measure]?.better;
  return better === "less" ? theirs / ours : ours / theirs;
}

/**
 * @param {readonly import("./rounds.mjs").Standing[]} standings
 * @param {string} contender
 * @param {string} measure
 */
function valueOf(standings, contender, measure) {
  const median = standings.find(({ name }) => name === contender)?.median;
  return isCost(measure) ? median?.[measure] : median?.measures[measure];
}

/** @param {string} measure @returns {measure is keyof typeof COSTS} */
function isCost(measure) {
  return Object.hasOwn(COSTS, measure);
}
