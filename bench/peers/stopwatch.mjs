/** CPU-seconds and wall seconds of a step, all threads of the process included. */
import { performance } from "node:perf_hooks";

/** @typedef {{cpuSeconds: number, wallSeconds: number}} Spent */

/** Starts; the function that it gives says what was spent since. @returns {() => Spent} */
export function startWatch() {
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { cpuSeconds: (user + system) / 1e6, wallSeconds: (performance.now() - wall) / 1e3 };
  };
}

/**
 * Repeats a piece of work until so much CPU is spent; the mean of a pass.
 * @param {() => void | Promise<void>} pass
 * @param {number} cpuSeconds
 * @returns {Promise<Spent>}
 */
export async function meanOfPasses(pass, cpuSeconds) {
  const spent = startWatch();
  for (let passes = 1; ; passes += 1) {
    await pass();
    const sofar = spent();
    if (sofar.cpuSeconds >= cpuSeconds) {
      return { cpuSeconds: sofar.cpuSeconds / passes, wallSeconds: sofar.wallSeconds / passes };
    }
  }
}
