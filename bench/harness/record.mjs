/** What stays of a race: a JSON file with every run, a page with the table, a plot. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { RECORDS } from "./places.mjs";
import { plotOf } from "./plot.mjs";
import { tableOf } from "./table.mjs";

/**
 * @typedef {object} BenchmarkRecord
 * @property {string} date day of the race, ISO
 * @property {import("./definition.mjs").BenchmarkDefinition} definition
 * @property {Omit<import("./corpus.mjs").Corpus, "path">} corpus
 * @property {number} repeats
 * @property {ReturnType<typeof import("./machine.mjs").describeMachine>} machine
 * @property {import("./rounds.mjs").Standing[]} standings
 * @property {ReturnType<typeof import("./reach.mjs").judgeReach>} reach
 */

/**
 * Writes `<definition>-<date>.json`, `.md` and `.svg`; a second race of the same day replaces the first.
 * @param {BenchmarkRecord} record
 * @returns {Promise<string>} the path without its ending
 */
export async function writeRecord(record) {
  mkdirSync(RECORDS, { recursive: true });
  const path = join(RECORDS, `${record.definition.name}-${record.date}`);
  writeFileSync(`${path}.json`, `${JSON.stringify(record, undefined, 2)}\n`);
  writeFileSync(`${path}.md`, tableOf(record));
  const svg = await plotOf(record);
  if (svg !== undefined) writeFileSync(`${path}.svg`, `${svg}\n`);
  return path;
}
