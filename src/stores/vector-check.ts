/**
 * What a vector must be before a store sees it: of the right length, finite as 32-bit numbers, and with a direction where
 * the metric needs one. A single value beyond the range of 32 bits would stand first in every later search of some stores.
 */
import { isFloat32Array } from "../argument.js";
import type { Metric } from "../metric.js";
import { SluiceError } from "../errors.js";

/** A vector as it is now: the caller may use its buffer again while a call waits. What is no vector is refused later. */
export function copyOf(vector: unknown): unknown {
  return isFloat32Array(vector) || Array.isArray(vector) ? vector.slice() : vector;
}

/** The vector as 32-bit numbers: a copy, so that what the caller does to it later changes nothing. */
export function checkVector(
  vector: unknown,
  { dimension, metric }: { readonly dimension: number; readonly metric: Metric },
  position?: number,
): Float32Array {
  const at = { ...(position === undefined ? {} : { position }), field: "vector" };
  if (!(isFloat32Array(vector) || Array.isArray(vector))) {
    throw new SluiceError("OPTION_INVALID", "A vector must be a Float32Array or an array of numbers.", {
      ...at,
      expected: "Float32Array or array of numbers",
      received: vector === null ? "null" : typeof vector,
    });
  }
  if (vector.length !== dimension) {
    throw new SluiceError(
      "DIMENSION_MISMATCH",
      `The vector has ${vector.length} components, the collection ${dimension}.`,
      { ...at, expected: String(dimension), received: String(vector.length) },
    );
  }
  const values = new Float32Array(dimension);
  let squares = 0;
  for (let n = 0; n < dimension; n++) {
    const value: unknown = vector[n];
    const rounded = typeof value === "number" ? Math.fround(value) : Number.NaN;
    if (!Number.isFinite(rounded)) {
      throw new SluiceError("VECTOR_NOT_FINITE", `Component ${n} of the vector is no finite 32-bit number.`, {
        ...at,
        expected: "a finite number of at most 3.4e38",
        received: typeof value === "number" ? String(value) : typeof value,
      });
    }
    values[n] = rounded;
    squares += rounded * rounded;
  }
  if (metric === "cosine" && squares === 0) {
    throw new SluiceError("VECTOR_ZERO", "The vector is all zeros and has no direction.", {
      ...at,
      expected: "at least one component that is not zero",
      received: "all zeros",
    });
  }
  return values;
}
