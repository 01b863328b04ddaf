/**
 * What a search gives: the items, how good they are, and which way it went.
 */
import type { Metric } from "../metric.js";
import type { StageReport } from "../report.js";
import { VERSION } from "../package.js";

/** An item that was found. */
export interface IndexHit<T> {
  /** The position of the item: the number of items added before it. It stays, also after `rebuild`. */
  readonly position: number;
  readonly item: T;
  /** Higher is better: the cosine in [-1, 1], the product, or minus the Euclidean distance. */
  readonly score: number;
  /** The Euclidean distance; only for `l2`. */
  readonly distance?: number;
}

/**
 * The way a search took. `exact`: every item was compared. `exact-subset`: every item that matches the filter was.
 * `graph` and `filtered-graph`: a graph chose candidates. `custom`: a registered backend chose them.
 */
export type SearchStrategy = "exact" | "exact-subset" | "graph" | "filtered-graph" | "custom";

/** The hits of every query, in order of the queries; each list the best first, ties to the first position. */
export interface SearchResult<T> {
  readonly results: ReadonlyArray<ReadonlyArray<IndexHit<T>>>;
  readonly strategy: SearchStrategy;
  /** Items that the filter leaves; all of them without a filter. */
  readonly matching: number;
  readonly report: StageReport;
}

/** Hits as the core gives them. */
export interface FoundColumns {
  readonly slots: Uint32Array;
  readonly scores: Float64Array;
  readonly ends: Uint32Array;
  readonly strategy: string;
  readonly matching: number;
}

/** What a slot is to the caller. */
export interface SlotNames<T> {
  readonly items: readonly T[];
  readonly positions: readonly number[];
}

/** Turns columns of slots into hits. */
export function hitsOf<T>(
  found: FoundColumns,
  names: SlotNames<T>,
  metric: Metric,
): Array<Array<IndexHit<T>>> {
  let begin = 0;
  return [...found.ends].map((end) => {
    const hits: Array<IndexHit<T>> = [];
    for (let at = begin; at < end; at++) {
      const slot = found.slots[at] ?? 0;
      const score = found.scores[at] ?? Number.NaN;
      hits.push({
        position: names.positions[slot] ?? slot,
        // Every slot of the core has an item; it may be `undefined` itself.
        item: names.items[slot] as T,
        score,
        ...(metric === "l2" ? { distance: 0 - score } : {}),
      });
    }
    begin = end;
    return hits;
  });
}

/** Puts the numbers of a search together. */
export function searchReport(
  options: Readonly<Record<string, unknown>>,
  counts: Readonly<Record<string, number>>,
  seconds: number,
): StageReport {
  return {
    stage: "search",
    version: VERSION,
    options,
    counts,
    seconds: { search: seconds },
    bytes: {},
    limits: [],
  };
}
