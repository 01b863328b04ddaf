/**
 * Vectors as a caller hands them over: how many numbers there must be, told before the core sees any.
 */
import { isFloat32Array } from "../argument.js";
import { SluiceError } from "../errors.js";
import { invalid } from "./options.js";

/** Refuses vectors that are not exactly `items` rows. */
export function requireRows(vectors: unknown, items: number, dimension: number): void {
  requireNumbers("vectors", vectors);
  if (vectors.length === items * dimension) return;
  throw new SluiceError("DIMENSION_MISMATCH", "There is not one vector for each item.", {
    field: "vectors",
    expected: `${items} x ${dimension} numbers`,
    received: `${vectors.length} numbers`,
  });
}

/**
 * One query or several, as rows end to end. A query is exactly `dimension` numbers: six numbers for a dimension of three
 * are one wrong query, never two.
 */
export function queryRows(
  queries: Float32Array | readonly Float32Array[],
  dimension: number,
): { readonly rows: Float32Array; readonly count: number } {
  const list = Array.isArray(queries) ? (queries as readonly unknown[]) : [queries];
  const rows = new Float32Array(list.length * dimension);
  list.forEach((query, position) => {
    requireNumbers("queries", query);
    if (query.length !== dimension) {
      throw new SluiceError("DIMENSION_MISMATCH", "A query has another dimension than the index.", {
        position,
        field: "queries",
        expected: `${dimension} numbers`,
        received: `${query.length} numbers`,
      });
    }
    rows.set(query, position * dimension);
  });
  return { rows, count: list.length };
}

function requireNumbers(field: string, value: unknown): asserts value is Float32Array {
  if (isFloat32Array(value)) return;
  throw invalid(field, "Float32Array", value === null ? "null" : typeof value);
}
