/**
 * The one error class, and the one table of codes.
 *
 * Every failure that a caller can meet has a stable code here, with what it means for a command line (exit status) and
 * for a server (HTTP status), and whether trying again can help. Types, documentation (`docs/errors.md`) and tests are
 * made from this table. An error carries positions, fields and kinds; never the text of a record.
 */

/** What a code means at each border. */
export interface ErrorMeaning {
  /** One sentence: what happened and what to do. */
  readonly meaning: string;
  /** Exit status of the command line: 1 the work failed, 2 wrong usage or wrong input. */
  readonly exit: 1 | 2;
  /** HTTP status at the REST door. */
  readonly http: number;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
}

const input = (meaning: string): ErrorMeaning => ({ meaning, exit: 2, http: 422, retryable: false });
const failure = (meaning: string, retryable: boolean): ErrorMeaning => ({
  meaning,
  exit: 1,
  http: 500,
  retryable,
});

/** Every code, in alphabetical order. Changed only on purpose: `test/pins` holds a copy. */
export const ERRORS = {
  ABORTED: failure(
    "The caller aborted the work; run it again. Files are untouched, acknowledged batches of a store stay.",
    true,
  ),
  BACKEND_FAILED: failure(
    "A registered index backend threw or answered outside its contract; run the conformance suite of `sluice/testing` on it.",
    false,
  ),
  BACKEND_UNKNOWN: input("There is no index backend of that name; the error lists those there are."),
  CLOSED: input("The object was closed; make a new one."),
  COLLECTION_MISMATCH: input(
    "The collection is there with another dimension, metric, embedder or index; choose another name.",
  ),
  COLLECTION_MISSING: input("There is no collection of that name; make it with `ensureCollection`."),
  COLLECTION_NAME_INVALID: input(
    "A collection name has 1 to 128 letters, digits, `_`, `.` and `-`, and begins with no dot or dash; choose such a name.",
  ),
  COLUMN_MISSING: input(
    "A record or a header lacks a chosen column; choose another with `columns`, `id` or `keep`, or repair the record.",
  ),
  COLUMN_NOT_ORDERED: input(
    "The field of `keep` holds something that is neither a number nor a date; convert it or choose another.",
  ),
  COLUMN_NOT_TEXT: input("A chosen column holds something other than text; convert it before deduplicating."),
  DIMENSION_MISMATCH: input(
    "Vectors have another dimension than those they are compared with or stored beside, or are not one a record; embed with the same embedder and give one row a record.",
  ),
  EMBEDDER_FAILED: failure(
    "The embedder threw or gave back another number of vectors than it was given texts; see the cause, and its interface.",
    true,
  ),
  EMBEDDER_MISMATCH: input(
    "Vectors of two embedders cannot be compared; embed both sides with the same one.",
  ),
  EMPTY_CONDITION: input("A field of the filter has no operator; give it a value or an operator."),
  FIELD_NAME: input(
    "A field of the filter has no usable name; names are letters, digits, `_` and `-`, with dots between.",
  ),
  FILTER_SHAPE: input("The filter, or a part of it, is not a plain object with conditions; see the field."),
  FILTER_TOO_LARGE: input("The filter has more text, conditions or values than the limit; see the field."),
  INDEX_FILE: input("The file is no index, of another version, cut short or damaged; build the index again."),
  INPUT_CHANGED: failure("The input file changed while it was read; run again on a file that rests.", true),
  INPUT_COMPRESSED: input("The compressed input is cut short or damaged; fetch it again."),
  INPUT_CSV: input("The CSV is malformed or has no header; see the line."),
  INPUT_ENCODING: input("The input is not valid UTF-8; convert it."),
  INPUT_FORMAT: input("The format of the input is unknown; name it with `format`."),
  INPUT_JSON: input("A line is not one valid JSON object; see the line."),
  INPUT_NOT_FOUND: input(
    "The input does not exist, is not a regular file, or may not be read; check the path.",
  ),
  INPUT_PARQUET: input(
    "The Parquet file is damaged, cut short or uses an unsupported feature; write it anew, or as JSON lines.",
  ),
  INPUT_TOO_LARGE: input("A record, a text or the number of records is beyond the limit; split it."),
  INTERNAL: failure("A defect in Sluice; please report it with the code and the message.", false),
  IO: failure("Reading or writing failed; see the cause.", true),
  LOGICAL_LIST: input(
    "A combination, `AND`, `OR` or `NOT`, does not hold a list of one or more filters; give it one.",
  ),
  MEMORY_LIMIT: failure("The work would exceed `memoryBytes`; raise it or split the input.", false),
  MEMORY_MISSING: input(
    "The scope has no memory of that id, or it has expired; look for it with `search` or `history`.",
  ),
  MODEL_INVALID: input(
    "The model folder is missing a file, damaged, or of an unsupported kind; see the message, and fetch the model again.",
  ),
  NATIVE_UNAVAILABLE: failure(
    "The native core could not be loaded for this platform; see `sluice doctor`.",
    false,
  ),
  ONNX_RUNTIME_MISSING: failure(
    "The optional package `onnxruntime-node` is not installed, or has no binary for this platform; install it.",
    false,
  ),
  OPERAND_TYPE: input("An operator of the filter does not take an operand of that type; see the field."),
  OPTION_INVALID: input("An option is unknown, out of range or of the wrong type; see what was expected."),
  OUTPUT_IN_USE: input("Two outputs, or an output and the input, are the same file; choose another name."),
  PARTIAL_WRITE: failure(
    "Some points were not written; the report lists them. Write the same points again.",
    true,
  ),
  PAYLOAD_INVALID: input(
    "A payload is no JSON object, too large, too deep, or holds a reserved key; see the field, and change it.",
  ),
  POINT_ID_INVALID: input("The id of a point is neither a whole number below 2^53 nor a text; make it one."),
  POINT_TOO_LARGE: input(
    "A point is larger than a request of the store may be; shorten its payload or text.",
  ),
  RANGE_MIXED: input("The bounds of one range are a number and a date; use one kind."),
  RANGE_OPERAND: input("The bound of a range is neither a number nor an ISO date; write it as one."),
  RECORD_INVALID: input(
    "A record is neither text nor an object, or holds what no filter could read; see the position.",
  ),
  RERANKER_FAILED: failure(
    "The graph of a cross-encoder failed on texts that it should take; see the message, and try another graph of the model.",
    false,
  ),
  RESULT_STALE: input("The reference has grown since the result was made; deduplicate again."),
  SCOPE_ID_EMPTY: input("An id of the scope is blank; name the user, agent or run, or leave the id out."),
  SCOPE_ID_LONG: input("An id of the scope is longer than 256 characters; use a hash of it."),
  SCOPE_ID_TYPE: input(
    "An id of the scope is neither a text nor a whole number; give one, or leave the id out.",
  ),
  SCOPE_ID_WHITESPACE: input("An id of the scope has a blank or a control character inside; replace it."),
  SCOPE_ID_WILDCARD: input("An id of the scope has a `*` in it; a scope names one user, agent or run."),
  SCOPE_REQUIRED: input("No scope was given; name a user, an agent or a run at the top of the filter."),
  SCOPE_VIOLATION: failure(
    "The store gave back what lies outside of the scope; trust none of its answers.",
    false,
  ),
  STORE_DAMAGED: failure("The store file is damaged or cut short; restore a snapshot.", false),
  STORE_EXISTS: input("There is a file of that name already; a snapshot overwrites nothing."),
  STORE_FOREIGN: input("The file is not a Sluice store; it was left as it was."),
  STORE_FULL: failure(
    "No space is left for the store; nothing of the batch was written. Make room and do it again.",
    true,
  ),
  STORE_LOCKED: failure(
    "The store has a writer already, here or in another process; read it with `?access=read`, or close the other.",
    true,
  ),
  STORE_READ_ONLY: input(
    "The store was opened for reading, or its file or folder cannot be written to; open it for writing, or check the permissions.",
  ),
  STORE_REFUSED: failure("The store refused the request or the key; see the message.", false),
  STORE_UNREACHABLE: failure("The store did not answer, or cannot answer now; try again later.", true),
  STORE_UNSUPPORTED: input("This kind of store cannot do that; use another store."),
  STORE_VERSION: input("The store file was written by another version of Sluice; use that version."),
  THRESHOLD_BELOW_FLOOR: input(
    "The threshold lies below the floor the result was made with; run again with a lower floor.",
  ),
  TOO_DEEP: input("The filter has lists within lists beyond the limit; write it flatter."),
  UNKNOWN_OPERATOR: input("The filter has an operator that does not exist; the error lists those there are."),
  UNSUPPORTED_FILTER: input(
    "The store cannot evaluate a condition of the filter; declare the field or change the filter.",
  ),
  VECTOR_NOT_FINITE: input("A vector holds NaN or infinity; see the position."),
  VECTOR_ZERO: input("A vector is all zeros and has no direction; leave the record out or embed it again."),
} as const satisfies Record<string, ErrorMeaning>;

