/**
 * A memory as it lies in a store, and as it comes out.
 *
 * One point holds all of it: the text, the caller's metadata at the top of the payload, the scope beside it, and under
 * `_memory` what the memory itself writes, its history included. So a write is one write: there is no moment at which a
 * memory is there and its history is not.
 */
import { createHash } from "node:crypto";
import { SluiceError } from "../errors.js";
import type { ScopeFields } from "../filter/scope.js";
import type { Payload, StoredPoint } from "../stores/vector-store.js";

/** Fields of the payload that name the scope. */
export const SCOPE_FIELDS = ["user_id", "agent_id", "run_id"] as const;
/** The field of the payload that the memory keeps its own things in. */
export const RECORD_FIELD = "_memory";

/** Most events of a history; the oldest go first, and are counted. */
export const EVENTS_MAX = 100;
/** Most bytes of the texts in it. */
const HISTORY_BYTES_MAX = 262_144;

/** A memory. */
export interface StoredMemory {
  readonly id: string;
  readonly text: string;
  readonly metadata: Payload;
  readonly scope: ScopeFields;
  /** Counts from 1; every update adds 1. */
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt?: string;
}

/** Something that happened to a memory. */
export interface MemoryEvent {
  readonly event: "ADD" | "UPDATE" | "DELETE";
  readonly at: string;
  /** The text after the event. Absent for a deletion, and everywhere once a memory is deleted: forgotten is forgotten. */
  readonly text?: string;
}

/** The life of a memory, oldest first. */
export interface MemoryHistory {
  readonly id: string;
  readonly status: "there" | "deleted" | "unknown";
  readonly events: readonly MemoryEvent[];
  /** Older events that are not kept any more. */
  readonly dropped: number;
}

/** What lies under `_memory`. The last event has no text: it is that of the point. */
export interface MemoryRecord {
  readonly text_key: string;
  readonly key?: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly expires_at?: string;
  readonly history: readonly MemoryEvent[];
  readonly history_dropped: number;
}

/** A point of the collection, read. */
export interface MemoryPoint {
  readonly id: string;
  readonly text: string;
  readonly metadata: Payload;
  readonly scope: ScopeFields;
  readonly record: MemoryRecord;
}

/** A content UUID (version 8 of RFC 9562): the first half of the SHA-256 of a text. */
export function contentId(content: string): string {
  const bytes = createHash("sha256").update(content, "utf8").digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** What says of which kind of thing, and in which scope, a text is; different for any two of them. */
export function seedOf(scope: ScopeFields, ...content: ReadonlyArray<string | number>): string {
  return JSON.stringify([...SCOPE_FIELDS.map((field) => scope[field] ?? null), ...content]);
}

/** Equal for the same text in the very same scope, and for nothing else. */
export function textKeyOf(scope: ScopeFields, text: string): string {
  return createHash("sha256")
    .update(seedOf(scope, "text", text), "utf8")
    .digest("hex");
}

/** The payload of a memory. */
export function payloadOf(metadata: Payload, scope: ScopeFields, record: MemoryRecord): Payload {
  return { ...metadata, ...scope, [RECORD_FIELD]: record };
}

/** Reads a point that a memory wrote. */
export function readPoint({ id, text, payload }: StoredPoint): MemoryPoint {
  const { user_id, agent_id, run_id, [RECORD_FIELD]: record, ...metadata } = payload;
  if (text === undefined || !isRecord(record)) {
    throw new SluiceError("COLLECTION_MISMATCH", "The collection holds points that no memory wrote.", {
      field: RECORD_FIELD,
      expected: "a collection of its own for the memory",
      received: "another point",
    });
  }
  const scope = { user_id, agent_id, run_id };
  const ids = Object.entries(scope).filter(([, value]) => typeof value === "string");
  return { id: String(id), text, metadata, scope: Object.fromEntries(ids), record };
}

/** A memory as its owner sees it. */
export function publicMemory({ id, text, metadata, scope, record }: MemoryPoint): StoredMemory {
  return {
    id,
    text,
    metadata,
    scope,
    version: record.version,
    createdAt: record.created_at,
    updatedAt: record.updated_at,
    ...(record.expires_at === undefined ? {} : { expiresAt: record.expires_at }),
  };
}

/** Whether a memory has expired. */
export function isExpired({ expires_at: expiresAt }: MemoryRecord, nowMs: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= nowMs;
}

/** The history with one more event; the one before it takes down the text that was there until now. */
export function withEvent(
  record: MemoryRecord,
  formerText: string,
  event: MemoryEvent,
): Pick<MemoryRecord, "history" | "history_dropped"> {
  const last = record.history.at(-1);
  const former = last === undefined ? [] : [...record.history.slice(0, -1), { ...last, text: formerText }];
  const history = [...former, event];
  let dropped = record.history_dropped;
  let bytes = history.reduce((sum, { text }) => sum + Buffer.byteLength(text ?? ""), 0);
  while (history.length > EVENTS_MAX || (bytes > HISTORY_BYTES_MAX && history.length > 1)) {
    bytes -= Buffer.byteLength(history.shift()?.text ?? "");
    dropped += 1;
  }
  return { history, history_dropped: dropped };
}

function isRecord(value: unknown): value is MemoryRecord {
  if (typeof value !== "object" || value === null) return false;
  // It is an object, and may be asked for any key.
  const record = value as Partial<Record<keyof MemoryRecord, unknown>>;
  const texts = [record.text_key, record.created_at, record.updated_at];
  const numbers = [record.version, record.history_dropped];
  const optional = [record.key, record.expires_at];
  return (
    texts.every((text) => typeof text === "string") &&
    numbers.every((number) => typeof number === "number") &&
    optional.every((text) => text === undefined || typeof text === "string") &&
    isEvents(record.history)
  );
}

/** Whether something is a list of events. */
export function isEvents(value: unknown): value is readonly MemoryEvent[] {
  return Array.isArray(value) && value.every(isEvent);
}

function isEvent(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  // As above.
  const { event, at, text } = value as Partial<Record<keyof MemoryEvent, unknown>>;
  return (
    ["ADD", "UPDATE", "DELETE"].some((name) => name === event) &&
    typeof at === "string" &&
    (text === undefined || typeof text === "string")
  );
}
