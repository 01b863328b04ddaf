/**
 * A file that appears under its name only when it is whole.
 *
 * Bytes go to a sibling that no one else can open by accident (`.sluice.<pid>.<random>.tmp`, made with O_EXCL); `finish`
 * flushes it to the disk, `commit` renames it, `discard` removes it. What is not a regular file (a terminal, `/dev/null`)
 * has no whole to wait for: it is written straight through. Pipes are written by `named-pipe.ts`.
 */
import { randomBytes } from "node:crypto";
import { rmSync, type BigIntStats } from "node:fs";
import { access, open, realpath, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { SluiceError } from "../errors.js";

/** Takes bytes. `write` resolves when the next bytes may come: the caller waits, nothing piles up. */
export interface ByteSink {
  /** Writes all bytes; afterwards the caller may reuse their memory. */
  write(bytes: Uint8Array): Promise<void>;
}

/** An output that is being written: `write`, then `finish`, `check`, `commit`; or `discard` at any time. */
export interface Output extends ByteSink {
  /** Flushes and closes; nothing has its name yet. */
  finish(): Promise<void>;
  /** `IO` when `commit` would fail. */
  check(): Promise<void>;
  /** Gives the finished file its name. */
  commit(): Promise<void>;
  /** Closes and removes what was not committed. Never throws: it runs while another error is on its way. */
  discard(): Promise<void>;
}

/** Where an output goes, found out before anything is opened. */
export interface OutputTarget {
  /** Path as the user gave it, for messages. */
  readonly path: string;
  /** Path after symbolic links: what is renamed over. */
  readonly realPath: string;
  /** Device and inode of what is there now, if anything is. */
  readonly identity: string | undefined;
  /** What is there now, if it is replaced: the new file belongs to the same user and lets the same users read it. */
  readonly access: { readonly mode: number; readonly user: number; readonly group: number } | undefined;
  /** A regular file (or none yet) is replaced at the end; the others are written through; a device may also be shared. */
  readonly kind: "replace" | "pipe" | "stream" | "device";
}

/** Temporary files that are still there; the process removes them when it ends, whatever ends it but SIGKILL. */
const leftovers = new Set<string>();
let exit: "left to Node" | "cleans up" = "left to Node";

function cleanUpAtExit(): void {
  if (exit === "cleans up") return;
  exit = "cleans up";
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
    if (path.endsWith("/") || path.endsWith(sep)) throw directoryError(path);
    // A symbolic link to nothing is replaced itself.
    const parent = await realpath(dirname(path)).catch((error: unknown) => {
      throw ioError(path, "Opening", error);
    });
    return {
      path,
      realPath: join(parent, basename(path)),
      identity: undefined,
      access: undefined,
      kind: "replace",
    };
  }
  if (found.isDirectory()) throw directoryError(path);
  return {
    path,
    // What /dev/fd/3 leads to may have no path.
    realPath: found.isFile() ? await realpath(path).catch(() => path) : path,
    identity: `${found.dev}:${found.ino}`,
    access: { mode: Number(found.mode) & 0o777, user: Number(found.uid), group: Number(found.gid) },
    kind: kindOfTarget(path, found),
  };
}

function kindOfTarget(path: string, found: BigIntStats): OutputTarget["kind"] {
  if (found.isCharacterDevice()) return "device";
  if (found.isFIFO()) return "pipe";
  return found.isFile() && !OPEN_ALREADY.test(path) ? "replace" : "stream";
}

function directoryError(path: string): SluiceError {
  return ioError(path, "Opening", Object.assign(new Error("It is a directory."), { code: "EISDIR" }));
}

/** Gives a new file the owner, where that is allowed, and the mode of the file that it will replace. */
async function takeOver(handle: FileHandle, { access: before }: OutputTarget): Promise<void> {
  if (before === undefined) return;
  await handle.chown(before.user, before.group).catch(() => undefined);
  await handle.chmod(before.mode);
}

/** These lead to a file that is already open: replacing it would detach the file that the shell holds. */
const OPEN_ALREADY = /^\/(?:dev\/(?:fd\/|std)|proc\/)/;

/** A file, or a device, that is being written. */
export class AtomicOutput implements Output {
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
    // The name of the target is left out: with it a long name would become too long.
    const name = `.sluice.${process.pid}.${randomBytes(6).toString("hex")}.tmp`;
    const temporary = join(dirname(target.realPath), name);
    // 0o666 leaves the mode to the umask, as for any file the user makes. What is replaced was never open to more users.
    const mode = target.access?.mode ?? 0o666;
    const handle = await open(temporary, "wx", mode).catch((cause: unknown) => {
      throw ioError(target.path, "Opening", cause);
    });
    cleanUpAtExit();
    leftovers.add(temporary);
    const output = new AtomicOutput(target, handle, temporary);
    try {
      await takeOver(handle, target);
    } catch (cause) {
      await output.discard();
      throw ioError(target.path, "Opening", cause);
    }
    return output;
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

  async finish(): Promise<void> {
    try {
      if (this.#temporary !== undefined) await this.#handle?.sync();
      await this.#close();
    } catch (cause) {
      throw ioError(this.target.path, "Writing", cause);
    }
  }

  /** Looks again at what has the name now, and at the finished file: both may have changed while the work was done. */
  async check(): Promise<void> {
    if (this.#temporary === undefined) return;
    const { kind } = await findTarget(this.target.realPath);
    await access(this.#temporary).catch((cause: unknown) => {
      throw ioError(this.target.path, "Renaming the finished file to", cause);
    });
    if (kind !== "replace") {
      throw new SluiceError("IO", `The output ${this.target.path} is no longer a regular file.`, {
        path: this.target.path,
      });
    }
  }

  async commit(): Promise<void> {
    if (this.#temporary === undefined) return;
    try {
      await rename(this.#temporary, this.target.realPath);
      leftovers.delete(this.#temporary);
    } catch (cause) {
      throw ioError(this.target.path, "Renaming the finished file to", cause);
    }
  }

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
