/**
 * An open Parquet file: its footer, its leaves, and the pages of any column chunk.
 *
 * Memory: the footer, and one compressed column chunk at a time plus the pages that the caller holds. A file is refused as
 * a whole before any work when one column uses a feature that could not be written again.
 */
import type { BigIntStats } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import {
  parquetMetadataAsync,
  type ColumnMetaData,
  type CompressionCodec,
  type FileMetaData,
} from "hyparquet";
import { SluiceError } from "../errors.js";
import { blamesInput, fileState, inputChanged } from "../file-state.js";
import { beginsAsParquet, PARQUET_MAGIC } from "./parquet-magic.js";
import { leafPages, type LeafPage, type RowsWanted } from "./parquet-page.js";
import { parquetError, parquetLeaves, type ParquetLeaf } from "./parquet-schema.js";

/** A row group: its rows and one chunk for each leaf. */
export interface ParquetGroup {
  /** Position of its first row in the file. */
  readonly start: number;
  readonly rows: number;
  readonly chunks: readonly ColumnMetaData[];
}

/** A column chunk is read as a whole; beyond this the file is refused. */
const CHUNK_BYTES_MAX = 2 ** 31 - 1;

/** Codecs that can be read. */
const CODECS: ReadonlySet<CompressionCodec> = new Set<CompressionCodec>([
  "UNCOMPRESSED",
  "SNAPPY",
  "GZIP",
  "BROTLI",
  "ZSTD",
  "LZ4",
  "LZ4_RAW",
]);

/** An open Parquet file. Holds a file handle: `close()` it. */
export class ParquetFile {
  /** Path, as given by the caller. */
  readonly path: string;
  readonly metadata: FileMetaData;
  readonly leaves: readonly ParquetLeaf[];
  readonly groups: readonly ParquetGroup[];
  /** Number of rows. */
  readonly rows: number;
  /** Size of the file. */
  readonly bytes: number;
  readonly #handle: FileHandle;
  readonly #state: string;

  private constructor(path: string, metadata: FileMetaData, handle: FileHandle, stats: BigIntStats) {
    this.path = path;
    this.metadata = metadata;
    this.leaves = parquetLeaves(path, metadata);
    this.groups = groupsOf(path, metadata, this.leaves);
    this.rows = Number(metadata.num_rows);
    this.bytes = Number(stats.size);
    this.#handle = handle;
    this.#state = fileState(stats);
  }

  /**
   * Opens a file and checks that it can be read and written again.
   *
   * `INPUT_NOT_FOUND` when it is not there; `INPUT_PARQUET` when it is none, cut short, damaged or unsupported.
   */
  static async open(path: string): Promise<ParquetFile> {
    const handle = await open(path, "r").catch((cause: unknown) => {
      throw new SluiceError("INPUT_NOT_FOUND", "The Parquet file cannot be opened.", { path }, { cause });
    });
    try {
      const stats = await handle.stat({ bigint: true });
      const size = Number(stats.size);
      if (!(await beginsAsParquet(handle)))
        throw parquetError(path, "it does not begin as a Parquet file does");
      const metadata = await parquetMetadataAsync(
        { byteLength: size, slice: (start, end = size) => readSlice(handle, start, end) },
        { geoparquet: false },
      );
      return new ParquetFile(path, metadata, handle, stats);
    } catch (error) {
      await handle.close();
      throw asParquetError(path, error);
    }
  }

  /** The leaf of a column that is neither nested nor repeated; `COLUMN_MISSING` or `COLUMN_NOT_TEXT` otherwise. */
  flatLeaf(column: string): ParquetLeaf {
    const leaf = this.leaves.find(({ path }) => path[0] === column);
    if (leaf === undefined) {
      const expected = [...new Set(this.leaves.map(({ path }) => path[0]))].slice(0, 20).join(", ");
      throw new SluiceError("COLUMN_MISSING", `The Parquet file has no column ${column}.`, {
        field: column,
        path: this.path,
        expected: `one of ${expected}`,
      });
    }
    if (leaf.path.length > 1 || leaf.repetitionMax > 0) {
      throw new SluiceError("COLUMN_NOT_TEXT", `The column ${column} is nested.`, {
        field: column,
        path: this.path,
        expected: "a column of plain values",
        received: "a nested column",
      });
    }
    return leaf;
  }

