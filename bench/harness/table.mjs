/** A record as a page: the table that a reader meets first. */
import { ENVIRONMENT_NOTE } from "./environment.mjs";

/** @param {number} bytes */
const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
/** @param {number} value */
const whole = (value) => Math.round(value).toLocaleString("en-US");
/** @param {number} value */
const ratio = (value) => `${value.toFixed(value < 10 ? 2 : 1)} x`;

/** @param {number} value */
const seconds = (value) => value.toFixed(3);
/** How a measure that programs report is shown. */
const SHOW = {
  count: (/** @type {number} */ value) => plain(value),
  rate: whole,
  seconds,
  bytes: mebibytes,
  share: (/** @type {number} */ value) => value.toFixed(3),
};

/** Three digits that mean something, or all of a large number. @param {number} value */
const plain = (value) => (value < 1000 ? Number(value.toPrecision(3)).toString() : whole(value));

/** @type {Record<string, string>} */
const MEASURES = {
  cpuSeconds: "CPU-seconds",
  wallSeconds: "wall seconds",
  peakBytes: "peak memory",
  recordsPerCpuSecond: "records a CPU-second",
  loadSeconds: "seconds to load",
  bytesPerKey: "bytes a key",
};
/** Measures that only some rows have: a column each, where somebody reports it. */
const REPORTED = /** @type {const} */ (["loadSeconds", "bytesPerKey"]);

/**
 * @param {import("./record.mjs").BenchmarkRecord} record
 * @returns {string} Markdown
 */
export function tableOf(record) {
  const { definition, machine, standings, corpus } = record;
  const ours = standings.find(({ side, median }) => side === "ours" && median !== undefined)?.median;
  const reported = REPORTED.filter((measure) =>
    standings.some(({ median }) => median?.[measure] !== undefined),
  );
  const columns = [
    ...["CPU-seconds", "of ours", "wall seconds", "peak memory", "records a CPU-second"],
    ...reported.map((measure) => MEASURES[measure]),
    ...Object.values(definition.measures).map(({ title }) => title),
  ];
  const rows = standings.map((standing) => {
    const { name, version, median } = standing;
    if (median === undefined) {
      return `| ${[name, version, verdictOf(standing), ...columns.map(() => "-")].join(" | ")} |`;
    }
    const times = ours === undefined ? "-" : ratio(median.cpuSeconds / ours.cpuSeconds);
    const figures = [
      seconds(median.cpuSeconds),
      times,
      seconds(median.wallSeconds),
      mebibytes(median.peakBytes),
      whole(median.recordsPerCpuSecond),
      ...reported
        .map((measure) => median[measure])
        .map((value) => (value === undefined ? "-" : plain(value))),
      ...Object.entries(definition.measures).map(([name, { unit }]) => {
        const value = median.measures[name];
        return value === undefined ? "-" : SHOW[unit](value);
      }),
    ];
    return `| ${[name, version, verdictOf(standing), ...figures].join(" | ")} |`;
  });
  const reach = record.reach.map((target) => `- ${sentenceOf(target, definition.measures)}`);
  const labels = standings.flatMap(({ name, answer }) =>
    Object.entries(answer?.labels ?? {}).map(([label, text]) => `- ${name}, ${label}: ${text}`),
  );
  return [
    `# ${definition.title}`,
    "",
    definition.work,
    "",
    `Corpus: ${corpus.title}, ${whole(corpus.records)} records, ${mebibytes(corpus.bytes)}. Expected: ${expectation(definition)} ` +
      `(${definition.expectedFrom}).`,
    "",
    `| contender | version | answer | ${columns.join(" | ")} |`,
    `| --- | --- | --- |${" ---: |".repeat(columns.length)}`,
    ...rows,
    "",
    `${record.repeats === 1 ? "One round" : `Medians of ${record.repeats} rounds`}, contenders interleaved. ${costNote(definition)}`,
    ...(labels.length > 0 ? ["", "Reported:", "", ...labels] : []),
    ...(reach.length > 0 ? ["", "Promised:", "", ...reach] : []),
    "",
    "Fairness:",
    "",
    ...[ENVIRONMENT_NOTE, ...definition.fairness].map((note) => `- ${note}`),
    "",
    `Machine: ${machine.cpu}, ${machine.cores} cores (${machine.instructionSets.join(", ")}), ${mebibytes(machine.memoryBytes)}, ` +
      `Linux ${machine.kernel}, Node ${machine.node}, ${machine.python}, ${machine.rust}. ` +
      `Commit ${machine.commit}${machine.uncommitted ? " with uncommitted changes" : ""}, ${record.date}.`,
    "",
  ].join("\n");
}

/** @param {import("./definition.mjs").BenchmarkDefinition} definition */
function expectation({ expected }) {
  return expected.selected === undefined
    ? `${whole(expected.records)} records`
    : `${whole(expected.selected)} selected`;
}

/** @param {import("./definition.mjs").BenchmarkDefinition} definition */
function costNote({ cost }) {
  switch (cost) {
    case "process":
      return "Whole process trees, start and reading included.";
    case "inner":
      return "The inner loop alone, over records already in memory; memory is what the loop added.";
    case "inner-time":
      return "The inner loop alone, over records already in memory; memory is that of the whole process.";
  }
}

/** @param {import("./rounds.mjs").Standing} standing */
function verdictOf({ verdict, answer, faults, unstable }) {
  const varies = unstable ? ", varies between runs" : "";
  const selected = answer?.selected === undefined ? "" : whole(answer.selected);
  switch (verdict) {
    case "right":
      return `${selected} right${varies}`;
    case "approximate":
      return `${selected} approximate${varies}`;
    case "wrong":
      return `WRONG: ${faults.join("; ")}${varies}`;
    case "failed":
    case "missing":
      return `${verdict}: ${faults.join("; ").replaceAll(/\s+/g, " ").replaceAll("|", "/").slice(0, 160)}`;
  }
}

/**
 * @param {ReturnType<typeof import("./reach.mjs").judgeReach>[number]} target
 * @param {import("./reach.mjs").ReportedMeasures} reported
 */
function sentenceOf(target, reported) {
  const { contender, measure, against, atLeast, atMost, measured, met, whenMissed } = target;
  const unit = reported[measure]?.unit ?? (measure === "peakBytes" ? "bytes" : "count");
  const show = against === undefined ? SHOW[unit] : ratio;
  const bounds = [
    atLeast === undefined ? "" : `at least ${show(atLeast)}`,
    atMost === undefined ? "" : `at most ${show(atMost)}`,
  ];
  const title = MEASURES[measure] ?? reported[measure]?.title;
  const subject = `${contender}, ${title}${against === undefined ? "" : ` better than ${against}`}`;
  const got = measured === null ? "not measured" : `measured ${show(measured)}`;
  const verdict = met === null ? "open" : met ? "**reached**" : "**missed**";
  return `${subject}: ${bounds.filter((bound) => bound !== "").join(", ")}; ${got}: ${verdict}${met === false && whenMissed !== undefined ? `. ${whenMissed}` : ""}`;
}
