/**
 * A vector as JSON: every number in few digits that read back as the same 32-bit number.
 *
 * A 32-bit number printed as the 64-bit number it is takes 18 digits, most of them noise; 9 significant digits suffice.
 */
import type { Metric } from "../../metric.js";

/** Lengths between which a server computes a cosine in 32 bits without loss. */
const NORM_LEAST = 1e-6;
const NORM_MOST = 1e15;

/** A vector as it is sent: under cosine one of an extreme length is made length 1, which changes no cosine. */
export function wireVector(vector: Float32Array, metric: Metric): Float32Array {
  if (metric !== "cosine") return vector;
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return norm >= NORM_LEAST && norm <= NORM_MOST ? vector : vector.map((value) => value / norm);
}

/** The numbers with commas, in brackets. */
export function vectorText(vector: Float32Array): string {
  let text = "[";
  for (const [n, value] of vector.entries()) text += n === 0 ? shortest(value) : `,${shortest(value)}`;
  return `${text}]`;
}

function shortest(value: number): string {
  // Nine places after the point are enough for most values of a vector of length 1, and quick to find.
  const rounded = Math.round(value * 1e9) / 1e9;
  if (Math.fround(rounded) === value) return String(rounded);
  return String(Number(value.toPrecision(9)));
}
