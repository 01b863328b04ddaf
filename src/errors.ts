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
  ABORTED: failure("The caller aborted the work; nothing was written.", true),
  CLOSED: input("The object was closed; make a new one."),
  COLUMN_MISSING: input(
    "A record lacks a chosen column; choose another with `columns` or repair the record.",
  ),
  COLUMN_NOT_ORDERED: input(
    "The field of `keep` holds something that is neither a number nor a date; convert it or choose another.",
  ),
  COLUMN_NOT_TEXT: input("A chosen column holds something other than text; convert it before deduplicating."),
  DIMENSION_MISMATCH: input(
    "A vector has another dimension than its collection; embed with the same embedder.",
  ),
  EMBEDDER_FAILED: failure(
    "The embedder threw or gave back another number of vectors than it was given texts.",
    true,
  ),
  EMBEDDER_MISMATCH: input(
    "Vectors of two embedders cannot be compared; embed both sides with the same one.",
  ),
  INPUT_CHANGED: failure("The input file changed while it was read; run again on a file that rests.", true),
  INPUT_COMPRESSED: input("The compressed input is cut short or damaged; fetch it again."),
  INPUT_CSV: input("The CSV is malformed or has no header; see the line."),
  INPUT_ENCODING: input("The input is not valid UTF-8; convert it."),
  INPUT_FORMAT: input("The format of the input is unknown; name it with `format`."),
  INPUT_JSON: input("A line is not one valid JSON object; see the line."),
  INPUT_NOT_FOUND: input(
    "The input does not exist, is not a regular file, or may not be read; check the path.",
  ),
  INPUT_PARQUET: input("The Parquet file is damaged, cut short or uses an unsupported feature."),
  INPUT_TOO_LARGE: input("A record, a text or the number of records is beyond the limit."),
  INTERNAL: failure("A defect in Sluice; please report it with the code and the message.", false),
  IO: failure("Reading or writing failed; see the cause.", true),
  MEMORY_LIMIT: failure("The work would exceed `memoryBytes`; raise it or split the input.", false),
  MODEL_INVALID: input("The model folder is missing a file, damaged, or of an unsupported kind."),
  NATIVE_UNAVAILABLE: failure(
    "The native core could not be loaded for this platform; see `sluice doctor`.",
    false,
  ),
  OPTION_INVALID: input("An option is unknown, out of range or of the wrong type."),
  OUTPUT_IN_USE: input("Two outputs, or an output and the input, are the same file."),
  RECORD_INVALID: input("A record is neither text nor an object."),
  RESULT_STALE: input("The reference has grown since the result was made; deduplicate again."),
  THRESHOLD_BELOW_FLOOR: input(
    "The threshold lies below the floor the result was made with; run again with a lower floor.",
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
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
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
