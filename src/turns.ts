/**
 * When the calls of one object run: one after another, until the object is closed.
 *
 * Closing stops the call that runs and refuses those that wait; it waits for nothing.
 */
import type { SluiceError } from "./errors.js";

/** A queue of calls that can be closed. */
export class Turns {
  readonly #closing = new AbortController();
  /** The end of the queue; never rejects. */
  #tail: Promise<unknown> = Promise.resolve();

  /** Aborts when the object is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Throws what the object was closed with, once it was. */
  requireOpen(): void {
    this.#closing.signal.throwIfAborted();
  }

  /** Runs a call when all before it have ended, well or not. */
  next<R>(work: () => Promise<R> | R): Promise<R> {
    const turn = this.#tail.then(() => {
      this.requireOpen();
      return work();
    });
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  /** Waits for the calls that are in the queue now. */
  async settled(): Promise<void> {
    await this.#tail;
  }

  /** Ends every call with a reason. */
  close(reason: SluiceError): void {
    this.#closing.abort(reason);
  }
}
