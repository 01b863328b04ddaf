/**
 * A payload as it lies in Qdrant: the caller's, and beside it what Qdrant cannot keep elsewhere.
 *
 * `_id` holds an id that is neither number nor UUID, `_text` the text, `_lc` lower-cased copies of the declared fields.
 */
import { foldCase } from "../../filter/fold-case.js";
import { withMembers } from "../kept-payload.js";
import { isKeptInPayload } from "../point-id.js";
import type { CheckedPoint } from "../store-driver.js";

/** The payload as JSON. */
export function storedPayload(point: CheckedPoint, foldedFields: readonly string[]): string {
  const extra: Record<string, unknown> = {};
  if (isKeptInPayload(point.id, point.wire)) extra["_id"] = point.id;
  if (point.text !== undefined) extra["_text"] = point.text;
  const folded = foldedCopy(point.payload, foldedFields);
  if (folded !== undefined) extra["_lc"] = folded;
  return withMembers(point.payloadJson, extra);
}

/** Where the lower-cased copy of a field lies. */
export function foldedPath(field: string): string {
  return `_lc.${field}`;
}

function foldedCopy(payload: unknown, fields: readonly string[]): Record<string, unknown> | undefined {
  let copy: Record<string, unknown> | undefined;
  for (const field of fields) {
    const path = field.split(".");
    const value = path.reduce<unknown>((at, key) => memberOf(at, key), payload);
    const folded = fold(value);
    if (folded === undefined) continue;
    copy ??= bare();
    let at = copy;
    for (const key of path.slice(0, -1)) {
      const next = Object.hasOwn(at, key) && isRecord(at[key]) ? at[key] : bare();
      at[key] = next;
      at = next;
    }
    at[path.at(-1) ?? field] = folded;
  }
  return copy;
}

/** Texts and texts in arrays; nothing else can contain one. */
function fold(value: unknown): string | readonly string[] | undefined {
  if (typeof value === "string") return foldCase(value);
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((member) => typeof member === "string");
  return texts.length === 0 ? undefined : texts.map(foldCase);
}

function memberOf(value: unknown, key: string): unknown {
  return isRecord(value) && !Array.isArray(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** An object without a prototype: any key is only a key. */
function bare(): Record<string, unknown> {
  // The type of an object without a prototype is `any`.
  return Object.create(null) as Record<string, unknown>;
}
