/**
 * Decodes the pages of one column chunk into levels and plain physical values.
 *
 * Values stay what they physically are (an INT64 timestamp is a bigint, a string is its bytes): nothing is converted, so
 * nothing is lost when they are written again. Every size in a page header is checked against its column chunk before
 * memory is taken or a loop is entered, so that a damaged file ends in an error, not in a hang.
 */
import { gunzipSync, brotliDecompressSync, crc32 } from "node:zlib";
import type { ColumnMetaData, CompressionCodec, DecodedArray, PageHeader, ParquetType } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { deltaBinaryUnpack } from "hyparquet/src/delta.js";
import { byteStreamSplit } from "hyparquet/src/encoding.js";
import { readPlain } from "hyparquet/src/plain.js";
import { compressors, decompressZstd } from "hyparquet-compressors";
import type { ParquetLeaf } from "./parquet-schema.js";

/** What a page holds. */
export interface LeafPage {
  /** Number of level pairs; equals the number of rows where nothing is repeated. */
  readonly count: number;
  /** Repetition levels; `undefined` where nothing is repeated. */
  readonly repetition: Uint8Array | undefined;
  /** Definition levels; `undefined` where everything is required. */
  readonly definition: Uint8Array | undefined;
  /** The values that are there, without gaps. `undefined` for a page that nobody wanted. */
  readonly values: DecodedArray | undefined;
}

/** Says whether any of `count` rows from `row` on (within the row group) is wanted. */
export type RowsWanted = (row: number, count: number) => boolean;

interface Reader {
  readonly view: DataView;
  offset: number;
}

/** The native inflaters are several times faster than the JavaScript ones and bound what they write. */
const INFLATERS: Partial<Record<CompressionCodec, (input: Uint8Array, length: number) => Uint8Array>> = {
  ...compressors,
  GZIP: (input, length) => gunzipSync(input, { maxOutputLength: Math.max(1, length) }),
  BROTLI: (input, length) => brotliDecompressSync(input, { maxOutputLength: Math.max(1, length) }),
  ZSTD: (input, length) => decompressZstd(input, new Uint8Array(length)),
};

/** Physical type as it is read: an INT96 is twelve bytes, which no number type holds. */
export function physicalType(leaf: ParquetLeaf): { type: ParquetType; length: number | undefined } {
  const { type, type_length } = leaf.element;
  if (type === "INT96") return { type: "FIXED_LEN_BYTE_ARRAY", length: 12 };
  return { type: type ?? "BYTE_ARRAY", length: type_length };
}

/**
 * Decodes a column chunk page by page. A page of an unrepeated column that holds no wanted row is not unpacked.
 *
 * Throws a plain `Error` for damage; the caller knows path and column.
 */
export function* leafPages(
  bytes: ArrayBuffer,
  leaf: ParquetLeaf,
  chunk: ColumnMetaData,
  wanted: RowsWanted,
): Generator<LeafPage> {
  const reader: Reader = { view: new DataView(bytes), offset: 0 };
  const valuesTotal = Number(chunk.num_values);
  let dictionary: DecodedArray | undefined;
  let seen = 0;
  while (seen < valuesTotal) {
    const header = parquetHeader(reader);
    const body = pageBody(reader, header, chunk);
    switch (header.type) {
      case "DICTIONARY_PAGE":
        dictionary = decodeDictionary(body, header, leaf, chunk);
        break;
      case "DATA_PAGE":
      case "DATA_PAGE_V2": {
        const count = (header.data_page_header ?? header.data_page_header_v2)?.num_values;
        if (count === undefined || !(count >= 0 && count <= valuesTotal - seen)) {
          throw new Error("a page holds more values than its column chunk");
        }
        if (leaf.repetitionMax === 0 && !wanted(seen, count)) {
          yield { count, repetition: undefined, definition: undefined, values: undefined };
        } else yield decodeData(body, header, leaf, chunk, dictionary);
        seen += count;
        break;
      }
      case "INDEX_PAGE":
        break;
      default:
        throw new Error("a page is of no known kind");
    }
  }
}

/** The bytes after a page header, checked against the chunk and against the checksum where there is one. */
function pageBody(reader: Reader, header: PageHeader, chunk: ColumnMetaData): Uint8Array {
  const { compressed_page_size: packed, uncompressed_page_size: unpacked } = header;
  if (!(packed >= 0 && reader.offset + packed <= reader.view.byteLength)) {
    throw new Error("a page runs past the end of its column chunk");
  }
  if (!(unpacked >= 0 && unpacked <= Number(chunk.total_uncompressed_size))) {
    throw new Error("a page says it is larger than its column chunk");
  }
  const body = new Uint8Array(reader.view.buffer, reader.view.byteOffset + reader.offset, packed);
  if (header.crc !== undefined && crc32(body) !== header.crc >>> 0) {
    throw new Error("the checksum of a page does not match");
  }
  reader.offset += packed;
  return body;
}

