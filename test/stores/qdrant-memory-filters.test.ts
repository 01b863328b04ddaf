/**
 * The filter cases as Qdrant gets them: `data/qdrant-memory-filters.json` holds the request body of every case that is not
 * refused. They change on purpose only.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Filter } from "../../src/filter/filter.js";
import { normalForm } from "../../src/filter/normal-form.js";
import { liftScope } from "../../src/filter/scope.js";
import { qdrantFilter } from "../../src/stores/qdrant/qdrant-filter.js";
import type { FilterTarget } from "../../src/stores/qdrant/qdrant-filter.js";

interface Case {
  readonly kind: "record" | "case";
  readonly id: string;
  readonly name: string;
  readonly filter: Filter;
  readonly expect?: readonly number[];
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
// Both files are ours.
const lines = read("../../crates/filter/tests/data/memory-filters.jsonl").trimEnd().split("\n");
const cases = lines
  .map((line) => JSON.parse(line) as Case)
  .filter(({ kind, expect: rows }) => kind === "case" && rows !== undefined);
const bodies = JSON.parse(read("data/qdrant-memory-filters.json")) as Readonly<Record<string, object>>;

const target: FilterTarget = { foldedFields: ["title", "tags"], indexes: {}, substring: "text" };

describe("a memory filter goes to Qdrant", () => {
  it.each(cases)("$id $name", ({ id, filter }) => {
    const { scope, filter: rest } = liftScope(filter);
    expect(qdrantFilter(normalForm({ ...rest, ...scope }), target)).toEqual(bodies[id]);
  });

  it("and every body belongs to a case", () => {
    expect(Object.keys(bodies)).toEqual(cases.map(({ id }) => id));
  });
});
