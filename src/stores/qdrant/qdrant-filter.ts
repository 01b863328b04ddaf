/**
 * Translates a filter into Qdrant's conditions, so that it keeps its one meaning.
 *
 * The obvious condition is often the wrong one there: `match.except` skips absent fields, `match.value` takes no 4.5 and
 * misses 9.0 for 9, an empty `should` matches everything, and a text index turns a substring into whole words. Each line
 * below is the one whose answers were compared with the definition.
 */
import { SluiceError } from "../../errors.js";
import type { FilterTree } from "../filter-tree.js";
import { foldedPath } from "./stored-payload.js";

/** What of a collection decides how a condition is written. */
export interface FilterTarget {
  readonly foldedFields: readonly string[];
  /** Types of the payload indexes by field. */
  readonly indexes: Readonly<Record<string, string>>;
  /** How the server is asked for a substring; see `substringMatch`. */
  readonly substring: "text" | "substring";
}

/** A condition of Qdrant, or a filter inside one. */
export type Condition = Readonly<Record<string, unknown>>;

/** Matches nothing: no point has one of no ids. */
const NOTHING: Condition = { has_id: [] };

/** The filter of a request. */
export function qdrantFilter(tree: FilterTree, target: FilterTarget): Condition {
  const condition = translate(tree, target);
  return isFilter(condition) ? condition : { must: [condition] };
}

/** How a server of a version is asked for a substring: later than 1.18 `match.text` goes by words. */
export function substringMatch(version: string): "text" | "substring" {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 1 || minor > 18 ? "substring" : "text";
}

function translate(tree: FilterTree, target: FilterTarget): Condition {
  if ("all" in tree) return { must: tree.all.map((part) => translate(part, target)) };
  if ("any" in tree) {
    // An empty `should` would match everything.
    return tree.any.length === 0
      ? { must: [NOTHING] }
      : { should: tree.any.map((part) => translate(part, target)) };
  }
  if ("none" in tree) return { must_not: tree.none.map((part) => translate(part, target)) };
  const key = keyOf(tree.field);
  if ("eq" in tree) return equals(key, tree.eq);
  if ("in" in tree) return oneOf(key, tree.in);
  if ("range" in tree) return { key, range: tree.range };
  if ("instants" in tree) return { key, range: tree.instants };
  if ("exists" in tree) return { must_not: [{ is_empty: { key } }] };
  if ("contains" in tree) return substring(tree.field, tree.contains, target);
  if (!target.foldedFields.includes(tree.field)) {
    throw new SluiceError(
      "UNSUPPORTED_FILTER",
      `Qdrant cannot compare ${tree.field} without case; name it in foldedFields of ensureCollection.`,
      { field: tree.field, expected: "a field of foldedFields", received: "icontains" },
    );
  }
  return substring(foldedPath(tree.field), tree.icontains, target);
}

function equals(key: string, value: string | number | boolean): Condition {
  // `match.value` takes whole numbers only, and 9.0 written by another client is not 9 to it.
  return typeof value === "number" ? { key, range: { gte: value, lte: value } } : { key, match: { value } };
}

function oneOf(key: string, values: ReadonlyArray<string | number | boolean>): Condition {
  if (values.length === 0) return NOTHING;
  if (values.every((value) => typeof value === "string")) return { key, match: { any: values } };
  // `match.any` takes values of one kind only.
  return { should: values.map((value) => equals(key, value)) };
}

function substring(field: string, needle: string, target: FilterTarget): Condition {
  if (target.indexes[field] === "text") {
    throw new SluiceError(
      "UNSUPPORTED_FILTER",
      `The field ${field} has a text index, which finds whole words only; delete the index.`,
      { field, expected: "no text index", received: "text" },
    );
  }
  return { key: keyOf(field), match: { [target.substring]: needle } };
}

/** A path as Qdrant reads it: parts with other characters are quoted. */
function keyOf(field: string): string {
  return field
    .split(".")
    .map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : `"${part}"`))
    .join(".");
}

function isFilter(condition: Condition): boolean {
  return "must" in condition || "should" in condition || "must_not" in condition;
}
