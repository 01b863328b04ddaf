/**
 * The filter of a call as the tree that drivers translate, and what can be told from the tree alone.
 */
import type { Filter } from "../filter/filter.js";
import { normalForm } from "../filter/normal-form.js";
import type { FilterTree } from "../filter/normal-form.js";

export type { FilterTree };

/** Fields that say whose points these are. Every store indexes them. */
export const SCOPE_KEYS = ["user_id", "agent_id", "run_id", "tenant_id"] as const;

/** The tree of a filter; undefined where everything matches. */
export function treeOf(filter: Filter | undefined): FilterTree | undefined {
  if (filter === undefined) return undefined;
  const tree = normalForm(filter);
  return "all" in tree && tree.all.length === 0 ? undefined : tree;
}

/** Whether every point that matches has a certain user, agent, run or tenant. */
export function namesScope(tree: FilterTree | undefined): boolean {
  if (tree === undefined) return false;
  if ("all" in tree) return tree.all.some(namesScope);
  return "eq" in tree && SCOPE_KEYS.some((key) => key === tree.field);
}
