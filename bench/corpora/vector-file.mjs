/**
 * A file of vectors with the right answers: what every contender of an index row reads. The twin for Python is
 * `peers/vector_file.py`.
 *
 * The first line is JSON, filled up with spaces to a multiple of 64 bytes: `rows`, `queries`, `dimension`, `k`, `filters`. Then
 * little-endian numbers without gaps: f32 rows, f32 queries, and for each filter, in order, f64 scores of the k nearest rows of
 * each query, the best first, NaN where fewer match.
 *
 * A filter is `{percent, lots}`: row `position` belongs to the lot `position % LOTS`, and the rows of the first `lots` lots match.
 */
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";

/** Lots that the rows are spread over: the smallest filter leaves one row of so many. */
export const LOTS = 10_000;
const ALIGNMENT = 64;

/** @typedef {{percent: number, lots: number}} LotFilter */
/** @typedef {{rows: number, queries: number, dimension: number, k: number, filters: LotFilter[]}} VectorHeader */
/**
 * @typedef {object} VectorFile
 * @property {VectorHeader} header
 * @property {Float32Array} rows
 * @property {Float32Array} queries
 * @property {Float64Array[]} truths a filter each: the scores of the k nearest of each query
 */

/**
 * The parts of a file, in the order in which they are written.
 * @param {VectorFile} file
 * @returns {Buffer[]}
 */
export function vectorFileParts({ header, rows, queries, truths }) {
  const line = JSON.stringify(header);
  const length = Math.ceil((line.length + 1) / ALIGNMENT) * ALIGNMENT;
  return [Buffer.from(`${line.padEnd(length - 1)}\n`), ...[rows, queries, ...truths].map(bytesOf)];
}

/**
 * Reads a file of vectors.
 * @param {string} path
 * @returns {VectorFile}
 */
export function readVectorFile(path) {
  const bytes = readFileSync(path);
  const headerEnd = bytes.indexOf("\n") + 1;
  /** @type {VectorHeader} */
  const header = JSON.parse(bytes.toString("utf8", 0, headerEnd));
  // A copy of its own memory, so that the numbers are aligned and the file's bytes can go.
  const { buffer } = new Uint8Array(bytes.subarray(headerEnd));
  const rows = new Float32Array(buffer, 0, header.rows * header.dimension);
  const queries = new Float32Array(buffer, rows.byteLength, header.queries * header.dimension);
  const scores = header.queries * header.k;
  const truths = header.filters.map(
    (_, at) =>
      new Float64Array(buffer, rows.byteLength + queries.byteLength + at * scores * 8, scores),
  );
  return { header, rows, queries, truths };
}

/** @param {Float32Array | Float64Array} numbers */
function bytesOf(numbers) {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
