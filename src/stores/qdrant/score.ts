/**
 * Scores and thresholds between Qdrant's meaning and ours.
 *
 * Qdrant gives a distance for Euclid, lower is better, and its threshold drops a score that equals it. Ours is a similarity,
 * higher is better, and the threshold keeps it. Qdrant works with 32-bit numbers, so both are compared as such.
 */
import type { Metric } from "../../metric.js";
import { SluiceError } from "../../errors.js";

/** What rounding may add to a cosine. */
const COSINE_EXCESS_MAX = 1e-5;

/** Our score of a score of Qdrant. */
export function scoreOf(metric: Metric, given: unknown): number {
  if (typeof given !== "number" || !Number.isFinite(given)) {
    throw new SluiceError(
      "STORE_REFUSED",
      "The store gave a point without a score: a vector in it is not finite.",
      {
        field: "score",
        expected: "a finite number",
        received: given === null ? "null" : typeof given,
      },
    );
  }
  if (metric === "l2") return given === 0 ? 0 : -given;
  if (metric === "dot" || Math.abs(given) <= 1) return given;
  if (Math.abs(given) <= 1 + COSINE_EXCESS_MAX) return Math.sign(given);
  throw new SluiceError(
    "STORE_REFUSED",
    "The store gave a cosine beyond 1; the collection has another metric.",
    {
      field: "score",
      expected: "from -1 to 1",
      received: String(given),
    },
  );
}

/** The threshold to send, so that a score that equals ours is not dropped. */
export function wireThreshold(metric: Metric, threshold: number): number {
  // Finite: JSON has no infinity, and beyond the range nothing is kept, or everything.
  return metric === "l2" ? nextUp(clampF32(-threshold)) : -nextUp(-clampF32(threshold));
}

/** Whether a score reaches a threshold, both as 32-bit numbers. */
export function reaches(score: number, threshold: number): boolean {
  return Math.fround(score) >= Math.fround(threshold);
}

const F32_MAX = 3.4028234663852886e38;

function clampF32(value: number): number {
  return Math.fround(Math.max(-F32_MAX, Math.min(F32_MAX, value)));
}

/** The next larger 32-bit number, as far as there is one. */
function nextUp(value: number): number {
  if (value >= F32_MAX) return value;
  const view = new DataView(new ArrayBuffer(4));
  // Adding 0 makes -0 to 0.
  view.setFloat32(0, value + 0);
  view.setInt32(0, view.getInt32(0) + (value < 0 ? -1 : 1));
  return view.getFloat32(0);
}
