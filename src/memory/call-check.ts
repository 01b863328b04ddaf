/**
 * Whose memories a call is about, and which of them: the scope, the filter and the id, checked and in their one form.
 */
import { SluiceError } from "../errors.js";
import type { Filter } from "../filter/filter.js";
import { checkedFilter } from "../filter/normal-form.js";
import type { EntityScope, ScopeFields } from "../filter/scope.js";
import { liftScope, scopeFields } from "../filter/scope.js";
import { requireShort } from "../retrieve/options.js";
import { idInOneForm } from "../stores/point-id.js";
import { checkCall } from "./options.js";
import type { MemorySearchOptions } from "./options.js";

/** Refuses what is no search. */
export function checkSearch(query: unknown, options: unknown): void {
  if (typeof query !== "string") {
    throw new SluiceError("OPTION_INVALID", "The query must be a text.", {
      field: "query",
      expected: "a text",
      received: query === null ? "null" : typeof query,
    });
  }
  if (typeof options !== "object" || options === null) throw scopeRequired();
  checkCall("search", options);
  requireShort(query);
}

/** The scope of a search, given as such or in mem0's form, and what else is asked for. */
export function scopeAndFilter({ scope, filters }: MemorySearchOptions): {
  readonly scope: ScopeFields;
  readonly filter: Filter | undefined;
} {
  if (scope !== undefined) {
    const fields = scopeFields(scope);
    return { scope: fields, filter: filters === undefined ? undefined : checkedFilter(filters) };
  }
  // The types say that there are filters then; a caller without types may have left them out.
  const given = filters as Filter | undefined;
  if (given === undefined) throw scopeRequired();
  try {
    return liftScope(given);
  } catch (error) {
    throw error instanceof SluiceError && error.code === "SCOPE_REQUIRED" ? scopeRequired() : error;
  }
}

/** The scope, and the id in the form in which the store gives it back. */
export function checkById(
  scope: EntityScope,
  id: unknown,
  options: object,
): { readonly fields: ScopeFields; readonly id: string } {
  checkCall("call", options);
  const fields = scopeFields(scope);
  if (typeof id === "string") return { fields, id: String(idInOneForm(id)) };
  throw new SluiceError("OPTION_INVALID", "The id of a memory must be a text.", {
    field: "id",
    expected: "a text",
    received: id === null ? "null" : typeof id,
  });
}

function scopeRequired(): SluiceError {
  return new SluiceError(
    "SCOPE_REQUIRED",
    'A memory is searched within a scope: name a user, an agent or a run, as in { scope: { userId: "ann" } }.',
    { field: "scope", expected: "userId, agentId or runId", received: "no scope" },
  );
}