/** A stable error code. */
export type ErrorCode = keyof typeof ERRORS;

/** What the error is about; only what applies is present. */
export interface ErrorDetails {
  /** 0-based position of the record. */
  readonly position?: number;
  /** 1-based line of the input file. */
  readonly line?: number;
  /** Byte within the line, from 0. */
  readonly byte?: number;
  /** Column of the record, or name of the option. */
  readonly field?: string;
  /** What would have been right. */
  readonly expected?: string;
  /** What came: a type, a number or a size, never the text of a record. */
  readonly received?: string;
  /** Path of the file it happened on. */
  readonly path?: string;
}

/** The one error of Sluice. `code` is stable, `message` is for people. Example: `examples/from-a-file/`. */
export class SluiceError extends Error {
  override readonly name = "SluiceError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  /** @param code stable code; @param message a full sentence; @param details what it is about. */
  constructor(
    code: ErrorCode,
    message: string,
    details: ErrorDetails = {},
    // Not `ErrorOptions`: TypeScript has no such name for a target before ES2022.
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
  }

  /** Exit status, HTTP status and whether trying again can help. */
  get meaning(): ErrorMeaning {
    return ERRORS[this.code];
  }

  /** Plain data for a report, a log or a reply. */
  toJSON(): { code: ErrorCode; message: string; details: ErrorDetails } {
    return { code: this.code, message: this.message, details: this.details };
  }
}

/** Whether a string is one of our codes. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
