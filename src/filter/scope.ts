/**
 * Whose memories: a user, an agent, a run. A scope is an argument of its own, never part of a caller's filter.
 */
import { SluiceError } from "../errors.js";
import { callNative } from "../native.js";
import type { Filter } from "./filter.js";
import { filterJson } from "./normal-form.js";

/**
 * Ids are texts, or whole numbers, which stand for their digits. Blanks around them are no part of them. An id that is named
 * needs a value: without one the scope would be wider than it reads, so it is `SCOPE_ID_TYPE`.
 */
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
/** The same, as filters have them. */
const FIELDS: readonly string[] = Object.values(KEYS);

/** Checks a scope and gives the fields that payloads hold for it. Without an id it is `SCOPE_REQUIRED`. */
export function scopeFields(scope: EntityScope): ScopeFields {
  const ids = scopeIds(scope);
  const json = JSON.stringify(ids);
  // The core writes these keys and no other.
  const fields = JSON.parse(callNative((core) => core.scopeParse(json))) as ScopeFields;
  requireValues(ids);
  return fields;
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
  const json = liftableJson(filter);
  const { scope } = callNative((core) => core.scopeLift(json));
  // Read once: what the core has checked is what is asked for. It is an object, or the core would have refused it.
  const checked = JSON.parse(json) as Filter;
  requireValues(checked);
  const rest = Object.entries(checked).filter(([key]) => !FIELDS.includes(key));
  return { scope: JSON.parse(scope) as ScopeFields, filter: Object.fromEntries(rest) };
}

/** The filter as JSON; an id of the scope without a value is refused as what it is, not as a condition. */
function liftableJson(filter: Filter): string {
  try {
    return filterJson(filter);
  } catch (error) {
    const { field = "", received } = error instanceof SluiceError ? error.details : {};
    throw received === "undefined" && FIELDS.includes(field) ? idType(field, received) : error;
  }
}

function scopeIds(scope: unknown): Readonly<Record<string, unknown>> {
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
  return Object.fromEntries(entries);
}

/** An id that JSON holds as it is: of what it has no form for, it would make an absent id, and of an object anything. */
function jsonId(key: string, id: unknown): unknown {
  if (id === undefined) return null;
  const unreadable =
    ["function", "symbol", "bigint"].includes(typeof id) ||
    (typeof id === "object" && id !== null) ||
    (typeof id === "number" && !Number.isFinite(id));
  if (!unreadable) return id;
  throw idType(key, typeof id === "number" ? "another number" : Array.isArray(id) ? "list" : typeof id);
}

/** Refuses an id that is named and has no value; where none has one, the core has said that a scope is needed. */
function requireValues(ids: Readonly<Record<string, unknown>>): void {
  const empty = FIELDS.find((field) => Object.hasOwn(ids, field) && ids[field] === null);
  if (empty !== undefined) throw idType(empty, "no value");
}

function idType(field: string, received: string): SluiceError {
  return new SluiceError("SCOPE_ID_TYPE", "An id of the scope is neither a text nor a whole number.", {
    field,
    expected: "a string or a whole number",
    received,
  });
}

function isKey(key: string): key is keyof typeof KEYS {
  return Object.hasOwn(KEYS, key);
}
