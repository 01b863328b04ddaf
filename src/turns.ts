/**
 * When the calls of one object run: what must see one state of it one after another, until the object is closed.
 *
 * Closing stops the calls that run and refuses those that wait; it waits for nothing.
 */
import type { SluiceError } from "./errors.js";

/** A queue of calls that can be closed. */
export class Turns {
  readonly #closing = new AbortController();
  /** The end of the queue; never rejects. */
  #tail: Promise<unknown> = Promise.resolve();
  /** Calls that have begun and not ended; none rejects. */
  readonly #running = new Set<Promise<unknown>>();

  /** Aborts when the object is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Throws what the object was closed with, once it was. */
  requireOpen(): void {
    this.#closing.signal.throwIfAborted();
  }

  /** Runs a whole call of the object: `settled` waits for it from its start. */
  async during<R>(call: () => Promise<R>): Promise<R> {
    this.requireOpen();
    const running = call();
    const ended = running.catch(() => undefined);
    this.#running.add(ended);
    try {
      return await running;
    } finally {
      this.#running.delete(ended);
    }
  }

  /** Runs the part of a call that must not overlap another, when all before it have ended, well or not. */
  next<R>(work: () => Promise<R> | R): Promise<R> {
    const turn = this.#tail.then(() => {
      this.requireOpen();
      return work();
    });
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  /** Waits for the calls that have begun. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Ends every call with a reason. */
  close(reason: SluiceError): void {
    this.#closing.abort(reason);
  }
}
