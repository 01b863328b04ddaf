/**
 * The text columns of a Parquet file as JSON lines on the disk.
 *
 * The native core reads lines; rows would first have to become JavaScript objects that all stay in memory. Line `n` is row
 * `n - 1`, so that positions mean the same in both.
 */
import { open } from "node:fs/promises";
import { SluiceError } from "../errors.js";
import type { Progress } from "../report.js";
import type { ParquetFile } from "./parquet-file.js";
import { parquetRecords, type ParquetColumns } from "./parquet-source.js";

/** How the work is followed and stopped. */
export interface SpoolOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Characters that are gathered before they are written. */
const CHUNK_CHARACTERS = 2 ** 19;

/** A record of plain values as JSON: an integer of any size is its digits, which `JSON.stringify` refuses beyond 2^53. */
function jsonObject(record: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(record).map(([name, value]) => {
    const json = typeof value === "bigint" ? value.toString() : JSON.stringify(value);
    return `${JSON.stringify(name)}:${json}`;
  });
  return `{${members.join(",")}}`;
}

/** Writes the chosen columns of all rows to a new file. Errors: those of `parquetRecords`, and `IO`. */
export async function spoolParquet(
  file: ParquetFile,
  columns: ParquetColumns,
  path: string,
  { signal, onProgress }: SpoolOptions,
): Promise<void> {
  const failed = (cause: unknown): never => {
    throw new SluiceError("IO", "Writing the temporary copy of the texts failed.", { path }, { cause });
  };
  const handle = await open(path, "wx", 0o600).catch(failed);
  try {
    let lines: string[] = [];
    let characters = 0;
    let rows = 0;
    const flush = async (): Promise<void> => {
      const text = lines.join("");
      lines = [];
      characters = 0;
      await handle.appendFile(text).catch(failed);
      onProgress?.({ step: "unpack", done: rows, total: file.rows });
    };
    for await (const record of parquetRecords(file, columns, signal)) {
      const line = `${jsonObject(record)}\n`;
      lines.push(line);
      characters += line.length;
      rows += 1;
      if (characters >= CHUNK_CHARACTERS) await flush();
    }
    await flush();
  } finally {
    await handle.close();
  }
}
