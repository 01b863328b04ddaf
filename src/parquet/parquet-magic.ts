/**
 * How a Parquet file is told from any other, without loading what is needed to read one.
 */
import { open, type FileHandle } from "node:fs/promises";

/** The first and the last four bytes of every Parquet file. */
export const PARQUET_MAGIC = "PAR1";

/** The same as bytes. */
export const PARQUET_MAGIC_BYTES: Uint8Array = new TextEncoder().encode(PARQUET_MAGIC);

/** Whether an open file begins as a Parquet file does. */
export async function beginsAsParquet(handle: FileHandle): Promise<boolean> {
  const length = PARQUET_MAGIC.length;
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, 0);
  return bytesRead === length && buffer.toString("latin1") === PARQUET_MAGIC;
}

/** Whether the file at a path begins as a Parquet file does. */
export async function looksLikeParquet(path: string): Promise<boolean> {
  const handle = await open(path, "r");
  try {
    return await beginsAsParquet(handle);
  } finally {
    await handle.close();
  }
}
