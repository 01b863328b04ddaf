/**
 * From a line of the input to what is stored of it.
 */
import { SluiceError, type ErrorCode } from "../errors.js";
import { callNative } from "../native.js";
import type { Payload, PointId } from "../stores/vector-store.js";
import { INGEST_DEFAULTS, type IngestTask } from "./ingest-flags.js";
import type { InputLine, LinePlace } from "./ingest-lines.js";
import { isJsonObject, isNumbers } from "./option-values.js";

/** A record on its way to becoming a point. */
export interface IngestRecord {
  readonly id: PointId;
  readonly text: string | undefined;
  readonly vector: readonly number[] | undefined;
  readonly payload: Payload;
  /** Fields of the line that are not stored. */
  readonly ignored: readonly string[];
  readonly end: LinePlace;
}

/** Reads a line; undefined for a blank one. What is wrong with it names its number, never its text. */
export function readRecord(
  { text: line, end }: InputLine,
  task: IngestTask,
  name: string,
): IngestRecord | undefined {
  if (line.trim() === "") return undefined;
  const fail = (
    code: ErrorCode,
    message: string,
    details: { field?: string; expected: string },
  ): SluiceError => new SluiceError(code, message, { path: name, line: end.lines, ...details });
  let object: unknown;
  try {
    object = JSON.parse(line);
  } catch {
    // The message of the parser would quote the line.
  }
  if (!isJsonObject(object))
    throw fail("INPUT_JSON", "A line is not one JSON object.", { expected: "a JSON object" });
  const idField = task.id ?? INGEST_DEFAULTS.id;
  // Those who write records say `null` for what is not there.
  const { [task.text]: text, [idField]: given, vector, payload = {}, ...others } = object;
  const id = given ?? undefined;
  if (text !== undefined && typeof text !== "string") {
    throw fail("COLUMN_NOT_TEXT", "The text of a record is no text.", { field: task.text, expected: "text" });
  }
  if (vector !== undefined && !isNumbers(vector)) {
    throw fail("RECORD_INVALID", "The vector of a record is no list of numbers.", {
      field: "vector",
      expected: "numbers",
    });
  }
  if (!isJsonObject(payload)) {
    throw fail("PAYLOAD_INVALID", "The payload of a record is no JSON object.", {
      field: "payload",
      expected: "a JSON object",
    });
  }
  if (text === undefined && (vector === undefined || id === undefined)) {
    throw fail("COLUMN_MISSING", "A record has no text.", {
      field: task.text,
      expected: "a text, or a vector and an id",
    });
  }
  if (id === undefined && task.id !== undefined) {
    throw fail("COLUMN_MISSING", "A record has no id.", { field: idField, expected: "a text or a number" });
  }
  if (id !== undefined && typeof id !== "string" && typeof id !== "number") {
    throw fail("POINT_ID_INVALID", "The id of a record is neither a text nor a number.", {
      field: idField,
      expected: "a text or a number",
    });
  }
  return {
    id: id ?? callNative((core) => core.contentPointId(task.collection, text ?? "")),
    text,
    vector,
    payload,
    ignored: Object.keys(others),
    end,
  };
}
