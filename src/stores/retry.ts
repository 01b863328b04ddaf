/**
 * How long to wait before the next try, and how to wait: exponential with full jitter, never less than the store asked for.
 *
 * Clock and random number come from outside, so that a test is over in no time and says the same every time.
 */
import { setTimeout as wait } from "node:timers/promises";
import { StoreFailure } from "./store-driver.js";

/** Where time and chance come from. */
export interface StoreClock {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  /** Resolves after so many milliseconds, or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** From 0 below 1. */
  random(): number;
}

/** How often and how long to try. */
export interface RetryPolicy {
  /** Tries of one request, the first included. Default 5. */
  readonly attemptsMax: number;
  /** Most milliseconds before the second try; doubles with every further one. Default 100. */
  readonly firstDelayMs: number;
  /** Most milliseconds before any try. Default 5,000. */
  readonly delayMsMax: number;
}

/** Defaults of trying again. */
export const RETRY_DEFAULTS = { attemptsMax: 5, firstDelayMs: 100, delayMsMax: 5_000 } as const;

/** The longest wait a store may ask for; beyond it the request fails and says so. */
export const RETRY_AFTER_MS_MAX = 60_000;

/** The clock of the machine. */
export const SYSTEM_CLOCK: StoreClock = {
  now: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await wait(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
  random: Math.random,
};

/** Whether a failure is worth another try after `attempt` tries. */
export function mayTryAgain(failure: StoreFailure, attempt: number, policy: RetryPolicy): boolean {
  const passing = failure.kind === "later" || failure.kind === "cut";
  return passing && attempt < policy.attemptsMax && (failure.facts.retryAfterMs ?? 0) <= RETRY_AFTER_MS_MAX;
}

/** Milliseconds to wait after try number `attempt`, which failed. */
export function delayMs(
  failure: StoreFailure,
  attempt: number,
  policy: RetryPolicy,
  clock: StoreClock,
): number {
  const most = Math.min(policy.delayMsMax, policy.firstDelayMs * 2 ** (attempt - 1));
  // What the store asked for is the least; the jitter keeps many writers from coming back at once.
  return (failure.facts.retryAfterMs ?? 0) + clock.random() * most;
}

/** Does work that may be done twice until it succeeds, or fails for good with what callers see. */
export async function withRetries<T>(
  work: () => Promise<T>,
  policy: RetryPolicy,
  clock: StoreClock,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof StoreFailure)) throw error;
      if (!mayTryAgain(error, attempt, policy)) throw error.toSluiceError();
      await clock.sleep(delayMs(error, attempt, policy, clock), signal);
    }
  }
}
