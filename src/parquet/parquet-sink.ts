/**
 * Writes chosen rows of a Parquet file to another one with the same schema and the same values, bit for bit.
 *
 * Leaf by leaf: the levels and values of the chosen rows are taken from the source and written as they are, under the
 * source's own schema and key-value metadata. Codecs stay where one can be written (uncompressed, snappy, gzip, brotli, and
 * zstd where this Node has it); LZ4 becomes snappy. Statistics are written only where the order of the values is that of
 * their bytes or numbers. Page indexes, bloom filters and sort orders are not written.
 *
 * Memory: one leaf of the row groups that are merged into one, at most `MERGE_BYTES_MAX` or one source group, and a page.
 */
import { brotliCompressSync, gzipSync } from "node:zlib";
import * as zlib from "node:zlib";
import { setImmediate as nextTurn } from "node:timers/promises";
import type {
  ColumnChunk,
  CompressionCodec,
  ConvertedType,
  DecodedArray,
  RowGroup,
  SchemaElement,
} from "hyparquet";
import { ByteWriter } from "hyparquet-writer";
import { writeColumn } from "hyparquet-writer/src/column.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import { snappyCompress } from "hyparquet-writer/src/snappy.js";
import { VERSION } from "../package.js";
import type { ParquetFile, ParquetGroup } from "./parquet-file.js";
import { PARQUET_MAGIC_BYTES } from "./parquet-magic.js";
import { physicalType } from "./parquet-page.js";
import type { ParquetLeaf } from "./parquet-schema.js";
import type { RowSelection } from "./row-selection.js";

