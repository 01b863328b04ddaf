/**
 * Whose memories: a user, an agent, a run. A scope is an argument of its own, never part of a caller's filter.
 */
import { SluiceError } from "../errors.js";
import { callNative } from "../native.js";
import type { Filter } from "./filter.js";
import { filterJson } from "./normal-form.js";

/** Ids are texts, or whole numbers, which stand for their digits. Blanks around them are no part of them. */
export interface ScopeIds {
  readonly userId?: string | number;
  readonly agentId?: string | number;
  readonly runId?: string | number;
}

/** A scope names at least one user, agent or run; of several, all must hold. One without any does not compile. */
export type EntityScope = {
  readonly [K in keyof ScopeIds]-?: ScopeIds & Required<Pick<ScopeIds, K>>;
}[keyof ScopeIds];

/** A checked scope as payloads hold it: trimmed, in Unicode form NFC. It is a filter, too. */
export interface ScopeFields {
  readonly user_id?: string;
  readonly agent_id?: string;
  readonly run_id?: string;
}

/** A scope, and what the filter that it was taken out of asks for besides. */
export interface LiftedScope {
  readonly scope: ScopeFields;
  readonly filter: Filter;
}

const KEYS = { userId: "user_id", agentId: "agent_id", runId: "run_id" } as const;

/** Checks a scope and gives the fields that payloads hold for it. Without an id it is `SCOPE_REQUIRED`. */
export function scopeFields(scope: EntityScope): ScopeFields {
  const json = scopeJson(scope);
  // The core writes these keys and no other.
  return JSON.parse(callNative((core) => core.scopeParse(json))) as ScopeFields;
}

/** The filter that leaves what lies within a scope. */
export function scopeFilter(scope: EntityScope): Filter {
  return { ...scopeFields(scope) };
}

/**
 * Takes the scope out of a filter that has `user_id`, `agent_id` or `run_id` at its top level, as mem0 writes it. Further
 * down these are fields like any other: they narrow the scope and never widen it. The filter given is left as it is.
 */
export function liftScope(filter: Filter): LiftedScope {
  const json = filterJson(filter);
  const { scope } = callNative((core) => core.scopeLift(json));
  const scopeKeys: readonly string[] = Object.values(KEYS);
  const rest = Object.entries(filter).filter(([key]) => !scopeKeys.includes(key));
  // As above; the core has read the rest, too.
  return { scope: JSON.parse(scope) as ScopeFields, filter: Object.fromEntries(rest) };
}

function scopeJson(scope: unknown): string {
  // A caller without types may hand us anything.
  if (typeof scope !== "object" || scope === null) {
    throw new SluiceError("SCOPE_REQUIRED", "A scope names a user, an agent or a run.", {
      expected: "an object with userId, agentId or runId",
      received: scope === null ? "null" : typeof scope,
    });
  }
  const entries = Object.entries(scope).map(([key, id]) => {
    if (!isKey(key)) {
      throw new SluiceError("FILTER_SHAPE", "A scope has an unknown key.", {
        expected: "userId, agentId or runId",
        received: "another key",
      });
    }
    return [KEYS[key], jsonId(KEYS[key], id)] as const;
  });
  return JSON.stringify(Object.fromEntries(entries));
}

/** What JSON has no form for would come as an absent id. */
function jsonId(key: string, id: unknown): unknown {
  const unreadable =
    ["function", "symbol", "bigint"].includes(typeof id) || (typeof id === "number" && !Number.isFinite(id));
  if (!unreadable) return id;
  throw new SluiceError("SCOPE_ID_TYPE", "An id of the scope is neither a text nor a whole number.", {
    field: key,
    expected: "a string or a whole number",
    received: typeof id === "number" ? "another number" : typeof id,
  });
}

function isKey(key: string): key is keyof typeof KEYS {
  return Object.hasOwn(KEYS, key);
}
