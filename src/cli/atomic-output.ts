/**
 * A file that appears under its name only when it is whole.
 *
 * Bytes go to a sibling that no one else can open by accident (`.name.<pid>.<random>.tmp`, made with O_EXCL); `commit`
 * flushes it to the disk and renames it, `discard` removes it. What is not a regular file (a pipe, a terminal,
 * `/dev/null`) has no whole to wait for: it is written straight through.
 */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { open, realpath, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SluiceError } from "../errors.js";

/** Takes bytes. `write` resolves when the next bytes may come: the caller waits, nothing piles up. */
export interface ByteSink {
  /** Writes all bytes; afterwards the caller may reuse their memory. */
  write(bytes: Uint8Array): Promise<void>;
}

/** Where an output goes, found out before anything is opened. */
export interface OutputTarget {
  /** Path as the user gave it, for messages. */
  readonly path: string;
  /** Path after symbolic links: what is renamed over. */
  readonly realPath: string;
  /** Device and inode of what is there now, if anything is. */
  readonly identity: string | undefined;
  /** A regular file (or none yet) is replaced at the end; a pipe is written through; a device may also be shared. */
  readonly kind: "replace" | "stream" | "device";
}

/** Temporary files that are still there; the process removes them when it ends, whatever ends it but SIGKILL. */
const leftovers = new Set<string>();
let watching: "no" | "yes" = "no";

function watchExit(): void {
  if (watching === "yes") return;
  watching = "yes";
  process.on("exit", () => {
    for (const path of leftovers) rmSync(path, { force: true });
  });
}

/** Turns a failed system call into an `IO` error with its path. */
export function ioError(path: string, doing: string, cause: unknown): SluiceError {
  if (cause instanceof SluiceError) return cause;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
  const reasons: Record<string, string> = {
    EACCES: "permission denied",
    EDQUOT: "the quota is used up",
    EISDIR: "it is a directory",
    ENOENT: "the folder does not exist",
    ENOSPC: "the disk is full",
    ENOTDIR: "a part of the path is not a folder",
    EPERM: "not permitted",
    EROFS: "the file system is read-only",
  };
  const reason = reasons[code];
  const because = reason === undefined ? code : `${reason}, ${code}`;
  return new SluiceError("IO", `${doing} ${path} failed: ${because}.`, { path }, { cause });
}

/** Device and inode: two paths with the same identity are the same file. */
export async function fileIdentity(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** Looks at what an output path names. A directory is an `IO` error at once. */
export async function findTarget(path: string): Promise<OutputTarget> {
  let found;
  try {
    found = await stat(path, { bigint: true });
  } catch (cause) {
    const missing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    if (!missing) throw ioError(path, "Opening", cause);
    // A symbolic link to nothing is replaced itself.
    const parent = await realpath(dirname(path)).catch((error: unknown) => {
      throw ioError(path, "Opening", error);
    });
    return { path, realPath: join(parent, basename(path)), identity: undefined, kind: "replace" };
  }
  if (found.isDirectory()) throw ioError(path, "Opening", Object.assign(new Error(), { code: "EISDIR" }));
  return {
    path,
    // What /dev/fd/3 leads to may have no path.
    realPath: found.isFile() ? await realpath(path).catch(() => path) : path,
    identity: `${found.dev}:${found.ino}`,
    kind: found.isCharacterDevice()
      ? "device"
      : found.isFile() && !OPEN_ALREADY.test(path)
        ? "replace"
        : "stream",
  };
}

/** These lead to a file that is already open: replacing it would detach the file that the shell holds. */
const OPEN_ALREADY = /^\/(?:dev\/(?:fd\/|std)|proc\/)/;

/** An output that is being written. */
export class AtomicOutput implements ByteSink {
  readonly target: OutputTarget;
  readonly #temporary: string | undefined;
  #handle: FileHandle | undefined;

  private constructor(target: OutputTarget, handle: FileHandle, temporary: string | undefined) {
    this.target = target;
    this.#handle = handle;
    this.#temporary = temporary;
  }

  /** Opens the output; fails with `IO` before any work is done when it could not be written in the end. */
  static async open(target: OutputTarget): Promise<AtomicOutput> {
    if (target.kind !== "replace") {
      const handle = await open(target.path, "a").catch((cause: unknown) => {
        throw ioError(target.path, "Opening", cause);
      });
      return new AtomicOutput(target, handle, undefined);
    }
    const name = `.${basename(target.realPath)}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`;
    const temporary = join(dirname(target.realPath), name);
    // 0o666 leaves the mode to the umask, as for any file the user makes.
    const handle = await open(temporary, "wx", 0o666).catch((cause: unknown) => {
      throw ioError(target.path, "Opening", cause);
    });
    watchExit();
    leftovers.add(temporary);
    return new AtomicOutput(target, handle, temporary);
  }

  async write(bytes: Uint8Array): Promise<void> {
    const handle = this.#handle;
    if (handle === undefined)
      throw new SluiceError("CLOSED", "The output was closed.", { path: this.target.path });
    try {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done);
        done += bytesWritten;
      }
    } catch (cause) {
      throw ioError(this.target.path, "Writing", cause);
    }
  }

  /** Flushes and closes; the bytes are on the disk, still under the temporary name. */
  async finish(): Promise<void> {
    try {
      if (this.#temporary !== undefined) await this.#handle?.sync();
      await this.#close();
    } catch (cause) {
      throw ioError(this.target.path, "Writing", cause);
    }
  }

  /** Gives the finished file its name. */
  async commit(): Promise<void> {
    if (this.#temporary === undefined) return;
    try {
      await rename(this.#temporary, this.target.realPath);
      leftovers.delete(this.#temporary);
    } catch (cause) {
      throw ioError(this.target.path, "Renaming the finished file to", cause);
    }
  }

  /** Closes and removes what was not committed. Never throws: it runs while another error is on its way. */
  async discard(): Promise<void> {
    await this.#close().catch(() => undefined);
    if (this.#temporary === undefined || !leftovers.has(this.#temporary)) return;
    await rm(this.#temporary, { force: true }).catch(() => undefined);
    leftovers.delete(this.#temporary);
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}
