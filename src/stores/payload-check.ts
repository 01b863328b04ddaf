/**
 * What a payload must be: a JSON object that every store gives back as it was, and that no key of ours hides in.
 */
import { SluiceError } from "../errors.js";
import type { Payload } from "./vector-store.js";

/** Keys that the hub writes itself. */
export const RESERVED_KEYS = ["_id", "_text", "_lc"] as const;
/** Most bytes of a payload as JSON. */
export const PAYLOAD_BYTES_MAX = 1_048_576;
/** Deepest nesting; some stores refuse 128. */
export const PAYLOAD_DEPTH_MAX = 64;

/** The payload as JSON; `PAYLOAD_INVALID` for what JSON cannot hold, is too large, too deep, or reserved. */
export function checkPayload(payload: unknown, position: number): string {
  const refuse = (expected: string, received: string): SluiceError =>
    new SluiceError("PAYLOAD_INVALID", `The payload of a point must be ${expected}.`, {
      position,
      field: "payload",
      expected,
      received,
    });
  if (!isPlainObject(payload)) throw refuse("a plain object", kindOf(payload));
  const reserved = RESERVED_KEYS.find((key) => Object.hasOwn(payload, key));
  if (reserved !== undefined) throw refuse("without the reserved keys _id, _text and _lc", reserved);
  const problem = findProblem(payload);
  if (problem !== undefined) throw refuse(...problem);
  const json = JSON.stringify(payload);
  const bytes = Buffer.byteLength(json);
  if (bytes > PAYLOAD_BYTES_MAX) throw refuse(`at most ${PAYLOAD_BYTES_MAX} bytes of JSON`, `${bytes} bytes`);
  return json;
}

/** The text beside a payload, checked. */
export function checkText(text: unknown, position: number): string | undefined {
  if (text === undefined || (typeof text === "string" && text.isWellFormed())) return text;
  throw new SluiceError("PAYLOAD_INVALID", "The text of a point must be a well-formed text.", {
    position,
    field: "text",
    expected: "a well-formed text",
    received: typeof text === "string" ? "a lone surrogate" : kindOf(text),
  });
}

/** The payload of a caller out of what a store keeps: what the hub added is taken out again. */
export function publicPayload(stored: Readonly<Record<string, unknown>>): Payload {
  const { _id: _keptId, _text: _keptText, _lc: _keptFolded, ...payload } = stored;
  return payload;
}

/** The first value that JSON does not hold as it is: what is expected, and what came. */
function findProblem(payload: object): readonly [string, string] | undefined {
  // Walked without recursion, and no further than the bytes that are allowed: every value takes at least one.
  const waiting: Array<readonly [value: unknown, depth: number]> = [[payload, 1]];
  for (let walked = 0; ; walked++) {
    const next = waiting.pop();
    if (next === undefined) return undefined;
    const [value, depth] = next;
    if (walked > PAYLOAD_BYTES_MAX) return [`at most ${PAYLOAD_BYTES_MAX} values`, "more values"];
    if (typeof value === "string") {
      if (!value.isWellFormed()) return ["of well-formed texts", "a lone surrogate"];
    } else if (typeof value === "number") {
      if (!Number.isFinite(value)) return ["of finite numbers", String(value)];
    } else if (Array.isArray(value) || isPlainObject(value)) {
      if (depth > PAYLOAD_DEPTH_MAX) {
        return [`at most ${PAYLOAD_DEPTH_MAX} levels deep`, `more than ${PAYLOAD_DEPTH_MAX} levels`];
      }
      for (const [key, member] of Object.entries(value)) {
        if (!key.isWellFormed()) return ["of well-formed keys", "a lone surrogate"];
        // A key without a value is left out by JSON, as everywhere in JavaScript; in an array it would become null.
        if (member !== undefined || Array.isArray(value)) waiting.push([member, depth + 1]);
      }
    } else if (value !== null && typeof value !== "boolean") {
      return ["of texts, numbers, booleans, null, arrays and plain objects", kindOf(value)];
    }
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "object" ? "an object of a class" : typeof value;
}
