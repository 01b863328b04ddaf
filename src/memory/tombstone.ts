/**
 * What is left of a memory that is gone: when what happened to it, and no text.
 *
 * The same fact can be learnt and forgotten again, under the same id: one tombstone holds all its lives that are over.
 */
import { SluiceError } from "../errors.js";
import type { StoredPoint } from "../stores/vector-store.js";
import { EVENTS_MAX, isEvents, RECORD_FIELD } from "./record.js";
import type { MemoryEvent, MemoryPoint } from "./record.js";

/** What lies under `_memory` in the collection of what was forgotten. */
export interface Tombstone {
  /** When the life began that ended last: tells a deletion that was cut off from the end of a later life. */
  readonly created_at: string;
  /** Events of that life. */
  readonly events: readonly MemoryEvent[];
  /** Events of the lives before it. */
  readonly earlier: readonly MemoryEvent[];
  readonly dropped: number;
}

/** Reads a point of the collection of what was forgotten. */
export function readTombstone({ payload }: StoredPoint): Tombstone {
  const tombstone = payload[RECORD_FIELD];
  if (isTombstone(tombstone)) return tombstone;
  throw new SluiceError("COLLECTION_MISMATCH", "The collection of deleted memories holds other points.", {
    field: RECORD_FIELD,
    expected: "a collection of its own for the memory",
    received: "another point",
  });
}

/** What a memory leaves that ends at an instant: its events without their texts. */
export function tombstoneOf(memory: MemoryPoint, before: Tombstone | undefined, at: string): Tombstone {
  const { created_at, history, history_dropped: dropped } = memory.record;
  const all = earlierEvents(before, memory);
  const earlier = all.slice(-EVENTS_MAX);
  return {
    created_at,
    events: [...history.map(({ event, at: when }) => ({ event, at: when })), { event: "DELETE", at }],
    earlier,
    dropped: dropped + (before?.dropped ?? 0) + all.length - earlier.length,
  };
}

/** Events of the lives before the one that is there, or that ended last. */
export function earlierEvents(
  tombstone: Tombstone | undefined,
  memory: MemoryPoint | undefined,
): readonly MemoryEvent[] {
  if (tombstone === undefined) return [];
  // A deletion that was cut off has written down the life that goes on.
  const isOver = memory !== undefined && memory.record.created_at !== tombstone.created_at;
  return isOver ? [...tombstone.earlier, ...tombstone.events] : tombstone.earlier;
}

function isTombstone(value: unknown): value is Tombstone {
  if (typeof value !== "object" || value === null) return false;
  // It is an object, and may be asked for any key.
  const { created_at, events, earlier, dropped } = value as Partial<Record<keyof Tombstone, unknown>>;
  return (
    typeof created_at === "string" && isEvents(events) && isEvents(earlier) && typeof dropped === "number"
  );
}
