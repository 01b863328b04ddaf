/**
 * Whether a node is worth asking: after some failures in a row it is left alone for a while, then asked once.
 */

/** Failures in a row after which a node is left alone. */
export const FAILURES_MAX = 5;
/** How long it is left alone. */
export const OPEN_MS = 5_000;

/** The breaker of one node. */
export class CircuitBreaker {
  #failures = 0;
  #openUntilMs: number | undefined;
  #probing = false;

  /** Milliseconds until the node may be asked; 0: now. */
  waitMs(nowMs: number): number {
    if (this.#openUntilMs === undefined) return 0;
    if (nowMs < this.#openUntilMs) return this.#openUntilMs - nowMs;
    return this.#probing ? OPEN_MS : 0;
  }

  /** To be called before the node is asked: while it recovers, one request at a time. */
  begin(): void {
    if (this.#openUntilMs !== undefined) this.#probing = true;
  }

  /** The node answered, whatever. */
  succeed(): void {
    this.#failures = 0;
    this.#openUntilMs = undefined;
    this.#probing = false;
  }

  /** The node did not answer. */
  fail(nowMs: number): void {
    this.#failures += 1;
    this.#probing = false;
    if (this.#failures >= FAILURES_MAX) this.#openUntilMs = nowMs + OPEN_MS;
  }

  /** The caller went away before an answer: nothing is known. */
  forget(): void {
    this.#probing = false;
  }
}
