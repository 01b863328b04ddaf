/**
 * Takes records in from JavaScript: reads the chosen columns, packs them, and hands them to a native batch.
 *
 * The main thread is given back between chunks, so that a server stays responsive while a large corpus comes in.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { NativeBatch } from "#native";
import { eachUntilAborted, untilAborted } from "../abort.js";
import { SluiceError } from "../errors.js";
import { callNative } from "../native.js";
import { tell } from "../report.js";
import { CHUNK_TEXTS, TextPacker } from "../text/pack.js";
import type { BatchPlan } from "./plan.js";
import type { TextRecord } from "./options.js";
import { idOf, kindOf, priorityField, priorityOf, textOf } from "./record-fields.js";
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
  /** What the caller's callback made of the progress so far. */
  let told = Promise.resolve();

  const flush = (): void => {
    const { data, offsets } = packer.take();
    callNative(() => {
      batch.push(data, offsets, priorities?.subarray(0, inChunk));
    });
    inChunk = 0;
    const { onProgress } = plan;
    if (onProgress === undefined) return;
    const progress = { step: "read", done: kept.length, total: 0 };
    told = told.then(() => tell(onProgress, progress));
    // Looked at when it is waited for.
    told.catch(() => undefined);
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
    await untilAborted(() => told, plan.signal);
    plan.signal?.throwIfAborted();
    turnEnds = performance.now() + TURN_MS;
  };

  if (isAsync(records)) {
    const list = plan.signal === undefined ? records : eachUntilAborted(records, plan.signal);
    for await (const record of list) {
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
  await untilAborted(() => told, plan.signal);
  plan.signal?.throwIfAborted();
  const idOfRecord = (record: T): string | undefined => idOf(record, plan.id);
  return { records: kept, batch, idOfRecord, idOf: (position) => idOf(kept[position], plan.id) };
}

/** Refuses what is no list of records; one text is a list of characters to JavaScript, and never meant as one. */
function requireList(records: unknown): void {
  if (typeof records === "object" && records !== null && (isAsync(records) || isIterable(records))) return;
  throw new SluiceError("OPTION_INVALID", "The records must come as an iterable or an async iterable.", {
    field: "records",
    expected: "iterable or async iterable",
    received: kindOf(records),
  });
}

function isAsync<T>(records: object): records is AsyncIterable<T> {
  return Symbol.asyncIterator in records && typeof records[Symbol.asyncIterator] === "function";
}

function isIterable(records: object): boolean {
  return Symbol.iterator in records && typeof records[Symbol.iterator] === "function";
}
