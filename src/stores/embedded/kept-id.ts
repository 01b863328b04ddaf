/**
 * The id that a point has in the file: 128 bits, written as a UUID and ordered by them.
 *
 * A UUID is kept as it is. A whole number lies in the low 64 bits under 64 zero bits: below every UUID that has a version,
 * so that the order of the file is the order of ids, numbers first. UUIDs that begin with 64 zero bits would be taken for
 * numbers and are refused.
 */
import { SluiceError } from "../../errors.js";
import type { WireId } from "../point-id.js";

const NUMBER_PREFIX = "00000000-0000-0000-";

/** The id in the file; `POINT_ID_INVALID` for a UUID that begins with 64 zero bits. */
export function keptIdOf(wire: WireId): string {
  if (typeof wire !== "string") return uuidOf(BigInt(wire));
  if (!wire.startsWith(NUMBER_PREFIX)) return wire;
  throw new SluiceError(
    "POINT_ID_INVALID",
    "A UUID that begins with 64 zero bits stands for a number here.",
    {
      field: "id",
      expected: "a UUID with a version, or a whole number",
      received: "a UUID that begins with 64 zero bits",
    },
  );
}

/** The wire id of an id in the file. */
export function wireIdOfKept(kept: string): WireId {
  if (!kept.startsWith(NUMBER_PREFIX)) return kept;
  const number = bitsOf(kept);
  return number <= Number.MAX_SAFE_INTEGER ? Number(number) : number;
}

/** The id right before another; undefined before the first. */
export function keptIdBefore(kept: string): string | undefined {
  const bits = bitsOf(kept);
  return bits === 0n ? undefined : uuidOf(bits - 1n);
}

/** The id right after another that is not the last. */
export function keptIdAfter(kept: string): string {
  return uuidOf(bitsOf(kept) + 1n);
}

function bitsOf(uuid: string): bigint {
  return BigInt(`0x${uuid.replaceAll("-", "")}`);
}

function uuidOf(bits: bigint): string {
  const hex = bits.toString(16).padStart(32, "0");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
