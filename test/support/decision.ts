/** A result and a brute force as the same plain data, so that one `toEqual` compares every decision. */
import type { DedupResult, TextRecord, Witness } from "../../src/main.js";
import type { BruteResult, BruteWitness } from "./brute-force.js";

/** Everything that was decided, by position; scores with all their bits. */
export interface Decision {
  readonly selected: readonly number[];
  readonly filtered: readonly unknown[];
  readonly vetoed: readonly unknown[];
}

/** The decision of the product. */
export function decisionOf<T extends TextRecord>(result: DedupResult<T>): Decision {
  return {
    selected: [...result.selectedPositions],
    filtered: result.filtered.map(({ position, reason, score, duplicateOf, duplicates }) => ({
      position,
      reason,
      score,
      witness: duplicateOf === null ? null : sideOf(duplicateOf),
      duplicates,
    })),
    vetoed: result.vetoed.map(({ position, comparedWith, score, guard }) => ({
      position,
      witness: sideOf(comparedWith),
      score,
      guard,
    })),
  };
}

/** The decision of the brute force. */
export function decisionOfBrute<T extends TextRecord>(
  brute: BruteResult,
  records: readonly T[],
  against: readonly T[] = [],
): Decision {
  const recordOf = ({ side, position }: BruteWitness): T | undefined =>
    (side === "input" ? records : against)[position];
  return {
    selected: brute.selected,
    filtered: brute.filtered.map(({ duplicates, ...rest }) => ({
      ...rest,
      duplicates: duplicates.map(({ witness, score }) => ({ record: recordOf(witness), score })),
    })),
    vetoed: brute.vetoed.map(({ position, witness, score, guard }) => ({ position, witness, score, guard })),
  };
}

/** A result as JSON without what differs from run to run: seconds, threads, bytes. */
export function stableJson<T extends TextRecord>(result: DedupResult<T>): string {
  const { seconds: _seconds, bytes: _bytes, options, ...report } = result.report;
  const { threads: _threads, ...rules } = options;
  const plain: object = structuredClone(result);
  return JSON.stringify({ ...plain, report: { ...report, options: rules } });
}

function sideOf({ position, referencePosition }: Witness): BruteWitness {
  return position === null
    ? { side: "reference", position: referencePosition ?? -1 }
    : { side: "input", position };
}
