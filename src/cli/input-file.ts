/**
 * From what the user named to a file that can be opened twice: the first pass decides, the second copies.
 *
 * Standard input and pipes are spooled to a private file first.
 */
import { constants, createReadStream, createWriteStream, fstatSync, statSync, writeSync } from "node:fs";
import { access, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { SluiceError } from "../errors.js";
import { looksLikeParquet } from "../parquet/parquet-magic.js";
import { ioError } from "./atomic-output.js";
import { formatByName, type RecordFormat } from "./file-name.js";
import { readPipe } from "./named-pipe.js";
import type { WorkFolder } from "./work-folder.js";

/** An input that is ready to be read. */
export interface ReadableInput {
  /** How the user calls it; stands in messages. */
  readonly name: string;
  /** Where it is read from. */
  readonly path: string;
  /** Its format; `undefined` when neither flag, name nor bytes tell it. */
  readonly format: RecordFormat | undefined;
}

/** The path under which an input can be compared with the outputs. */
export function inputIdentityPath(given: string): string {
  return given === "-" ? "/dev/stdin" : given;
}

/**
 * Makes an input ready. `INPUT_NOT_FOUND` when it is not there, may not be read or is a directory; `IO` when it cannot be
 * spooled.
 */
export async function openInput(
  given: string,
  format: RecordFormat | undefined,
  role: "input" | "reference",
  folder: WorkFolder,
  signal: AbortSignal,
): Promise<ReadableInput> {
  // Without a name to go by, lines of JSON are assumed; the packing is told by the bytes.
  const copy = `${role}.jsonl`;
  if (given === "-") {
    requireStandardInput();
    const path = await spool(process.stdin, copy, folder, signal);
    return { name: "standard input", path, format: format ?? (await formatOfBytes(path)) };
  }
  const found = await stat(given).catch((cause: unknown) => {
    throw notFound(given, "cannot be opened", cause);
  });
  if (found.isDirectory()) throw notFound(given, "is a directory");
  await access(given, constants.R_OK).catch((cause: unknown) => {
    throw notFound(given, "may not be read", cause);
  });
  if (!found.isFile()) {
    const path = await spool(
      found.isFIFO() ? readPipe(given) : createReadStream(given),
      copy,
      folder,
      signal,
    );
    return { name: given, path, format: format ?? (await formatOfBytes(path)) };
  }
  const told = format ?? formatByName(given);
  if (told !== undefined) return { name: given, path: given, format: told };
  return { name: given, path: given, format: (await looksLikeParquet(given)) ? "parquet" : undefined };
}

const STANDARD_INPUT = 0;

/** Refuses what Node takes for an input without bytes: a directory, a disk, and no standard input at all. */
function requireStandardInput(): void {
  const found = fstatSync(STANDARD_INPUT);
  if (found.isDirectory()) throw notFound("standard input", "is a directory");
  if (!(found.isFile() || found.isFIFO() || found.isSocket() || found.isCharacterDevice()))
    throw notFound("standard input", "is of a kind that cannot be read");
  if (found.isCharacterDevice() && isStandIn(found.rdev)) throw notFound("standard input", "is closed");
}

/** Node opens the null device, for writing too, in place of a closed input. Nobody means to read from it so. */
function isStandIn(device: number): boolean {
  if (process.platform === "win32" || statSync("/dev/null").rdev !== device) return false;
  try {
    writeSync(STANDARD_INPUT, new Uint8Array(0));
    return true;
  } catch {
    return false;
  }
}

async function formatOfBytes(path: string): Promise<RecordFormat> {
  return (await looksLikeParquet(path)) ? "parquet" : "jsonl";
}

async function spool(
  source: Readable,
  name: string,
  folder: WorkFolder,
  signal: AbortSignal,
): Promise<string> {
  const path = await folder.file(name);
  try {
    await pipeline(source, createWriteStream(path, { flags: "wx", mode: 0o600 }), { signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw ioError(path, "Making the temporary copy", cause);
  }
  return path;
}

function notFound(path: string, problem: string, cause?: unknown): SluiceError {
  return new SluiceError("INPUT_NOT_FOUND", `The input ${path} ${problem}.`, { path }, { cause });
}
