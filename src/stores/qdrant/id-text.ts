/**
 * An id between the wire and us: a number beyond 2^53 is a number there, and here a bigint or digits in a text.
 */
import type { WireId } from "../point-id.js";

/** An id as JSON. */
export function idText(id: WireId): string {
  return typeof id === "string" ? `"${id}"` : String(id);
}

/** An id as it was read: digits in a text are a number beyond 2^53. */
export function wireOf(id: number | string): WireId {
  return typeof id === "string" && /^\d+$/.test(id) ? BigInt(id) : id;
}
