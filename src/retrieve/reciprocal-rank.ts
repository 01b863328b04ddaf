/**
 * Reciprocal rank fusion: one order out of several, by ranks alone (Cormack, Clarke and Buettcher 2009).
 *
 * Every list gives its item of rank r (from 1) the share 1 / (k + r). Scores of different kinds, such as a cosine and a
 * BM25, never meet; that is the whole point.
 */
import { wrongArgument } from "../argument.js";
import { SluiceError } from "../errors.js";
import { compareWireIds, wireIdOf } from "../stores/point-id.js";
import type { PointId } from "../stores/vector-store.js";

/** The constant of the paper: the larger, the less the first ranks stand out. */
export const RANK_CONSTANT = 60;

/** An item of a fused order. */
export interface Fused {
  readonly id: PointId;
  /** Sum of the shares; at most the number of lists / (k + 1). */
  readonly fusedScore: number;
  /** Rank from 1 in each list; null where the list does not have it. */
  readonly ranks: ReadonlyArray<number | null>;
}

/**
 * Fuses lists of ids, each best first. Best first; ties go to the smaller id, as everywhere. The order of the lists never
 * matters; of an id that a list has twice the better rank counts. `k` is a number from 0.
 */
export function fuseRanks(lists: ReadonlyArray<readonly PointId[]>, k: number = RANK_CONSTANT): Fused[] {
  requireLists(lists);
  if (typeof k !== "number" || !Number.isFinite(k) || k < 0) {
    throw new SluiceError("OPTION_INVALID", "The constant of a fusion must be a number from 0.", {
      field: "k",
      expected: "a finite number from 0",
      received: typeof k === "number" ? String(k) : typeof k,
    });
  }
  const ranksOf = new Map<PointId, Array<number | null>>();
  lists.forEach((list, at) => {
    list.forEach((id, position) => {
      const ranks = ranksOf.get(id) ?? lists.map(() => null);
      ranks[at] ??= position + 1;
      ranksOf.set(id, ranks);
    });
  });
  return [...ranksOf]
    .map(([id, ranks]) => ({ id, wire: wireIdOf(id), fusedScore: sumOfShares(ranks, k), ranks }))
    .toSorted((left, right) => right.fusedScore - left.fusedScore || compareWireIds(left.wire, right.wire))
    .map(({ id, fusedScore, ranks }) => ({ id, fusedScore, ranks }));
}

function requireLists(lists: unknown): void {
  if (!Array.isArray(lists)) throw wrongArgument("lists", "an array of lists of ids", lists);
  const wrong = Array.from<unknown>(lists).findIndex((list) => !Array.isArray(list));
  if (wrong >= 0) throw wrongArgument(`lists.${wrong}`, "an array of ids", lists[wrong]);
}

/** Added from the best rank on, whichever list it is of: a sum of floats depends on its order. */
function sumOfShares(ranks: ReadonlyArray<number | null>, k: number): number {
  return ranks
    .filter((rank) => rank !== null)
    .toSorted((left, right) => left - right)
    .reduce((sum, rank) => sum + 1 / (k + rank), 0);
}
