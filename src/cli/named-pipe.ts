/**
 * Pipes that have a name, or lie behind `/dev/fd`, opened without waiting inside a system call.
 *
 * An ordinary `open` of a pipe blocks until there is someone at its other end, and a blocked call can be neither aborted nor
 * joined: no signal would end the process. Here every wait is one of the event loop. The pipe itself is written straight
 * through: there is no whole to wait for.
 */
import { constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { addAbortSignal, type Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { ioError, type Output, type OutputTarget } from "./atomic-output.js";

/** Milliseconds between two looks for a reader. */
const READER_INTERVAL_MS = 20;

/** The bytes of a pipe. They begin when someone writes; until then the stream waits, and can be destroyed. */
export function readPipe(path: string): Readable {
  // The open does not block, hence may be synchronous. The system reports no end before the first writer came.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

/** A pipe that is being written to. */
export class PipeOutput implements Output {
  readonly #path: string;
  readonly #signal: AbortSignal;
  readonly #socket: Socket;

  private constructor(path: string, signal: AbortSignal, socket: Socket) {
    this.#path = path;
    this.#signal = signal;
    this.#socket = socket;
    // `write` and `finish` report; without a listener the process would end with a stack.
    socket.on("error", () => undefined);
    addAbortSignal(signal, socket);
  }

  /** Waits for a reader, as long as the signal lets it; `IO` when the pipe may not be written. */
  static async open({ path }: OutputTarget, signal: AbortSignal): Promise<PipeOutput> {
    for (;;) {
      signal.throwIfAborted();
      try {
        const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
        return new PipeOutput(path, signal, new Socket({ fd, readable: false, writable: true }));
      } catch (cause) {
        // ENXIO: nobody has opened it for reading yet.
        const waiting = cause instanceof Error && "code" in cause && cause.code === "ENXIO";
        if (!waiting) throw ioError(path, "Opening", cause);
      }
      // The signal is looked at above, where it gives its own reason.
      await pause(READER_INTERVAL_MS);
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#done((callback) => this.#socket.write(bytes, callback));
  }

  /** There is nothing that could have changed. */
  check(): Promise<void> {
    return Promise.resolve();
  }

  async finish(): Promise<void> {
    await this.#done((callback) => this.#socket.end(callback));
  }

  /** What was written is out already. */
  commit(): Promise<void> {
    return Promise.resolve();
  }

  discard(): Promise<void> {
    this.#socket.destroy();
    return Promise.resolve();
  }

  /** Waits for a step of the socket; the abort destroys it and ends the wait. */
  async #done(step: (callback: (error?: Error | null) => void) => unknown): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        step((error) => {
          if (error) reject(error);
          else resolve();
        });
      });
    } catch (cause) {
      this.#signal.throwIfAborted();
      throw ioError(this.#path, "Writing", cause);
    }
  }
}
