// A seeded stream of whole numbers, the same in every language that has 32-bit integers.
//
// The one idea: mulberry32 (Tommy Ettinger, public domain), so that the evaluation draws the same pairs here and in
// `training/static-en/evaluate_table.py`, and `bench/corpora/mutate.mjs` the same corpus everywhere. Not for anything secret.

/**
 * A function that draws a number in [0, 1).
 * @param {number} seed
 * @returns {() => number}
 */
export function seededUnit(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A function that draws a whole number below its argument.
 * @param {number} seed
 * @returns {(below: number) => number}
 */
export function seededRandom(seed) {
  const next = seededUnit(seed);
  return (below) => Math.floor(next() * below);
}
