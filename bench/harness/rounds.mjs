/**
 * The race: check every answer first, then rounds in which each contender runs once, in an order that rotates.
 *
 * A contender of an exact method with a wrong answer is out, and its times with it. An approximate one stays: its answer is shown
 * beside the expected one. A run whose answer differs from the contender's first is reported as `unstable`.
 */
import { faultsOf } from "./answer.mjs";
import { buildFault } from "./build.mjs";
import { expectedOf } from "./definition.mjs";
import { execute } from "./execute.mjs";
import { missingFor } from "./places.mjs";
import { rotated, summarize } from "./statistics.mjs";

/** @typedef {import("./definition.mjs").BenchmarkContender} Contender */
/** @typedef {import("./answer.mjs").BenchmarkAnswer} Answer */
/**
 * @typedef {object} Standing
 * @property {string} name
 * @property {string} version
 * @property {"ours" | "peer" | "reference"} side
 * @property {"exact" | "approximate"} method
 * @property {readonly string[]} command with its places not filled in
 * @property {"right" | "approximate" | "wrong" | "failed" | "missing"} verdict
 * @property {string[]} faults of the answer, or why there is none
 * @property {boolean} unstable whether two runs gave two answers
 * @property {Answer | undefined} answer
 * @property {{round: number, cost: import("./execute.mjs").Cost, answer: Answer}[]} runs
 * @property {ReturnType<typeof summarize> | undefined} median
 */

/**
 * Runs one definition.
 * @param {import("./definition.mjs").BenchmarkDefinition} definition
 * @param {{corpus: import("./corpus.mjs").Corpus, repeats: number, contenders: readonly Contender[], say: (line: string) => void}} options
 * @returns {Promise<Standing[]>}
 */
export async function race(definition, { corpus, repeats, contenders, say }) {
  const { limitSeconds, cost } = definition;
  /** @type {{contender: Contender, standing: Standing}[]} */
  const running = [];
  const standings = [];
  for (const contender of contenders) {
    const standing = begin(contender);
    standings.push(standing);
    const missing = buildFault(contender) ?? missingFor(contender.command);
    if (missing === undefined) running.push({ contender, standing });
    else Object.assign(standing, { verdict: "missing", faults: [missing] });
  }

  for (const { contender, standing } of running) {
    const outcome = await execute(contender, {
      corpusPath: corpus.path,
      limitSeconds,
      cost,
      purpose: "check",
    });
    judge(standing, outcome, expectedOf(definition, contender));
    say(`${definition.name}  check  ${contender.name}: ${describe(standing)}`);
  }

  const admitted = running.filter(
    ({ standing }) => standing.verdict === "right" || standing.verdict === "approximate",
  );
  for (let round = 0; round < repeats; round += 1) {
    for (const { contender, standing } of rotated(admitted, round)) {
      if (standing.verdict === "failed" || standing.verdict === "wrong") continue;
      const outcome = await execute(contender, {
        corpusPath: corpus.path,
        limitSeconds,
        cost,
        purpose: "measure",
      });
      count(standing, outcome, round, comparable(definition, contender));
      if (outcome.status === "failed") continue;
      say(
        `${definition.name}  round ${round + 1}/${repeats}  ${contender.name}: ${outcome.cost.cpuSeconds.toFixed(3)} CPU-s`,
      );
    }
  }
  for (const standing of standings) {
    if (standing.runs.length > 0) standing.median = summarize(standing.runs, corpus.records);
  }
  return standings;
}

/** @param {Contender} contender @returns {Standing} */
function begin({ name, version, side, method, command }) {
  return {
    name,
    version,
    side,
    method,
    command,
    verdict: "missing",
    faults: [],
    unstable: false,
    answer: undefined,
    runs: [],
    median: undefined,
  };
}

/**
 * What a timed run's answer can be compared with: without the check arguments, our command line prints no positions.
 * @param {import("./definition.mjs").BenchmarkDefinition} definition
 * @param {Contender} contender
 */
function comparable(definition, contender) {
  const { positionsHash, ...counted } = expectedOf(definition, contender);
  return contender.checkArguments.length === 0 ? { ...counted, positionsHash } : counted;
}

/**
 * @param {Standing} standing
 * @param {Awaited<ReturnType<typeof execute>>} outcome
 * @param {import("./definition.mjs").ExpectedAnswer} expected
 */
function judge(standing, outcome, expected) {
  if (outcome.status === "failed") {
    Object.assign(standing, { verdict: "failed", faults: [outcome.reason] });
    return;
  }
  standing.answer = outcome.answer;
  standing.faults = faultsOf(outcome.answer, expected);
  if (standing.faults.length === 0) standing.verdict = "right";
  else standing.verdict = standing.method === "exact" ? "wrong" : "approximate";
}

/**
 * @param {Standing} standing
 * @param {Awaited<ReturnType<typeof execute>>} outcome
 * @param {number} round
 * @param {import("./definition.mjs").ExpectedAnswer} expected
 */
function count(standing, outcome, round, expected) {
  if (outcome.status === "failed") {
    Object.assign(standing, { verdict: "failed", faults: [outcome.reason], runs: [] });
    return;
  }
  if (outcome.answer.selected !== standing.answer?.selected) standing.unstable = true;
  if (standing.method === "exact") {
    const faults = faultsOf(outcome.answer, expected);
    if (faults.length > 0) {
      Object.assign(standing, { verdict: "wrong", faults, runs: [] });
      return;
    }
  }
  standing.runs.push({ round, cost: outcome.cost, answer: outcome.answer });
}

/** @param {Standing} standing */
function describe({ verdict, faults, answer }) {
  const selected = answer?.selected === undefined ? "" : ` (${answer.selected} selected)`;
  return `${verdict}${selected}${faults.length > 0 ? `; ${faults.join("; ")}` : ""}`;
}
