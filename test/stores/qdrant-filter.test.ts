/**
 * Filters as Qdrant gets them: `data/qdrant-filters.json` holds trees and request bodies.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { FilterTree } from "../../src/stores/filter-tree.js";
import { qdrantFilter, substringMatch } from "../../src/stores/qdrant/qdrant-filter.js";
import type { FilterTarget } from "../../src/stores/qdrant/qdrant-filter.js";
import { failureOf } from "../support/refusal-table.js";

const target: FilterTarget = {
  foldedFields: ["title"],
  indexes: { body: "text", price: "float", due: "datetime", stock: "integer" },
  substring: "text",
};
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
  [
    "an instant where an index of numbers answers",
    { field: "price", instants: { gt: "2025-01-01T00:00:00Z" } },
  ],
  ["a number where an index of times answers", { field: "due", eq: 9 }],
  ["a number in a list where an index of times answers", { field: "due", in: ["soon", 9] }],
  ["a number where an index of whole numbers hides fractions", { field: "stock", range: { lt: 9.5 } }],
])("%s is UNSUPPORTED_FILTER", async (_title, tree) => {
  const failure = await failureOf(() => qdrantFilter(tree, target));
  expect([failure.code, failure.details.field]).toEqual(["UNSUPPORTED_FILTER", tree.field]);
});

it("a substring past a text index is found where the server has a condition for it", () => {
  expect(qdrantFilter({ field: "body", contains: "x" }, { ...target, substring: "substring" })).toEqual({
    must: [{ key: "body", match: { substring: "x" } }],
  });
});

it.each([
  ["1.10.0", "text"],
  ["1.18.3", "text"],
  ["1.19.0", "text"],
  ["1.19.0-dev", "text"],
  ["1.20.0", "substring"],
  ["1.20.0-dev", "substring"],
  ["2.0.0", "substring"],
])("server %s is asked for a substring by match.%s", (version, match) => {
  expect(
    qdrantFilter({ field: "x", contains: "y" }, { ...target, substring: substringMatch(version) }),
  ).toEqual({
    must: [{ key: "x", match: { [match]: "y" } }],
  });
});

it.each(["1.19.1", "1.19.7"])("server %s finds whole words only: UNSUPPORTED_FILTER", async (version) => {
  const filter: FilterTree = { none: [{ field: "title", icontains: "y" }] };
  const failure = await failureOf(() =>
    qdrantFilter(filter, { ...target, substring: substringMatch(version) }),
  );
  expect(failure.code).toBe("UNSUPPORTED_FILTER");
});
