/**
 * What a caller calls a point, and what a store knows it by.
 *
 * Stores know unsigned 64-bit numbers and UUIDs. Whole numbers below 2^53 and UUIDs go through as they are; a number from
 * 2^53 on is a decimal text on our side, because a JavaScript number would lose digits; any other text becomes a UUID of
 * version 5 (RFC 9562) and comes back from the payload, where it is kept as `_id`.
 */
import { createHash } from "node:crypto";
import { SluiceError } from "../errors.js";
import type { PointId } from "./vector-store.js";

/** A whole number, a whole number from 2^53 on, or a UUID in lower case with dashes. */
export type WireId = number | bigint | string;

/** Most characters of an id that is neither a number nor a UUID. */
const ID_LENGTH_MAX = 1_024;
const U64_MAX = 2n ** 64n - 1n;
const UUID = /^(?:urn:uuid:)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;
/** No leading zero: one spelling a number. */
const DIGITS = /^(?:0|[1-9]\d{0,19})$/;
/** The name space of ids that are texts. Changing it changes the id of every such point. */
const NAMESPACE = Buffer.from("5b1f0c1e6d0a4b7e9a53c2d87e41f6a0", "hex");

/** What a store knows a point by; `POINT_ID_INVALID` for what cannot be an id. */
export function wireIdOf(id: unknown, position?: number): WireId {
  if (typeof id === "number") {
    if (Number.isSafeInteger(id) && id >= 0 && !Object.is(id, -0)) return id;
    throw invalid("a whole number from 0 to 2^53 - 1", String(id), position);
  }
  if (typeof id !== "string") throw invalid("a number or a text", kindOf(id), position);
  const uuid = UUID.exec(id)?.[1];
  if (uuid !== undefined) return uuid.toLowerCase();
  if (DIGITS.test(id)) {
    const number = BigInt(id);
    if (number > Number.MAX_SAFE_INTEGER && number <= U64_MAX) return number;
  }
  if (id === "") throw invalid("a text that is not empty", "an empty text", position);
  if (id.length > ID_LENGTH_MAX) {
    throw invalid(`a text of at most ${ID_LENGTH_MAX} characters`, `${id.length} characters`, position);
  }
  if (!id.isWellFormed()) throw invalid("a text without lone surrogates", "a lone surrogate", position);
  return uuidOfText(id);
}

/** Whether an id is one that the store does not know as it is, so that it is kept in the payload. */
export function isKeptInPayload(id: PointId, wire: WireId): id is string {
  return typeof id === "string" && typeof wire === "string" && UUID.exec(id) === null;
}

/** What the caller called the point. `kept`: what the payload holds as `_id`. */
export function pointIdOf(wire: WireId, kept: unknown): PointId {
  if (typeof kept === "string") return kept;
  return typeof wire === "bigint" ? wire.toString() : wire;
}

/** The id as every store gives it back: a UUID in lower case with dashes, whatever the caller wrote. */
export function idInOneForm(id: PointId, wire: WireId = wireIdOf(id)): PointId {
  return isKeptInPayload(id, wire) ? id : pointIdOf(wire, undefined);
}

/** The wire id as a text: a scroll token, and a key of maps. */
export function wireText(wire: WireId): string {
  return String(wire);
}

/** The wire id that a text stands for: `OPTION_INVALID` for what `wireText` never gives. */
export function parseWireText(text: string, field: string): WireId {
  if (DIGITS.test(text) && BigInt(text) <= U64_MAX) {
    const number = BigInt(text);
    return number <= Number.MAX_SAFE_INTEGER ? Number(number) : number;
  }
  const uuid = UUID.exec(text)?.[1];
  if (uuid === text && text === text.toLowerCase()) return text;
  throw new SluiceError("OPTION_INVALID", `The option ${field} is not the end of a page.`, {
    field,
    expected: "`next` of the page before",
    received: `a text of ${text.length} characters`,
  });
}

/** The order of ties and of walks: numbers first, then UUIDs by their bytes. */
export function compareWireIds(left: WireId, right: WireId): number {
  const leftIsText = typeof left === "string";
  const rightIsText = typeof right === "string";
  if (leftIsText !== rightIsText) return leftIsText ? 1 : -1;
  return left < right ? -1 : left > right ? 1 : 0;
}

function uuidOfText(text: string): string {
  const bytes = createHash("sha1").update(NAMESPACE).update(text, "utf8").digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

function invalid(expected: string, received: string, position: number | undefined): SluiceError {
  return new SluiceError("POINT_ID_INVALID", `The id of a point must be ${expected}.`, {
    ...(position === undefined ? {} : { position }),
    field: "id",
    expected,
    received,
  });
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
