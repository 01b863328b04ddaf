/** The few numbers that a record is made of. */

/**
 * The middle value; of an even count, the mean of the two middle ones.
 * @param {readonly number[]} values at least one
 * @returns {number}
 */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  if (upper === undefined || lower === undefined) throw new RangeError("the median of nothing");
  return (lower + upper) / 2;
}

/** @param {readonly (number | undefined)[]} values @returns {number | undefined} `undefined` when nobody reported one */
function medianOfReported(values) {
  const reported = values.filter((value) => value !== undefined);
  return reported.length === 0 ? undefined : median(reported);
}

/**
 * The list, begun at another place: so that nobody always runs first, or always after the same one.
 * @template T
 * @param {readonly T[]} list
 * @param {number} by
 * @returns {T[]}
 */
export function rotated(list, by) {
  const start = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}

/**
 * The medians of each cost and of each measure that the programs reported, and the records a CPU-second that they make.
 * @param {readonly {cost: import("./execute.mjs").Cost, answer: import("./answer.mjs").BenchmarkAnswer}[]} runs at least one
 * @param {number} records
 */
export function summarize(runs, records) {
  const costs = runs.map((run) => run.cost);
  const cpuSeconds = median(costs.map((cost) => cost.cpuSeconds));
  return {
    cpuSeconds,
    wallSeconds: median(costs.map((cost) => cost.wallSeconds)),
    peakBytes: median(costs.map((cost) => cost.peakBytes)),
    recordsPerCpuSecond: records / cpuSeconds,
    loadSeconds: medianOfReported(costs.map((cost) => cost.loadSeconds)),
    bytesPerKey: medianOfReported(costs.map((cost) => cost.bytesPerKey)),
    measures: mediansByName(runs.map(({ answer }) => answer.measures ?? {})),
    /** (largest - smallest) / median of CPU-seconds: how still the machine was. */
    spread:
      (Math.max(...costs.map((cost) => cost.cpuSeconds)) -
        Math.min(...costs.map((cost) => cost.cpuSeconds))) /
      cpuSeconds,
  };
}

/** @param {readonly Readonly<Record<string, number>>[]} reports @returns {Record<string, number>} */
function mediansByName(reports) {
  const names = new Set(reports.flatMap((report) => Object.keys(report)));
  return Object.fromEntries(
    [...names].map((name) => [name, medianOfReported(reports.map((report) => report[name])) ?? NaN]),
  );
}
