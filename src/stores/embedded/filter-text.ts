/**
 * A filter tree in the language that the core reads, so that store and view decide by the same parser and the same meaning.
 *
 * Keys beside each other must all hold and may come several times, so that `all` never needs a list, and a filter that was
 * within the limits of the core still is.
 */
import type { FilterLeaf } from "../../filter/normal-form.js";
import type { FilterTree } from "../filter-tree.js";

/** JSON of a filter with the normal form that was given. */
export function filterText(tree: FilterTree | undefined): string {
  return tree === undefined ? "{}" : `{${entriesOf(tree)}}`;
}

/** The entries of the object, without its braces. */
function entriesOf(tree: FilterTree): string {
  if ("all" in tree) return tree.all.map(entriesOf).join(",");
  if ("any" in tree) return tree.any.length === 0 ? NOTHING : list("OR", tree.any);
  if ("none" in tree) {
    const [only, ...others] = tree.none;
    const opposite = only === undefined || others.length > 0 ? undefined : oppositeOf(only);
    return opposite ?? list("NOT", tree.none);
  }
  return entry(tree.field, conditionOf(tree));
}

/** What no payload passes: one of no values. */
const NOTHING = '"_":{"in":[]}';

function list(name: string, trees: readonly FilterTree[]): string {
  return `${JSON.stringify(name)}:[${trees.map((tree) => `{${entriesOf(tree)}}`).join(",")}]`;
}

function entry(field: string, condition: unknown): string {
  return `${JSON.stringify(field)}:${JSON.stringify(condition)}`;
}

/** The opposite of a test that has one of its own. */
function oppositeOf(tree: FilterTree): string | undefined {
  if ("eq" in tree) return entry(tree.field, { ne: tree.eq });
  if ("in" in tree) return entry(tree.field, { nin: tree.in });
  return undefined;
}

function conditionOf(leaf: FilterLeaf): unknown {
  if ("eq" in leaf) return leaf.eq === "*" ? { eq: leaf.eq } : leaf.eq;
  if ("in" in leaf) return leaf.in;
  if ("range" in leaf) return leaf.range;
  if ("instants" in leaf) return leaf.instants;
  if ("exists" in leaf) return "*";
  if ("contains" in leaf) return { contains: leaf.contains };
  return { icontains: leaf.icontains };
}
