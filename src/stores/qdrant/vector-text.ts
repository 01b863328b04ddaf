/**
 * A vector as JSON: every number in few digits that read back as the same 32-bit number.
 *
 * A 32-bit number printed as the 64-bit number it is takes 18 digits, most of them noise; 9 significant digits suffice.
 */

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