  /** The pages of one column chunk. `INPUT_PARQUET` for damage, naming the column. */
  async pages(group: ParquetGroup, leaf: ParquetLeaf, wanted: RowsWanted): Promise<Generator<LeafPage>> {
    const chunk = group.chunks[leaf.index];
    if (chunk === undefined) throw parquetError(this.path, "a column chunk is missing", leaf.name);
    try {
      const bytes = await readSlice(this.#handle, chunkStart(chunk), chunkEnd(chunk));
      return this.#guarded(bytes, group, leaf, chunk, wanted);
    } catch (error) {
      throw asParquetError(this.path, error, leaf.name);
    }
  }

  /** Passes pages on, counts the rows, and gives every error its path and column. */
  *#guarded(
    bytes: ArrayBuffer,
    group: ParquetGroup,
    leaf: ParquetLeaf,
    chunk: ColumnMetaData,
    wanted: RowsWanted,
  ): Generator<LeafPage> {
    const pages = leafPages(bytes, leaf, chunk, wanted);
    let rows = 0;
    for (;;) {
      let next: IteratorResult<LeafPage>;
      try {
        next = pages.next();
      } catch (error) {
        throw asParquetError(this.path, error, leaf.name);
      }
      if (next.done === true) break;
      const { repetition, count } = next.value;
      if (repetition === undefined) rows += count;
      else for (const level of repetition) if (level === 0) rows += 1;
      yield next.value;
    }
    if (rows !== group.rows) {
      throw parquetError(this.path, `a row group has ${group.rows} rows, the column has ${rows}`, leaf.name);
    }
  }

  /** `INPUT_CHANGED` when the file was written to since it was opened: two passes would not have seen the same rows. */
  async #checkUnchanged(cause?: unknown): Promise<void> {
    const state = fileState(await this.#handle.stat({ bigint: true }));
    if (state !== this.#state) throw inputChanged(this.path, cause);
  }

  /** Does work on the file; a damage that it meets is `INPUT_CHANGED` where the file is not the one that was opened. */
  async whileUnchanged<T>(work: () => Promise<T>): Promise<T> {
    const value = await work().catch(async (error: unknown) => {
      if (blamesInput(error)) await this.#checkUnchanged(error);
      throw error;
    });
    await this.#checkUnchanged();
    return value;
  }

  /** Closes the file. */
  async close(): Promise<void> {
    await this.#handle.close();
  }
}

function groupsOf(path: string, metadata: FileMetaData, leaves: readonly ParquetLeaf[]): ParquetGroup[] {
  let start = 0;
  const groups = metadata.row_groups.map((group) => {
    const rows = Number(group.num_rows);
    if (!(rows >= 0)) throw parquetError(path, "a row group has no valid number of rows");
    const chunks = leaves.map((leaf) => {
      const column = group.columns[leaf.index];
      const chunk = column?.meta_data;
      const encrypted =
        column?.crypto_metadata !== undefined || column?.encrypted_column_metadata !== undefined;
      if (encrypted) throw parquetError(path, "it is encrypted", leaf.name);
      if (column?.file_path) throw parquetError(path, "its values lie in another file", leaf.name);
      if (chunk === undefined) throw parquetError(path, "a column chunk is missing", leaf.name);
      checkChunk(path, chunk, leaf);
      return chunk;
    });
    const at = start;
    start += rows;
    return { start: at, rows, chunks };
  });
  if (start !== Number(metadata.num_rows))
    throw parquetError(path, "its row groups do not add up to its rows");
  return groups;
}

function checkChunk(path: string, chunk: ColumnMetaData, leaf: ParquetLeaf): void {
  const same = chunk.path_in_schema.length === leaf.path.length && chunk.type === leaf.element.type;
  if (!same || chunk.path_in_schema.some((part, index) => part !== leaf.path[index])) {
    throw parquetError(path, "a column chunk belongs to another column", leaf.name);
  }
  if (!CODECS.has(chunk.codec)) {
    // A codec that the reader does not know comes as `undefined`.
    throw parquetError(path, `the codec ${chunk.codec} is not supported`, leaf.name);
  }
  const [start, end] = [chunkStart(chunk), chunkEnd(chunk)];
  if (!(start >= PARQUET_MAGIC.length && end >= start && end - start <= CHUNK_BYTES_MAX)) {
    throw parquetError(path, "a column chunk has no valid place or is larger than 2 GiB", leaf.name);
  }
}

function chunkStart({ dictionary_page_offset, data_page_offset }: ColumnMetaData): number {
  // Some writers set a dictionary offset of 0, which means none.
  const dictionary = Number(dictionary_page_offset ?? 0n);
  const data = Number(data_page_offset);
  return dictionary > 0 && dictionary < data ? dictionary : data;
}

function chunkEnd(chunk: ColumnMetaData): number {
  return chunkStart(chunk) + Number(chunk.total_compressed_size);
}

async function readSlice(handle: FileHandle, start: number, end: number): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(end - start);
  for (let done = 0; done < bytes.length;) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, start + done);
    if (bytesRead === 0) throw new Error("it ends before its footer says it does");
    done += bytesRead;
  }
  return bytes.buffer;
}

function asParquetError(path: string, error: unknown, column?: string): SluiceError {
  if (error instanceof SluiceError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code.startsWith("E") && !code.startsWith("ERR_")) {
    return new SluiceError("IO", `Reading the Parquet file failed (${code}).`, { path }, { cause: error });
  }
  const reason =
    error instanceof Error ? error.message.replace(/^parquet /, "").replace(/\.$/, "") : "it is damaged";
  return parquetError(path, reason, column, error);
}
