/**
 * What lets a result be decided again at another threshold: the records that the core still holds.
 *
 * All results of one run share it, and it can be closed while their data stay readable.
 */
import type { NativeOutcome } from "#native";
import { SluiceError } from "../errors.js";

/** Walks again over what is in memory, until it is closed. */
export class SecondWalk {
  readonly #walk: (threshold: number) => NativeOutcome;
  readonly #release: () => void;
  #closed = false;

  /** @param release gives back what the run alone holds. */
  constructor(walk: (threshold: number) => NativeOutcome, release: () => void) {
    this.#walk = walk;
    this.#release = release;
  }

  /** The outcome at another threshold; `CLOSED` after the end. */
  at(threshold: number): NativeOutcome {
    if (this.#closed) throw new SluiceError("CLOSED", "The result is closed; its data stay readable.");
    return this.#walk(threshold);
  }

  /** Gives the native memory back; may be called again. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#release();
  }
}
