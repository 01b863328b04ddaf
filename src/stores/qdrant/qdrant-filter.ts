/**
 * Translates a filter into Qdrant's conditions, so that it keeps its one meaning.
 *
 * The obvious condition is often the wrong one there: `match.except` skips absent fields, `match.value` takes no 4.5 and
 * misses 9.0 for 9, an empty `should` matches everything, and an index changes what a condition means. Each line below is the
 * one whose answers were compared with the definition.
 */
import { SluiceError } from "../../errors.js";
import type { Range } from "../../filter/normal-form.js";
import type { FilterTree } from "../filter-tree.js";
import { foldedPath } from "./stored-payload.js";

/** What of a collection decides how a condition is written. */
export interface FilterTarget {
  readonly foldedFields: readonly string[];
  /** Types of the payload indexes by field. */
  readonly indexes: Readonly<Record<string, string>>;
  /** How the server is asked for a substring; see `substringMatch`. */
  readonly substring: SubstringMatch;
}

/** The name of the condition that finds a substring; undefined where the server has none. */
export type SubstringMatch = "text" | "substring" | undefined;

/** A condition of Qdrant, or a filter inside one. */
export type Condition = Readonly<Record<string, unknown>>;

/** Types of indexes that answer for ranges. */
const RANGE_INDEXES: ReadonlySet<string> = new Set(["integer", "float", "datetime"]);

/** Matches nothing: no point has one of no ids. */
const NOTHING: Condition = { has_id: [] };

/** The filter of a request. */
export function qdrantFilter(tree: FilterTree, target: FilterTarget): Condition {
  const condition = translate(tree, target);
  return isFilter(condition) ? condition : { must: [condition] };
}

/**
 * How a server of a version is asked for a substring: `match.text` compares characters up to 1.19.0 and whole words from
 * 1.19.1 on; `match.substring` came with 1.20.
 */
export function substringMatch(version: string): SubstringMatch {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  if (major > 1 || (major === 1 && minor >= 20)) return "substring";
  return major < 1 || minor < 19 || patch === 0 ? "text" : undefined;
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
  if ("eq" in tree) return equals(tree.field, tree.eq, target);
  if ("in" in tree) return oneOf(tree.field, tree.in, target);
  if ("range" in tree) return range(tree.field, "number", tree.range, target);
  if ("instants" in tree) return range(tree.field, "time", tree.instants, target);
  if ("exists" in tree) return exists(key);
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

/** At least one value that is not null: `is_empty` takes `[null]` for full, so the elements are looked at too. */
function exists(key: string): Condition {
  const elements = `${key}[]`;
  const onlyNull = { must: [{ is_null: { key: elements } }, { is_empty: { key: elements } }] };
  return { must_not: [{ is_empty: { key } }, onlyNull] };
}

function equals(field: string, value: string | number | boolean, target: FilterTarget): Condition {
  // `match.value` takes whole numbers only, and 9.0 written by another client is not 9 to it.
  if (typeof value === "number") return range(field, "number", { gte: value, lte: value }, target);
  // An index of numbers or times answers for a text that is a UUID, and finds none; `match.any` goes past it.
  const index = target.indexes[field] ?? "none";
  const past = typeof value === "string" && RANGE_INDEXES.has(index);
  return { key: keyOf(field), match: past ? { any: [value] } : { value } };
}

function oneOf(
  field: string,
  values: ReadonlyArray<string | number | boolean>,
  target: FilterTarget,
): Condition {
  if (values.length === 0) return NOTHING;
  if (values.every((value) => typeof value === "string"))
    return { key: keyOf(field), match: { any: values } };
  // `match.any` takes values of one kind only.
  return { should: values.map((value) => equals(field, value, target)) };
}

/** Every such index answers for every range, and compares a time with a number as if both were the same. */
function range(
  field: string,
  of: "number" | "time",
  bounds: Range<number> | Range<string>,
  target: FilterTarget,
): Condition {
  const right = of === "number" ? "float" : "datetime";
  const index = target.indexes[field] ?? "none";
  if (RANGE_INDEXES.has(index) && index !== right) {
    throw new SluiceError(
      "UNSUPPORTED_FILTER",
      `The field ${field} has an index of type ${index}, which hides values that this filter asks for; delete the index.`,
      { field, expected: `no index, or one of type ${right}`, received: index },
    );
  }
  return { key: keyOf(field), range: bounds };
}

function substring(field: string, needle: string, target: FilterTarget): Condition {
  if (target.substring === undefined) {
    throw new SluiceError(
      "UNSUPPORTED_FILTER",
      `This version of Qdrant finds whole words only, and no part of ${field}.`,
      { field, expected: "Qdrant up to 1.19.0, or 1.20 or later", received: "Qdrant 1.19.1 or a later 1.19" },
    );
  }
  // `match.substring` reads the payload past such an index, `match.text` goes by it.
  if (target.substring === "text" && target.indexes[field] === "text") {
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
