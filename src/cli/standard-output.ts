/**
 * Standard output as a sink of bytes, with a reader that may leave.
 *
 * When the reader has had enough (`| head`), the pipe breaks. That is no failure: the sink says so with `isOpen`, takes no
 * more bytes, and the run ends quietly.
 */
import { ioError, type ByteSink } from "./atomic-output.js";

/** Standard output. Make one a process. */
export class StandardOutput implements ByteSink {
  readonly #stream: NodeJS.WriteStream;
  #state: "open" | "left" = "open";

  constructor(stream: NodeJS.WriteStream = process.stdout) {
    this.#stream = stream;
    // Without a listener a broken pipe would end the process with a stack; `write` reports the others.
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") this.#state = "left";
    });
  }

  /** Whether someone still reads. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#state === "left") return;
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(bytes, (error) => {
        if (!error) resolve();
        else if ("code" in error && error.code === "EPIPE") {
          this.#state = "left";
          resolve();
        } else reject(ioError("standard output", "Writing", error));
      });
    });
  }
}
