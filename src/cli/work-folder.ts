/**
 * A private folder for temporary copies, made when first needed and removed whatever happens.
 */
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ioError } from "./atomic-output.js";

/** A folder that only this user can read. `remove()` it; the end of the process removes it too. */
export class WorkFolder {
  #path: string | undefined;
  readonly #onExit = (): void => {
    if (this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true });
  };

  /** Path of a file in the folder. */
  async file(name: string): Promise<string> {
    if (this.#path === undefined) {
      const prefix = join(tmpdir(), "sluice-");
      this.#path = await mkdtemp(prefix).catch((cause: unknown) => {
        throw ioError(prefix, "Making the temporary folder", cause);
      });
      process.on("exit", this.#onExit);
    }
    return join(this.#path, name);
  }

  /** Removes the folder and what is in it. */
  async remove(): Promise<void> {
    if (this.#path === undefined) return;
    await rm(this.#path, { recursive: true, force: true });
    this.#path = undefined;
    process.off("exit", this.#onExit);
  }
}