/** What the writer needs of the caller. */
export interface ParquetSinkOptions {
  /** Takes the bytes of the file, one part after the other. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
  /** Called after each column chunk with the share that is done, 0 to 1. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

/** The writer's own types for a schema; they lack one annotation, which `parquetLeaves` refuses. */
type WriterSchema = Parameters<typeof writeMetadata>[1]["schema"];
type WriterElement = WriterSchema[number];

type Compressor = (input: Uint8Array) => Uint8Array;

/** Source groups are merged up to this size, so that a thin selection does not leave a thousand tiny groups. */
const MERGE_BYTES_MAX = 256 * 2 ** 20;

/** Size of a page before compression. */
const PAGE_BYTES = 2 ** 20;

// `@types/node` follows the oldest Node we support, which has no zstd.
const { zstdCompressSync } = zlib as { zstdCompressSync?: Compressor };

const COMPRESSORS: Partial<Record<CompressionCodec, Compressor>> = {
  SNAPPY: snappyCompress,
  GZIP: (input) => gzipSync(input),
  BROTLI: (input) => brotliCompressSync(input, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
  ...(zstdCompressSync === undefined ? {} : { ZSTD: (input: Uint8Array) => zstdCompressSync(input) }),
};

/** Writes the chosen rows. Errors of the source are `INPUT_PARQUET`; errors of `write` pass through. */
export async function writeParquetSelection(
  file: ParquetFile,
  selection: Pick<RowSelection, "has">,
  options: ParquetSinkOptions,
): Promise<void> {
  const writer = new ByteWriter();
  writer.appendBytes(PARQUET_MAGIC_BYTES);
  const rowGroups: RowGroup[] = [];
  const batches = mergeGroups(file, selection);
  const steps = batches.length * file.leaves.length;
  let step = 0;
  for (const { groups, rows } of batches) {
    const columns: ColumnChunk[] = [];
    const offset = writer.offset;
    for (const leaf of file.leaves) {
      const stream = await chosenStream(file, groups, leaf, selection, options.signal);
      columns.push(writeLeaf(writer, leaf, groups, stream));
      await flush(writer, options.write);
      step += 1;
      options.onProgress?.(step / steps);
    }
    rowGroups.push({
      columns,
      num_rows: BigInt(rows),
      total_byte_size: columns.reduce(
        (sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n),
        0n,
      ),
      total_compressed_size: BigInt(writer.offset - offset),
    });
  }
  const { schema, key_value_metadata } = file.metadata;
  writeMetadata(writer, {
    version: 2,
    schema: schema.map(writableElement),
    num_rows: rowGroups.reduce((sum, { num_rows }) => sum + num_rows, 0n),
    row_groups: rowGroups,
    ...(key_value_metadata === undefined ? {} : { key_value_metadata }),
    created_by: `sluice version ${VERSION}`,
    // Part of the type, but not of what is written.
    metadata_length: 0,
  });
  writer.appendBytes(PARQUET_MAGIC_BYTES);
  await flush(writer, options.write);
}

interface Batch {
  readonly groups: readonly ParquetGroup[];
  readonly rows: number;
}

/** Neighbouring source groups whose chosen rows make one group, no larger than the largest source group. */
function mergeGroups(file: ParquetFile, selection: Pick<RowSelection, "has">): Batch[] {
  const rowsMax = file.groups.reduce((most, { rows }) => Math.max(most, rows), 0);
  const batches: Array<{ groups: ParquetGroup[]; rows: number; bytes: number }> = [];
  for (const group of file.groups) {
    let chosen = 0;
    for (let row = group.start; row < group.start + group.rows; row += 1) if (selection.has(row)) chosen += 1;
    if (chosen === 0) continue;
    const bytes = group.chunks.reduce((sum, chunk) => sum + Number(chunk.total_uncompressed_size), 0);
    const last = batches.at(-1);
    if (last !== undefined && last.rows + chosen <= rowsMax && last.bytes + bytes <= MERGE_BYTES_MAX) {
      last.groups.push(group);
      last.rows += chosen;
      last.bytes += bytes;
    } else batches.push({ groups: [group], rows: chosen, bytes });
  }
  return batches;
}

interface LeafStream {
  readonly repetition: number[];
  readonly definition: number[];
  /** One entry a level pair; `undefined` where the value is missing. */
  readonly values: unknown[];
}

async function chosenStream(
  file: ParquetFile,
  groups: readonly ParquetGroup[],
  leaf: ParquetLeaf,
  selection: Pick<RowSelection, "has">,
  signal: AbortSignal | undefined,
): Promise<LeafStream> {
  const stream: LeafStream = { repetition: [], definition: [], values: [] };
  for (const group of groups) {
    const wanted = (row: number, count: number): boolean => {
      for (let at = group.start + row; at < group.start + row + count; at += 1)
        if (selection.has(at)) return true;
      return false;
    };
    let row = group.start - 1;
    for (const { count, repetition, definition, values } of await file.pages(group, leaf, wanted)) {
      await nextTurn();
      signal?.throwIfAborted();
      if (values === undefined) {
        row += count;
        continue;
      }
      let used = 0;
      for (let index = 0; index < count; index += 1) {
        const repeated = repetition?.[index] ?? 0;
        if (repeated === 0) row += 1;
        const defined = definition?.[index] ?? leaf.definitionMax;
        const present = defined === leaf.definitionMax;
        if (selection.has(row)) {
          if (leaf.repetitionMax > 0) stream.repetition.push(repeated);
          if (leaf.definitionMax > 0) stream.definition.push(defined);
          stream.values.push(present ? values[used] : undefined);
        }
        if (present) used += 1;
      }
    }
  }
  return stream;
}

function writeLeaf(
  writer: ByteWriter,
  leaf: ParquetLeaf,
  groups: readonly ParquetGroup[],
  { repetition, definition, values }: LeafStream,
): ColumnChunk {
  const { type, length } = physicalType(leaf);
  const source = groups[0]?.chunks[leaf.index]?.codec ?? "SNAPPY";
  const codec = source === "UNCOMPRESSED" || COMPRESSORS[source] !== undefined ? source : "SNAPPY";
  // The writer converts what a schema element is annotated with; a bare element makes it write what it is given.
  const element: WriterElement = {
    name: leaf.element.name,
    type,
    ...(length === undefined ? {} : { type_length: length }),
    repetition_type: leaf.definitionMax > 0 ? "OPTIONAL" : "REQUIRED",
  };
  const { chunk } = writeColumn({
    writer,
    column: {
      columnName: leaf.name,
      element,
      // Only its repetition types are read.
      schemaPath: leaf.elements as WriterSchema,
      codec,
      compressors: COMPRESSORS,
      stats: ordersLikeItsValues(leaf.element),
      pageSize: PAGE_BYTES,
      columnIndex: false,
      offsetIndex: false,
      // A dictionary would take -0 for 0.
      ...(type === "FLOAT" || type === "DOUBLE" ? { encoding: "PLAIN" as const } : {}),
    },
    pageData: {
      // As they were decoded, with gaps where the definition level says so.
      values: values as DecodedArray,
      definitionLevels: definition,
      repetitionLevels: repetition,
      maxDefinitionLevel: leaf.definitionMax,
    },
  });
  if (chunk.meta_data !== undefined && leaf.element.type !== undefined)
    chunk.meta_data.type = leaf.element.type;
  return chunk;
}

/**
 * A schema element as the writer can serialise it. It writes the width of an integer annotation as an i32 where the format
 * has an i8, which strict readers refuse; the older annotation says the same and is understood by all.
 */
function writableElement(element: SchemaElement): WriterElement {
  const { logical_type: logical, ...rest } = element;
  if (logical?.type !== "INTEGER") {
    // `parquetLeaves` refused what the writer does not know.
    return element as WriterElement;
  }
  const name = `${logical.isSigned ? "INT" : "UINT"}_${logical.bitWidth}`;
  return { ...rest, converted_type: rest.converted_type ?? (name as ConvertedType) };
}

/** Whether the least value is the one with the least number or bytes; otherwise statistics would mislead readers. */
function ordersLikeItsValues({ type, converted_type, logical_type }: SchemaElement): boolean {
  if (type === "INT96" || type === "FIXED_LEN_BYTE_ARRAY") return false;
  if (converted_type === "DECIMAL" || converted_type?.startsWith("UINT") === true) return false;
  switch (logical_type?.type) {
    case undefined:
      return converted_type !== "INTERVAL" && converted_type !== "BSON";
    case "STRING":
    case "ENUM":
    case "JSON":
    case "DATE":
    case "TIME":
    case "TIMESTAMP":
      return true;
    case "INTEGER":
      return logical_type.isSigned;
    case "MAP":
    case "LIST":
    case "INTERVAL":
    case "NULL":
    case "BSON":
    case "UUID":
    case "FLOAT16":
    case "DECIMAL":
    case "VARIANT":
    case "GEOMETRY":
    case "GEOGRAPHY":
    case "FILE":
      return false;
  }
}

/** Hands on what was written so far; the writer's memory is used again. */
async function flush(writer: ByteWriter, write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
  const bytes = writer.getBytes();
  if (bytes.length > 0) await write(bytes);
  writer.index = 0;
}
