/**
 * Moments at which a run of `sluice ingest` is killed: drawn from a seed, and spread over everything such a run does.
 *
 * Most of the time of a short run goes into starting, so moments by time alone would hardly ever meet a write. Three kinds wait
 * for something that can be seen from outside, and then a little longer.
 */

/** When to kill. Shares are of what a run still has to do, `ms` is how long to wait after what was waited for. */
export type KillMoment =
  /** By time, as a share of what a run takes until its first acknowledgement: loading, opening, making the collection. */
  | { readonly kind: "begin"; readonly share: number }
  /** After a share of the lines has been acknowledged: between two acknowledgements. */
  | { readonly kind: "write"; readonly share: number; readonly ms: number }
  /** While the checkpoint behind a share of the lines is being replaced. */
  | { readonly kind: "checkpoint"; readonly share: number }
  /** After the last acknowledgement, or after the checkpoint was removed behind it: while the store is being closed. */
  | { readonly kind: "end"; readonly waitsForRemoval: boolean; readonly ms: number };

/** Moments of one chain: the run that follows a kill goes on, and is killed again. The last two are at the end of the work. */
export function killMoments(seed: number, count: number): readonly KillMoment[] {
  const random = seededRandom(seed);
  // Each goes a part of the way that is left, so that all of them together reach the end.
  const share = (): number => random() / 3;
  return Array.from({ length: count }, (_, n): KillMoment => {
    if (n >= count - 2) return { kind: "end", waitsForRemoval: n === count - 1, ms: random() * 4 };
    const kind = random();
    if (kind < 0.25) return { kind: "begin", share: 0.3 + 0.8 * random() };
    if (kind < 0.75) return { kind: "write", share: share(), ms: random() * 4 };
    return { kind: "checkpoint", share: share() };
  });
}

/** Numbers in [0, 1) from a seed: a 32-bit Weyl sequence through the mixer of MurmurHash3. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}
