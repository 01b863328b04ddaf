/**
 * How pairs of a file are told: as objects, and as lines of JSON in which every id stands as the input has it.
 *
 * Both have the shape of the files that the command line writes, names included.
 */
import { SluiceError } from "../errors.js";
import type { Guard } from "../guard/veto.js";
import type { Named, Pair } from "./file-pairs.js";
import type { Reason } from "./options.js";

/** A record of a file. */
export interface RecordLine {
  readonly position: number;
  /** The record's own id, or `null`. A number that JavaScript cannot hold, like 9007199254740993, is its digits as text. */
  readonly id: unknown;
}

/** A kept record of the file, or a record of the reference. */
export type WitnessLine = RecordLine | { readonly reference: RecordLine };

/** A dropped record of a file, as `--filtered` writes it. */
export interface FilteredLine extends RecordLine {
  readonly reason: Reason;
  readonly score: number;
  /** `null` only for the reason `empty`. */
  readonly duplicate_of: WitnessLine | null;
}

/** A pair that reached a threshold and that a guard kept apart, as `--vetoed` writes it. */
export interface VetoedLine extends RecordLine {
  readonly guard: Guard;
  readonly score: number;
  readonly compared_with: WitnessLine;
}

/** A record as one line of JSON, without a line end. */
export interface JsonLine {
  readonly position: number;
  readonly json: string;
}

/** A dropped record as an object. */
export function filteredLine({ position, id, kind, score, witness }: Pair<Reason>): FilteredLine {
  const duplicateOf = witness === null ? null : witnessLine(witness);
  return { position, id: valueOf(id), reason: kind, score, duplicate_of: duplicateOf };
}

/** A pair that a guard kept apart as an object. */
export function vetoedLine({ position, id, kind, score, witness }: Pair<Guard>): VetoedLine {
  if (witness === null) throw new SluiceError("INTERNAL", "A vetoed pair has one record only.");
  return { position, id: valueOf(id), guard: kind, score, compared_with: witnessLine(witness) };
}

function witnessLine({ position, id, inReference }: Named & { readonly inReference: boolean }): WitnessLine {
  const record = { position, id: valueOf(id) };
  return inReference ? { reference: record } : record;
}

/** Writes ids as they came; the rest holds numbers and names of ours. */
export function jsonLine(
  { position, id, kind, score, witness }: Pair<Reason | Guard>,
  kindKey: "reason" | "guard",
  witnessKey: "duplicate_of" | "compared_with",
): JsonLine {
  const kept = witness === null ? "null" : `{"position":${witness.position},"id":${witness.id || "null"}}`;
  const other = witness?.inReference === true ? `{"reference":${kept}}` : kept;
  const json = `{"position":${position},"id":${id || "null"},"${kindKey}":"${kind}","score":${score},"${witnessKey}":${other}}`;
  return { position, json };
}

/** An id as a value. Ids cross as JSON, so that 7 and "7" stay different. */
function valueOf(json: string): unknown {
  if (json === "") return null;
  const value: unknown = JSON.parse(json);
  const isRounded =
    typeof value === "number" &&
    (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)));
  return isRounded ? json : value;
}
