/**
 * Takes records in from JavaScript: reads the chosen columns, packs them, and hands them to a native batch.
 *
 * The main thread is given back between chunks, so that a server stays responsive while a large corpus comes in.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { NativeBatch } from "#native";
import { SluiceError } from "../errors.js";
import { callNative } from "../native.js";
import { CHUNK_TEXTS, TextPacker } from "../text/pack.js";
import type { BatchPlan } from "./plan.js";
import type { Keep, TextRecord } from "./options.js";
import type { RecordList } from "./result.js";

/** Milliseconds of packing after which the main thread is given back. */
const TURN_MS = 10;

/** Records that came in, and the native batch that holds their keys, texts and shingles. */
export interface Collected<T> extends RecordList<T> {
  readonly records: T[];
  readonly batch: NativeBatch;
  /** The caller's id of a record, if it has one. */
  readonly idOfRecord: (record: T) => string | undefined;
}

/** Reads every record of an iterable. The positions in errors count from 0. */
export async function collect<T extends TextRecord>(
  records: Iterable<T> | AsyncIterable<T>,
  plan: BatchPlan,
): Promise<Collected<T>> {
  plan.signal?.throwIfAborted();
  requireList(records);
  const batch = callNative((core) => new core.NativeBatch(plan.native));
  const kept: T[] = [];
  const packer = new TextPacker();
  const priorities = priorityField(plan.rules.keep) === undefined ? undefined : new Float64Array(CHUNK_TEXTS);
  let inChunk = 0;
  let turnEnds = performance.now() + TURN_MS;

  const flush = (): void => {
    const { data, offsets } = packer.take();
    callNative(() => {
      batch.push(data, offsets, priorities?.subarray(0, inChunk));
    });
    inChunk = 0;
    plan.onProgress?.({ step: "read", done: kept.length, total: 0 });
  };
  const take = (record: T): void => {
    const position = kept.length;
    if (packer.isFull(plan.columns.length)) flush();
    for (const column of plan.columns) packer.add(textOf(record, column, position));
    if (priorities !== undefined) priorities[inChunk] = priorityOf(record, plan.rules.keep, position);
    inChunk += 1;
    kept.push(record);
  };
  const rest = async (): Promise<void> => {
    await nextTurn();
    plan.signal?.throwIfAborted();
    turnEnds = performance.now() + TURN_MS;
  };

  if (Symbol.asyncIterator in records) {
    for await (const record of records) {
      take(record);
      if (performance.now() > turnEnds) await rest();
    }
  } else {
    for (const record of records) {
      take(record);
      // Looking at the clock costs as much as packing a short text: once in 64 records is enough.
      if ((kept.length & 63) === 0 && performance.now() > turnEnds) await rest();
    }
  }
  if (inChunk > 0) flush();
  plan.signal?.throwIfAborted();
  const idOfRecord = (record: T): string | undefined => idOf(record, plan.id);
  return { records: kept, batch, idOfRecord, idOf: (position) => idOf(kept[position], plan.id) };
}

/** One column of a record that was collected before: its text. */
export function textAt(record: TextRecord, column: string): unknown {
  return typeof record === "string" ? record : record[column];
}

function textOf(record: TextRecord, column: string, position: number): string {
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
  const value = record[column];
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

/** Refuses what is no list of records; one text is a list of characters to JavaScript, and never meant as one. */
function requireList(records: unknown): void {
  const isList =
    typeof records === "object" &&
    records !== null &&
    (Symbol.iterator in records || Symbol.asyncIterator in records);
  if (isList) return;
  throw new SluiceError("OPTION_INVALID", "The records must come as an iterable or an async iterable.", {
    field: "records",
    expected: "iterable or async iterable",
    received: kindOf(records),
  });
}

/** The type of a value, in a word; never the value. */
function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function priorityField(keep: Keep): string | undefined {
  return typeof keep === "object" ? keep.field : undefined;
}

/** The number a record is preferred by: a finite number, a Date, or a date as text; NaN where the record has none. */
function priorityOf(record: TextRecord, keep: Keep, position: number): number {
  const field = priorityField(keep);
  const value: unknown = typeof record === "string" || field === undefined ? undefined : record[field];
  if (value === undefined || value === null) return Number.NaN;
  const number =
    typeof value === "number" ? value : value instanceof Date ? value.getTime() / 1000 : dateSeconds(value);
  if (Number.isFinite(number)) return number;
  throw new SluiceError(
    "COLUMN_NOT_TEXT",
    `The record at position ${position} has no order in column ${field ?? ""}.`,
    {
      position,
      ...(field === undefined ? {} : { field }),
      expected: "a finite number, a Date, an RFC 3339 time or a YYYY-MM-DD date",
      received: typeof value,
    },
  );
}

/** Times without an offset are refused: they would mean another moment on every machine. Files are read alike. */
const DATE = /^(\d{4}-\d{2}-\d{2})(?:[Tt ]((?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d+)?)([Zz]|[+-]\d{2}:\d{2}))?$/;

function dateSeconds(value: unknown): number {
  const match = typeof value === "string" ? DATE.exec(value) : null;
  const [, day = "", time = "00:00:00", offset = "Z"] = match ?? [];
  const midnight = new Date(`${day}T00:00:00Z`);
  // `Date` takes February 30 for March 2.
  const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  return exists ? Date.parse(`${day}T${time}${offset.toUpperCase()}`) / 1000 : Number.NaN;
}

function idOf(record: TextRecord | undefined, field: string): string | undefined {
  if (record === undefined || typeof record === "string") return undefined;
  const value = record[field];
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint"
    ? String(value)
    : undefined;
}