function decodeDictionary(
  body: Uint8Array,
  header: PageHeader,
  leaf: ParquetLeaf,
  chunk: ColumnMetaData,
): DecodedArray {
  const count = header.dictionary_page_header?.num_values;
  if (count === undefined || !(count >= 0 && count <= Number(chunk.total_uncompressed_size))) {
    throw new Error("a dictionary page has no valid size");
  }
  const { type, length } = physicalType(leaf);
  return readPlain(readerOf(inflate(body, header.uncompressed_page_size, chunk.codec)), type, count, length);
}

function decodeData(
  body: Uint8Array,
  header: PageHeader,
  leaf: ParquetLeaf,
  chunk: ColumnMetaData,
  dictionary: DecodedArray | undefined,
): LeafPage {
  const { data_page_header: first, data_page_header_v2: second } = header;
  if (second !== undefined) {
    const { num_values: count, repetition_levels_byte_length: r, definition_levels_byte_length: d } = second;
    if (!(r >= 0 && d >= 0 && r + d <= body.length)) throw new Error("the levels run past the end of a page");
    const repetition =
      leaf.repetitionMax === 0 ? undefined : levels(body.subarray(0, r), leaf.repetitionMax, count);
    const definition =
      leaf.definitionMax === 0 ? undefined : levels(body.subarray(r, r + d), leaf.definitionMax, count);
    const packed = body.subarray(r + d);
    const length = header.uncompressed_page_size - r - d;
    // A page of nulls may have no bytes at all, which no codec accepts.
    const plain = second.is_compressed === false ? packed : inflate(packed, length, chunk.codec);
    const present = presentCount(definition, leaf.definitionMax, count);
    return {
      count,
      repetition,
      definition,
      values: decodeValues(readerOf(plain), second.encoding, present, leaf, dictionary),
    };
  }
  if (first === undefined) throw new Error("a data page has no header");
  const { num_values: count } = first;
  const reader = readerOf(inflate(body, header.uncompressed_page_size, chunk.codec));
  const sized = (levelMax: number, encoding: string): Uint8Array | undefined => {
    if (levelMax === 0) return undefined;
    if (encoding !== "RLE") throw new Error(`the level encoding ${encoding} is not supported`);
    const size = reader.view.getUint32(reader.offset, true);
    const run = slice(reader, reader.offset + 4, size);
    reader.offset += 4 + size;
    return levels(run, levelMax, count);
  };
  const repetition = sized(leaf.repetitionMax, first.repetition_level_encoding);
  const definition = sized(leaf.definitionMax, first.definition_level_encoding);
  const present = presentCount(definition, leaf.definitionMax, count);
  return {
    count,
    repetition,
    definition,
    values: decodeValues(reader, first.encoding, present, leaf, dictionary),
  };
}

function decodeValues(
  reader: Reader,
  encoding: string,
  count: number,
  leaf: ParquetLeaf,
  dictionary: DecodedArray | undefined,
): DecodedArray {
  const { type, length } = physicalType(leaf);
  if (count === 0) return [];
  switch (encoding) {
    case "PLAIN":
      return readPlain(reader, type, count, length);
    case "PLAIN_DICTIONARY":
    case "RLE_DICTIONARY": {
      if (dictionary === undefined) throw new Error("a page refers to a dictionary that is not there");
      const width = reader.view.getUint8(reader.offset);
      const indexes = hybrid(slice(reader, reader.offset + 1), width, new Uint32Array(count));
      return Array.from(indexes, (index) => {
        const value: unknown = dictionary[index];
        if (value === undefined) throw new Error("a value lies outside of its dictionary");
        return value;
      });
    }
    case "RLE": {
      if (type !== "BOOLEAN") throw new Error("run-length encoding is for booleans only");
      const size = reader.view.getUint32(reader.offset, true);
      return Array.from(
        hybrid(slice(reader, reader.offset + 4, size), 1, new Uint8Array(count)),
        (bit) => bit === 1,
      );
    }
    case "BYTE_STREAM_SPLIT":
      return byteStreamSplit(reader, count, type, length);
    case "DELTA_BINARY_PACKED": {
      const values = type === "INT32" ? new Int32Array(count) : new BigInt64Array(count);
      deltaBinaryUnpack(reader, count, values);
      return values;
    }
    case "DELTA_LENGTH_BYTE_ARRAY":
      return readLengths(reader, new Int32Array(count), new Int32Array(count), "lengths");
    case "DELTA_BYTE_ARRAY":
      return readLengths(reader, new Int32Array(count), new Int32Array(count), "prefixes");
    default:
      throw new Error(`the encoding ${encoding} is not supported`);
  }
}

