/**
 * The proof that each definition is alive: on the small corpus its row gives the right answer, and a deliberately wrong run
 * of the same row is found out. Needs our build and nothing else: no peers, no Python.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { answerFromReport, answerFromStdout, faultsOf, keptPositionsHash } from "./answer.mjs";
import { openCorpus } from "./corpus.mjs";
import { contenderEnvironment } from "./environment.mjs";
import { ROOT, fillIn, missingFor } from "./places.mjs";

const CORPUS = "etcd";

/**
 * Proves one definition.
 * @param {import("./definition.mjs").BenchmarkDefinition} definition
 * @returns {Promise<string[]>} what is wrong; empty when the definition is alive
 */
export async function smoke(definition) {
  const { smoke: proof, contenders } = definition;
  const contender = contenders.find(({ name }) => name === proof.contender);
  if (contender === undefined) return [`smoke: no contender "${proof.contender}"`];
  const command = [...(proof.command ?? contender.command), ...contender.checkArguments];
  const missing = missingFor(command);
  if (missing !== undefined) return [missing];
  const { path } = await openCorpus(proof.corpus ?? CORPUS);
  const faults = faultsOf(answerOf(command, contender.answerIn, path), proof.expected);
  const sabotaged = answerOf([...command, ...proof.sabotage], contender.answerIn, path);
  if (faultsOf(sabotaged, proof.expected).length === 0) {
    faults.push(`${proof.sabotage.join(" ")} was not noticed: the answer check cannot fail`);
  }
  return faults;
}

/**
 * @param {readonly string[]} command
 * @param {"stdout" | "report"} answerIn
 * @param {string} corpusPath
 */
function answerOf(command, answerIn, corpusPath) {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  try {
    const files = {
      corpus: corpusPath,
      report: join(folder, "report.json"),
      filtered: join(folder, "filtered.jsonl"),
    };
    const [program = "", ...programArguments] = fillIn(command, files);
    const stdout = execFileSync(program, programArguments, {
      cwd: ROOT,
      env: contenderEnvironment(),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (answerIn === "stdout") return answerFromStdout(stdout);
    const answer = answerFromReport(files.report);
    return { ...answer, positionsHash: keptPositionsHash(files.filtered, answer.records) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
