/** The batches of the kill test: what number `n` holds depends on `n` alone. */
import type { CollectionOptions, Point } from "../../src/stores/vector-store.js";

/** The collection they go into. */
export const CRASH_COLLECTION: readonly [name: string, options: CollectionOptions] = [
  "crash",
  { dimension: 8, metric: "dot" },
];

const POINTS = 20;

/** Mostly new points; every second one of the batch before is written again, differently. */
export function batchOf(batch: number): readonly Point[] {
  return Array.from({ length: POINTS }, (_, n) => {
    const id = batch * (POINTS / 2) + n;
    return {
      id: n % 3 === 0 ? `text ${id}` : id,
      vector: Array.from({ length: 8 }, (_component, at) => Math.fround(id * 0.37 + batch * at)),
      payload: { batch, user_id: `u${id % 5}` },
      text: `point ${id} of batch ${batch}`,
    };
  });
}
