/**
 * `npm run bench -- [NAME|GROUP ...] [--repeats N] [--only CONTENDER] [--smoke] [--list]`
 *
 * Races the named definitions and writes their records. Exit 0: every exact contender of ours was right; 1: one was not;
 * 2: wrong usage.
 */
import { parseArgs } from "node:util";

import { openCorpus } from "./harness/corpus.mjs";
import { chooseDefinitions, readDefinitions } from "./harness/definition.mjs";
import { describeMachine } from "./harness/machine.mjs";
import { judgeReach } from "./harness/reach.mjs";
import { race } from "./harness/rounds.mjs";
import { smoke } from "./harness/smoke.mjs";
import { tableOf } from "./harness/table.mjs";

/** @param {string} line */
const say = (line) => {
  process.stderr.write(`${line}\n`);
};

process.exitCode = await main();

async function main() {
  let values, definitions;
  try {
    const parsed = parseArgs({
      allowPositionals: true,
      options: {
        repeats: { type: "string" },
        only: { type: "string", multiple: true },
        smoke: { type: "boolean", default: false },
        list: { type: "boolean", default: false },
      },
    });
    values = parsed.values;
    definitions = chooseDefinitions(readDefinitions(), parsed.positionals);
    if (values.repeats !== undefined && !/^[1-9]\d{0,3}$/.test(values.repeats)) {
      throw new Error(`--repeats: expected a count from 1, received ${values.repeats}`);
    }
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return 2;
  }
  if (values.list) return list(definitions);
  if (values.smoke) return smokeAll(definitions);

  let wrong = 0;
  for (const definition of definitions) {
    const repeats = values.repeats === undefined ? definition.repeats : Number(values.repeats);
    wrong += await raceOne(definition, repeats, values.only);
  }
  return wrong === 0 ? 0 : 1;
}

/** @param {readonly import("./harness/definition.mjs").BenchmarkDefinition[]} definitions */
function list(definitions) {
  for (const { group, name, title } of definitions)
    console.log(`${group.padEnd(8)} ${name.padEnd(28)} ${title}`);
  return 0;
}

/** @param {readonly import("./harness/definition.mjs").BenchmarkDefinition[]} definitions */
async function smokeAll(definitions) {
  let failed = 0;
  for (const definition of definitions) {
    const faults = await smoke(definition).catch((error) => [String(error.message).slice(0, 600)]);
    if (faults.length > 0) failed += 1;
    console.log(
      `${faults.length === 0 ? "ok  " : "FAIL"} ${definition.name}${faults.map((fault) => `\n     ${fault}`).join("")}`,
    );
  }
  console.log(`bench: ${definitions.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/**
 * @param {import("./harness/definition.mjs").BenchmarkDefinition} definition
 * @param {number} repeats
 * @param {readonly string[] | undefined} only a race of some contenders is shown and not recorded; nor is one without ours
 * @returns {Promise<number>} how many exact contenders of ours were not right
 */
async function raceOne(definition, repeats, only) {
  const contenders = definition.contenders.filter(({ name }) => only === undefined || only.includes(name));
  if (contenders.length === 0) {
    say(`${definition.name}: nobody of ${only?.join(", ")} runs here`);
    return 0;
  }
  const { path, ...corpus } = await openCorpus(definition.corpus);
  const standings = await race(definition, { corpus: { ...corpus, path }, repeats, contenders, say });
  const date = new Date().toISOString().slice(0, 10);
  const reach = judgeReach(definition.reach, standings, definition.measures);
  const record = { date, definition, corpus, repeats, machine: describeMachine(), standings, reach };
  console.log(tableOf(record));
  const complete =
    only === undefined && standings.some(({ side, median }) => side === "ours" && median !== undefined);
  if (complete) {
    const { writeRecord } = await import("./harness/record.mjs");
    say(`written: ${await writeRecord(record)}.{json,md,svg}`);
  }
  return standings.filter(({ side, verdict }) => side === "ours" && verdict !== "right").length;
}
