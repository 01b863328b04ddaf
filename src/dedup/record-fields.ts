/**
 * Reads the fields of a record that came from a caller: its texts, its id, and what it is preferred by.
 *
 * A field is one of the record's own or of its class; what every object inherits, like `constructor`, is none.
 */
import { SluiceError } from "../errors.js";
import { callNative } from "../native.js";
import type { Keep, TextRecord } from "./options.js";

/** The text in one column of the record at a position; anything else is refused. */
export function textOf(record: TextRecord, column: string, position: number): string {
  if (typeof record === "string") return record;
  // A caller without types may hand us anything.
  const received = kindOf(record);
  if (received !== "object") {
    throw new SluiceError(
      "RECORD_INVALID",
      `The record at position ${position} is neither text nor an object.`,
      { position, expected: "string or object", received },
    );
  }
  const value = fieldOf(record, column);
  if (typeof value === "string") return value;
  const missing = value === undefined;
  throw new SluiceError(
    missing ? "COLUMN_MISSING" : "COLUMN_NOT_TEXT",
    `The record at position ${position} has ${missing ? "no" : "something other than text in"} column ${column}.`,
    {
      position,
      field: column,
      expected: "string",
      received: kindOf(value),
    },
  );
}

/** One column of a record whose text was read before. */
export function textAt(record: TextRecord, column: string): unknown {
  return typeof record === "string" ? record : fieldOf(record, column);
}

/** The field that records are preferred by, if they are. */
export function priorityField(keep: Keep): string | undefined {
  return typeof keep === "object" ? keep.field : undefined;
}

/** The number a record is preferred by: a finite number, a Date, or a date as text; NaN where the record has none. */
export function priorityOf(record: TextRecord, keep: Keep, position: number): number {
  const field = priorityField(keep);
  const value: unknown =
    typeof record === "string" || field === undefined ? undefined : fieldOf(record, field);
  if (value === undefined || value === null) return Number.NaN;
  const number = orderOf(value);
  if (number !== null && Number.isFinite(number)) return number;
  throw new SluiceError(
    "COLUMN_NOT_ORDERED",
    `The record at position ${position} has no order in column ${field ?? ""}.`,
    {
      position,
      ...(field === undefined ? {} : { field }),
      expected: "a finite number, a Date, an RFC 3339 time or a YYYY-MM-DD date",
      received: typeof value,
    },
  );
}

/** The caller's id of a record, if it has one. */
export function idOf(record: TextRecord | undefined, field: string): string | undefined {
  if (record === undefined || typeof record === "string") return undefined;
  const value = fieldOf(record, field);
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint"
    ? String(value)
    : undefined;
}

/** The type of a value, in a word; never the value. */
export function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function orderOf(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (value instanceof Date) return value.getTime() / 1000;
  // The core reads dates of files too: a text means one moment, wherever it stands and on every machine.
  return typeof value === "string" ? callNative((core) => core.dateSeconds(value)) : null;
}

function fieldOf(record: object, name: string): unknown {
  if (name in Object.prototype && !hasBelowRoot(record, name)) return undefined;
  // An object may be asked for any key.
  return (record as Readonly<Record<string, unknown>>)[name];
}

/** Whether a record or its class has a field, whatever all objects have. */
function hasBelowRoot(record: object, name: string): boolean {
  let holder = record;
  for (;;) {
    // The type of `getPrototypeOf` is `any`.
    const next = Object.getPrototypeOf(holder) as object | null;
    // The last prototype is that of all objects, also of those from another realm.
    if (next === null && holder !== record) return false;
    if (Object.hasOwn(holder, name)) return true;
    if (next === null) return false;
    holder = next;
  }
}
