/**
 * What a benchmark is: a JSON file in `definitions/` that names the work, the corpus, the right answer, who does it, and what
 * we promised to reach.
 *
 * The schema here is the contract of those files; the file's name is the definition's name.
 */
import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

import { z } from "zod";

import { BENCH } from "./places.mjs";

/** The fields of an answer that are compared; a field left out is not compared. */
const Expected = z.strictObject({
  records: z.int().nonnegative(),
  selected: z.int().nonnegative().optional(),
  /** SHA-256 of the kept positions joined by commas. */
  positionsHash: z.string().length(64).optional(),
  /** Cosines of chosen pairs of passages, each within 0.002. */
  probe: z.array(z.number()).optional(),
  /** What a measure of the program must reach for its answer to be right; one that it does not report is wrong. */
  bounds: z
    .record(z.string(), z.strictObject({ atLeast: z.number().optional(), atMost: z.number().optional() }))
    .optional(),
});

/** A figure that programs report of their own work: how it is shown, and which way is better. */
const Measure = z.strictObject({
  title: z.string(),
  unit: z.enum(["count", "rate", "seconds", "bytes", "share"]),
  better: z.enum(["more", "less"]),
});

const Contender = z.strictObject({
  name: z.string(),
  version: z.string(),
  side: z.enum(["ours", "peer", "reference"]),
  /** Program and arguments, with `{places}`. */
  command: z.array(z.string()).nonempty(),
  /** The command that makes the program, run once before the check. */
  build: z.array(z.string()).nonempty().optional(),
  /** Arguments of the one run before the clock starts, whose kept positions are compared. */
  checkArguments: z.array(z.string()).default([]),
  /** Where the answer is: a JSON line on standard output, or the file that `--report {report}` wrote. */
  answerIn: z.enum(["stdout", "report"]).default("stdout"),
  /** An approximate method's answer is printed beside the expected one; an exact one's must equal it for its time to count. */
  method: z.enum(["exact", "approximate"]),
  /** Overrides of the definition's expected answer, for work with another model. */
  expected: Expected.omit({ records: true }).optional(),
});

const Reach = z.strictObject({
  contender: z.string(),
  /** A cost that the harness measures, or one of the definition's `measures`. */
  measure: z.string(),
  /** With `against`: how many times better than that contender. Without: the plain value. */
  against: z.string().optional(),
  atLeast: z.number().positive().optional(),
  atMost: z.number().nonnegative().optional(),
  /** Where the time goes and why the promise was missed, for the record of a race that misses it. */
  whenMissed: z.string().optional(),
});

const Cost = z.enum(["process", "inner", "inner-time"]);

const Definition = z.strictObject({
  title: z.string(),
  group: z.string(),
  /** The work in words, as a stranger would have to be told. */
  work: z.string(),
  corpus: z.string(),
  expected: Expected,
  /** How the expected answer was found, independent of our code. */
  expectedFrom: z.string(),
  /**
   * Whose cost counts: that of the whole process tree; what the program reports of its own inner loop; or the times of its
   * inner loop and the memory of its process.
   */
  cost: Cost,
  repeats: z.int().positive(),
  limitSeconds: z.number().positive(),
  /** What the programs report besides, in the order of the table's columns. */
  measures: z.record(z.string(), Measure).default({}),
  contenders: z.array(Contender).nonempty(),
  reach: z.array(Reach),
  fairness: z.array(z.string()),
  /** A proof on the small corpus that the row runs, and that a wrong answer is found out. */
  smoke: z.strictObject({
    contender: z.string(),
    /** A small corpus in place of the passages of etcd. */
    corpus: z.string().optional(),
    /** Replaces the contender's command where that needs what is not in the repository. */
    command: z.array(z.string()).optional(),
    expected: Expected,
    /** Added to the command; must make the answer wrong. */
    sabotage: z.array(z.string()).nonempty(),
  }),
});

/** @typedef {z.infer<typeof Definition> & {name: string}} BenchmarkDefinition */
/** @typedef {z.infer<typeof Contender>} BenchmarkContender */
/** @typedef {z.infer<typeof Expected>} ExpectedAnswer */
/** @typedef {z.infer<typeof Reach>} ReachTarget */
/** @typedef {z.infer<typeof Measure>} ReportedMeasure */
/** @typedef {z.infer<typeof Cost>} CostKind */

/**
 * The right answer of one contender.
 * @param {BenchmarkDefinition} definition
 * @param {BenchmarkContender} contender
 * @returns {ExpectedAnswer}
 */
export function expectedOf(definition, contender) {
  return { ...definition.expected, ...contender.expected };
}

/**
 * All definitions, by name. An invalid file is an error that names the file and the field.
 * @returns {BenchmarkDefinition[]}
 */
export function readDefinitions() {
  const folder = join(BENCH, "definitions");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => basename(file, ".json"))
    .sort()
    .map((name) => {
      const parsed = Definition.safeParse(JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")));
      if (!parsed.success) throw new Error(`definitions/${name}.json:\n${z.prettifyError(parsed.error)}`);
      return { name, ...parsed.data };
    });
}

/**
 * The definitions that a word on the command line means: a name, or a group.
 * @param {readonly BenchmarkDefinition[]} definitions
 * @param {readonly string[]} words none means all
 * @returns {BenchmarkDefinition[]}
 */
export function chooseDefinitions(definitions, words) {
  for (const word of words) {
    if (!definitions.some(({ name, group }) => name === word || group === word)) {
      const known = definitions.map(({ name, group }) => `${group}: ${name}`).join("\n  ");
      throw new Error(`no benchmark and no group "${word}"; there are\n  ${known}`);
    }
  }
  if (words.length === 0) return [...definitions];
  return definitions.filter(({ name, group }) => words.includes(name) || words.includes(group));
}
