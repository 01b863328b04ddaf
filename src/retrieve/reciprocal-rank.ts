/**
 * Reciprocal rank fusion: one order out of several, by ranks alone (Cormack, Clarke and Buettcher 2009).
 *
 * Every list gives its item of rank r (from 1) the share 1 / (k + r). Scores of different kinds, such as a cosine and a
 * BM25, never meet; that is the whole point.
 */
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
 * matters; of an id that a list has twice the better rank counts.
 */
export function fuseRanks(lists: ReadonlyArray<readonly PointId[]>, k: number = RANK_CONSTANT): Fused[] {
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

/** Added from the best rank on, whichever list it is of: a sum of floats depends on its order. */
function sumOfShares(ranks: ReadonlyArray<number | null>, k: number): number {
  return ranks
    .filter((rank) => rank !== null)
    .toSorted((left, right) => left - right)
    .reduce((sum, rank) => sum + 1 / (k + rank), 0);
}
