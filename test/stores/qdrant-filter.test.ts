/**
 * Filters as Qdrant gets them: `data/qdrant-filters.json` holds trees and request bodies.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { FilterTree } from "../../src/stores/filter-tree.js";
import { qdrantFilter, substringMatch } from "../../src/stores/qdrant/qdrant-filter.js";
import type { FilterTarget } from "../../src/stores/qdrant/qdrant-filter.js";
import { failureOf } from "../support/refusal-table.js";

const target: FilterTarget = { foldedFields: ["title"], indexes: { body: "text" }, substring: "text" };
// The file is written by hand, tree by tree.
const cases = JSON.parse(
  readFileSync(new URL("data/qdrant-filters.json", import.meta.url), "utf8"),
) as ReadonlyArray<{ readonly name: string; readonly tree: FilterTree; readonly request: object }>;

it.each(cases)("$name", ({ tree, request }) => {
  expect(qdrantFilter(tree, target)).toEqual(request);
});

it.each([
  ["icontains of a field that is not declared", { field: "body2", icontains: "x" }],
  ["a substring where a text index goes by words", { field: "body", contains: "x" }],
])("%s is UNSUPPORTED_FILTER", async (_title, tree) => {
  expect((await failureOf(() => qdrantFilter(tree, target))).code).toBe("UNSUPPORTED_FILTER");
});

it.each([
  ["1.10.0", "text"],
  ["1.18.3", "text"],
  ["1.19.0", "substring"],
  ["2.0.0", "substring"],
])("server %s is asked for a substring by match.%s", (version, match) => {
  expect(substringMatch(version)).toBe(match);
  expect(
    qdrantFilter({ field: "x", contains: "y" }, { ...target, substring: substringMatch(version) }),
  ).toEqual({
    must: [{ key: "x", match: { [match]: "y" } }],
  });
});
