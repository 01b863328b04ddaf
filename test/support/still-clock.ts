/**
 * A clock on which waiting takes no time and is written down.
 */
import type { StoreClock } from "../../src/stores/retry.js";

/** Starts at 0; sleeping moves it on. `chance` is what every random number is. */
export function stillClock(chance = 0.5): StoreClock & { readonly waits: readonly number[] } {
  const waits: number[] = [];
  let now = 0;
  return {
    waits,
    now: () => now,
    random: () => chance,
    sleep: (ms, signal) => {
      signal?.throwIfAborted();
      waits.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}
