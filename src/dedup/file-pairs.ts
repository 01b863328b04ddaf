/**
 * Pairs of a decision about a file, out of the core's columns, with the ids of both records.
 */
import type { NativeBatch, NativeReference } from "#native";
import type { Guard } from "../guard/veto.js";
import { callNative } from "../native.js";
import type { Reason } from "./options.js";
import { at, NO_WITNESS } from "./result.js";

/** A record and its id, as the JSON text of the input; empty where it has none. */
export interface Named {
  readonly position: number;
  readonly id: string;
}

/** Two records with what was said about them. */
export interface Pair<Kind extends Reason | Guard> extends Named {
  readonly kind: Kind;
  readonly score: number;
  readonly witness: (Named & { readonly inReference: boolean }) | null;
}

/** Pairs as they come from the core, all of one length. */
interface PairColumns {
  readonly positions: Uint32Array;
  /** What was said, as a number. */
  readonly kinds: Uint8Array;
  readonly scores: Float64Array;
  readonly witnesses: Uint32Array;
  /** 1 where the witness is a record of the reference. */
  readonly sides: Uint8Array;
}

/** The ids of records of the input and of the reference, in blocks: each call crosses into the core. */
interface Ids {
  input(positions: Uint32Array): readonly string[];
  reference(positions: Uint32Array): readonly string[];
}

/** Asks the core for ids. */
export function idsOf(batch: NativeBatch, reference: NativeReference | undefined): Ids {
  return {
    input: (positions) => callNative(() => batch.ids(positions)),
    reference: (positions) => callNative(() => reference?.ids(positions) ?? []),
  };
}

/** Pairs whose ids are asked for in one call. */
const PAIRS_PER_CALL = 1024;

/** Pairs with their ids, in the order of the columns. */
export function* pairsOf<Kind extends Reason | Guard>(
  columns: PairColumns,
  kinds: readonly Kind[],
  ids: Ids,
): Generator<Pair<Kind>> {
  for (let start = 0; start < columns.positions.length; start += PAIRS_PER_CALL) {
    const positions = columns.positions.subarray(start, start + PAIRS_PER_CALL);
    const witnesses = columns.witnesses.subarray(start, start + PAIRS_PER_CALL);
    const sides = columns.sides.subarray(start, start + PAIRS_PER_CALL);
    const own = ids.input(positions);
    // A position that is none, or one of the other side, has no id there; it is not looked at.
    const inInput = sides.includes(0) ? ids.input(witnesses) : [];
    const inReference = sides.includes(1) ? ids.reference(witnesses) : [];
    for (const [index, position] of positions.entries()) {
      const witness = at(witnesses, index);
      const isReference = at(sides, index) === 1;
      yield {
        position,
        id: at(own, index),
        kind: at(kinds, at(columns.kinds, start + index)),
        score: at(columns.scores, start + index),
        witness:
          witness === NO_WITNESS
            ? null
            : {
                position: witness,
                id: at(isReference ? inReference : inInput, index),
                inReference: isReference,
              },
      };
    }
  }
}