/** Byte arrays whose lengths (and, with `prefixes`, whose shares of the value before) come first. */
function readLengths(
  reader: Reader,
  prefixes: Int32Array,
  lengths: Int32Array,
  form: "lengths" | "prefixes",
): Uint8Array[] {
  if (form === "prefixes") deltaBinaryUnpack(reader, prefixes.length, prefixes);
  deltaBinaryUnpack(reader, lengths.length, lengths);
  let before = new Uint8Array();
  return Array.from(lengths, (length, index) => {
    const prefix = prefixes[index] ?? 0;
    const rest = slice(reader, reader.offset, length);
    reader.offset += length;
    if (prefix < 0 || prefix > before.length)
      throw new Error("a value shares more than the value before it has");
    if (prefix === 0) before = rest;
    else {
      const whole = new Uint8Array(prefix + length);
      whole.set(before.subarray(0, prefix));
      whole.set(rest, prefix);
      before = whole;
    }
    return before;
  });
}

function levels(bytes: Uint8Array, levelMax: number, count: number): Uint8Array {
  const decoded = hybrid(bytes, 32 - Math.clz32(levelMax), new Uint8Array(count));
  if (decoded.some((level) => level > levelMax)) throw new Error("a level is higher than the schema allows");
  return decoded;
}

/** Decodes runs and bit-packed groups; both are cut at the number of values that are due. */
function hybrid<T extends Uint8Array | Uint32Array>(bytes: Uint8Array, width: number, output: T): T {
  if (width > 32) throw new Error("a bit width is out of range");
  const count = output.length;
  // Division instead of shifts: 32-bit shifts wrap, and a value may straddle five bytes.
  const limit = 2 ** width;
  let at = 0;
  let done = 0;
  const next = (): number => {
    const byte = bytes[at];
    if (byte === undefined) throw new Error("a run is cut short");
    at += 1;
    return byte;
  };
  while (done < count) {
    let header = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = next();
      header += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
      if (scale > 2 ** 28) throw new Error("a run is too long");
    }
    if (header % 2 === 0) {
      let value = 0;
      for (let scale = 1; scale < limit; scale *= 256) value += next() * scale;
      const end = Math.min(count, done + header / 2);
      if (end === done) throw new Error("a run is empty");
      output.fill(value, done, end);
      done = end;
    } else {
      const end = Math.min(count, done + ((header - 1) / 2) * 8);
      let held = 0;
      let bits = 0;
      if (end === done) throw new Error("a run is empty");
      for (; done < end; done += 1) {
        for (; bits < width; bits += 8) held += next() * 2 ** bits;
        output[done] = held % limit;
        held = Math.floor(held / limit);
        bits -= width;
      }
      // Groups are whole: what is left of the last one is padding.
      at = Math.min(bytes.length, at + Math.floor(bits / 8));
    }
  }
  return output;
}

function presentCount(definition: Uint8Array | undefined, levelMax: number, count: number): number {
  if (definition === undefined) return count;
  let present = 0;
  for (const level of definition) if (level === levelMax) present += 1;
  return present;
}

function inflate(body: Uint8Array, length: number, codec: CompressionCodec): Uint8Array {
  if (codec === "UNCOMPRESSED") return body;
  // Nothing packs to a few bytes that not every codec accepts.
  if (length === 0) return new Uint8Array();
  const inflater = INFLATERS[codec];
  if (inflater === undefined) throw new Error(`the codec ${codec} is not supported`);
  const plain = inflater(body, length);
  if (plain.length !== length) throw new Error("a page unpacks to another size than it says");
  return plain;
}

function readerOf(bytes: Uint8Array): Reader {
  return { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
}

function slice({ view }: Reader, start: number, length = view.byteLength - start): Uint8Array<ArrayBuffer> {
  if (length < 0 || start + length > view.byteLength)
    throw new Error("a value runs past the end of its page");
  // A view that we made lies over an ArrayBuffer, never over a shared one.
  return new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset + start, length);
}
