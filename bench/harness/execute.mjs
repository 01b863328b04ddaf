/** One run of one contender: in a folder of its own, measured, with its answer read. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { answerFromReport, answerFromStdout, keptPositionsHash } from "./answer.mjs";
import { contenderEnvironment } from "./environment.mjs";
import { BENCH, ROOT, SYSTEM_PYTHON, fillIn } from "./places.mjs";

const MEASURE = join(BENCH, "harness", "measure.py");
/** How much of a failed program's last words is shown. */
const LAST_WORDS = 600;

/** The last two are of programs that report them. */
/** @typedef {{cpuSeconds: number, wallSeconds: number, peakBytes: number, loadSeconds?: number | undefined, bytesPerKey?: number | undefined}} Cost */
/** @typedef {{status: "answered", answer: import("./answer.mjs").BenchmarkAnswer, cost: Cost}} Answered */
/** @typedef {{status: "failed", reason: string}} Failed */

/**
 * Runs a contender's command once. With `check`, its check arguments are added and the kept positions join its answer.
 * @param {import("./definition.mjs").BenchmarkContender} contender
 * @param {{corpusPath: string, limitSeconds: number, cost: import("./definition.mjs").CostKind, purpose: "check" | "measure"}} options
 * @returns {Promise<Answered | Failed>}
 */
export async function execute(contender, { corpusPath, limitSeconds, cost, purpose }) {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  try {
    const files = {
      corpus: corpusPath,
      report: join(folder, "report.json"),
      filtered: join(folder, "filtered.jsonl"),
    };
    const command = fillIn(
      purpose === "check" ? [...contender.command, ...contender.checkArguments] : contender.command,
      files,
    );
    const resultPath = join(folder, "measured.json");
    const environment = JSON.stringify(contenderEnvironment());
    const output = await collect([
      SYSTEM_PYTHON,
      MEASURE,
      resultPath,
      String(limitSeconds),
      environment,
      ...command,
    ]);
    if (!existsSync(resultPath)) {
      return { status: "failed", reason: `not measured: ${lastWords(output.stderr)}` };
    }
    const measured = JSON.parse(readFileSync(resultPath, "utf8"));
    if (measured.timedOut) return { status: "failed", reason: `stopped after ${limitSeconds} s` };
    if (measured.exitCode !== 0) {
      return { status: "failed", reason: `exit ${measured.exitCode}: ${lastWords(output.stderr)}` };
    }
    const answer = read(contender.answerIn, files, output.stdout);
    if (answer === undefined) return { status: "failed", reason: "gave no answer that can be read" };
    const counted = costOf(cost, measured, answer.inner);
    if (counted === undefined) return { status: "failed", reason: "reported no inner cost" };
    return { status: "answered", answer, cost: counted };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The cost that counts.
 * @param {import("./definition.mjs").CostKind} kind
 * @param {Cost} measured from outside
 * @param {import("./answer.mjs").BenchmarkAnswer["inner"]} inner reported from inside
 * @returns {Cost | undefined} `undefined` when the program did not report it
 */
function costOf(kind, { cpuSeconds, wallSeconds, peakBytes }, inner) {
  if (kind === "process") return { cpuSeconds, wallSeconds, peakBytes };
  const counted = kind === "inner" ? inner?.peakBytes : peakBytes;
  return inner === undefined || counted === undefined ? undefined : { ...inner, peakBytes: counted };
}

/**
 * The run's answer, with the hash of the kept positions where a `--filtered` file was written.
 * @param {"stdout" | "report"} answerIn
 * @param {{report: string, filtered: string}} files
 * @param {string} stdout
 * @returns {import("./answer.mjs").BenchmarkAnswer | undefined} `undefined` when it cannot be read
 */
function read(answerIn, files, stdout) {
  try {
    const answer = answerIn === "report" ? answerFromReport(files.report) : answerFromStdout(stdout);
    if (existsSync(files.filtered)) answer.positionsHash = keptPositionsHash(files.filtered, answer.records);
    return answer;
  } catch {
    return undefined;
  }
}

/** The end of what a program said, without this machine's folders: it may go into a record. @param {string} text */
function lastWords(text) {
  return text.replaceAll(ROOT, "").replaceAll(tmpdir(), "").slice(-LAST_WORDS).trim();
}

/**
 * Runs a command to its end and keeps what it printed. Its exit code is not looked at.
 * @param {readonly string[]} command
 * @returns {Promise<{stdout: string, stderr: string}>}
 */
function collect([program = "", ...programArguments]) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, programArguments, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (chunk) => (stdout += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk) => (stderr += chunk));
    child.on("error", reject);
    child.on("close", () => {
      resolve({ stdout, stderr });
    });
  });
}

/**
 * The first line that a command prints, or `unknown` when it cannot run.
 * @param {string} program
 * @param {...string} programArguments
 * @returns {string}
 */
export function firstLineOf(program, ...programArguments) {
  try {
    const output = execFileSync(program, programArguments, {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return output.split("\n")[0] ?? "unknown";
  } catch {
    return "unknown";
  }
}
