/**
 * The specification of scopes and filters, case by case, through a memory: what it finds is what the case says.
 */
import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { loadEmbedder } from "../../src/embed/native-embedder.js";
import type { EntityScope } from "../../src/filter/scope.js";
import { Memory } from "../../src/memory/memory.js";
import type { ScopedFilter } from "../../src/memory/options.js";
import { referenceStore } from "../support/reference-store.js";
import { failureOf } from "../support/refusal-table.js";

interface Record {
  readonly kind: "record";
  readonly id: number;
  readonly payload: Readonly<{
    [field: string]: unknown;
    user_id?: string;
    agent_id?: string;
    run_id?: string;
  }>;
}
interface Case {
  readonly kind: "case";
  readonly id: string;
  readonly name: string;
  readonly filter: ScopedFilter;
  readonly expect?: readonly number[];
  readonly error?: string;
}

const file = new URL("../../crates/filter/tests/data/memory-filters.jsonl", import.meta.url);
const lines = readFileSync(file, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Record | Case);
const records = lines.filter((line) => line.kind === "record");
const cases = lines.filter((line) => line.kind === "case");

const memory = new Memory({ hub: referenceStore(), embedder: await loadEmbedder("hash") });

beforeAll(async () => {
  for (const { id, payload } of records) {
    const { user_id: userId, agent_id: agentId, run_id: runId, ...metadata } = payload;
    const ids = Object.entries({ userId, agentId, runId }).filter(([, value]) => value !== undefined);
    // Records of nobody are in the file for other stores: a memory cannot take them, and no case expects them.
    if (ids.length === 0) continue;
    const scope = Object.fromEntries(ids) as unknown as EntityScope;
    await memory.add(scope, [{ text: `record ${id}`, metadata }]);
  }
});

it("are all there", () => {
  expect([records.length, cases.length]).toEqual([20, 54]);
});

it.each(cases)("$id $name", async ({ filter, expect: ids, error }) => {
  const search = (): ReturnType<Memory["search"]> =>
    memory.search("record", { filters: filter, topK: 100, threshold: -1 });
  if (error !== undefined) {
    expect((await failureOf(search)).code).toBe(error);
    return;
  }
  const found = (await search()).results.map(({ text }) => Number(text.slice("record ".length)));
  expect(found.toSorted((left, right) => left - right)).toEqual(ids);
});
