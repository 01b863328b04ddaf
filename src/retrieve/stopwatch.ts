/**
 * Wall seconds by step, for a report. Time never decides anything here.
 */

/** Measures steps that come one after another. */
export class Stopwatch {
  readonly #startedMs = performance.now();
  readonly #seconds: Record<string, number> = {};

  /** Runs a step and adds its time. */
  async time<T>(step: string, work: () => T | Promise<T>): Promise<T> {
    const startedMs = performance.now();
    try {
      return await work();
    } finally {
      this.#seconds[step] = (this.#seconds[step] ?? 0) + (performance.now() - startedMs) / 1000;
    }
  }

  /** Counts a part of a step as a step of its own. */
  part(step: string, part: string, seconds: number): void {
    this.#seconds[step] = Math.max(0, (this.#seconds[step] ?? 0) - seconds);
    this.#seconds[part] = (this.#seconds[part] ?? 0) + seconds;
  }

  /** Seconds of every step that ran, and of everything since the start. */
  read(): Readonly<Record<string, number>> {
    return { ...this.#seconds, total: (performance.now() - this.#startedMs) / 1000 };
  }
}
