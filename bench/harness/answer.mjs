/** The answer of a run, and whether it is the right one. A time without a right answer is not a time. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { z } from "zod";

/** Two embedders with the same model agree in a cosine within this. */
const PROBE_TOLERANCE = 0.002;

const Answer = z.object({
  records: z.int(),
  selected: z.int().optional(),
  positionsHash: z.string().optional(),
  probe: z.array(z.number()).optional(),
  seconds: z.record(z.string(), z.number()).optional(),
  /** Figures that the program reports of its own work, by the names that the definition gives them. */
  measures: z.record(z.string(), z.number()).optional(),
  /** Words that it reports, such as the way that a search took. */
  labels: z.record(z.string(), z.string()).optional(),
  /** What an inner loop measured of itself. */
  inner: z
    .object({
      cpuSeconds: z.number(),
      wallSeconds: z.number(),
      runs: z.int().positive(),
      /** What the loop added to the resident set. */
      peakBytes: z.number().optional(),
      /** Wall seconds of making ready, before the loop. */
      loadSeconds: z.number().optional(),
      /** Memory held for each distinct text. */
      bytesPerKey: z.number().optional(),
    })
    .optional(),
});

const Report = z.object({
  counts: z.record(z.string(), z.number()),
  seconds: z.record(z.string(), z.number()),
});

/** @typedef {z.infer<typeof Answer>} BenchmarkAnswer */

/**
 * The answer in the last line of a program's standard output.
 * @param {string} stdout
 * @returns {BenchmarkAnswer}
 */
export function answerFromStdout(stdout) {
  return Answer.parse(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? ""));
}

/**
 * The answer in the report of our command line.
 * @param {string} path
 * @returns {BenchmarkAnswer}
 */
export function answerFromReport(path) {
  const { counts, seconds } = Report.parse(JSON.parse(readFileSync(path, "utf8")));
  return Answer.parse({ records: counts["records"], selected: counts["selected"], seconds });
}

/**
 * The hash of the kept positions: all but those that a `--filtered` file lists.
 * @param {string} filteredPath
 * @param {number} records
 * @returns {string}
 */
export function keptPositionsHash(filteredPath, records) {
  const dropped = new Set();
  for (const line of readFileSync(filteredPath, "utf8").split("\n")) {
    if (line !== "") dropped.add(JSON.parse(line).position);
  }
  const hash = createHash("sha256");
  let separator = "";
  for (let position = 0; position < records; position += 1) {
    if (dropped.has(position)) continue;
    hash.update(`${separator}${position}`);
    separator = ",";
  }
  return hash.digest("hex");
}

/**
 * What is wrong with an answer, field by field; empty when it is right. An expected field that the answer lacks is wrong.
 * @param {BenchmarkAnswer} answer
 * @param {import("./definition.mjs").ExpectedAnswer} expected
 * @returns {string[]}
 */
export function faultsOf(answer, expected) {
  /** @type {string[]} */
  const faults = [];
  for (const field of /** @type {const} */ (["records", "selected", "positionsHash"])) {
    const [want, got] = [expected[field], answer[field]];
    if (want !== undefined && got !== want) faults.push(`${field}: expected ${want}, received ${got}`);
  }
  for (const [name, { atLeast = -Infinity, atMost = Infinity }] of Object.entries(expected.bounds ?? {})) {
    const got = answer.measures?.[name] ?? NaN;
    if (!(got >= atLeast && got <= atMost)) {
      faults.push(`${name}: expected ${atLeast} to ${atMost}, received ${answer.measures?.[name]}`);
    }
  }
  const { probe } = expected;
  if (probe !== undefined) {
    const got = answer.probe ?? [];
    if (got.length !== probe.length)
      faults.push(`probe: expected ${probe.length} cosines, received ${got.length}`);
    probe.forEach((want, at) => {
      if (!(Math.abs(want - (got[at] ?? NaN)) <= PROBE_TOLERANCE)) {
        faults.push(`probe ${at}: expected ${want}, received ${got[at]}`);
      }
    });
  }
  return faults;
}
