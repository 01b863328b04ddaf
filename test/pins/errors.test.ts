/**
 * The error codes and what they mean at each border. Others match on them: change this table only on purpose.
 */
import { expect, it } from "vitest";
import { ERRORS, SluiceError, type ErrorCode } from "../../src/main.js";

/** Code, exit status, HTTP status, whether trying again can help. */
const PINNED: ReadonlyArray<readonly [ErrorCode, number, number, boolean]> = [
  ["ABORTED", 1, 500, true],
  ["BACKEND_FAILED", 1, 500, false],
  ["BACKEND_UNKNOWN", 2, 422, false],
  ["CLOSED", 2, 422, false],
  ["COLLECTION_MISMATCH", 2, 422, false],
  ["COLLECTION_MISSING", 2, 422, false],
  ["COLLECTION_NAME_INVALID", 2, 422, false],
  ["COLUMN_MISSING", 2, 422, false],
  ["COLUMN_NOT_ORDERED", 2, 422, false],
  ["COLUMN_NOT_TEXT", 2, 422, false],
  ["DIMENSION_MISMATCH", 2, 422, false],
  ["EMBEDDER_FAILED", 1, 500, true],
  ["EMBEDDER_MISMATCH", 2, 422, false],
  ["EMPTY_CONDITION", 2, 422, false],
  ["FIELD_NAME", 2, 422, false],
  ["FILTER_SHAPE", 2, 422, false],
  ["FILTER_TOO_LARGE", 2, 422, false],
  ["INDEX_FILE", 2, 422, false],
  ["INPUT_CHANGED", 1, 500, true],
  ["INPUT_COMPRESSED", 2, 422, false],
  ["INPUT_CSV", 2, 422, false],
  ["INPUT_ENCODING", 2, 422, false],
  ["INPUT_FORMAT", 2, 422, false],
  ["INPUT_JSON", 2, 422, false],
  ["INPUT_NOT_FOUND", 2, 422, false],
  ["INPUT_PARQUET", 2, 422, false],
  ["INPUT_TOO_LARGE", 2, 422, false],
  ["INTERNAL", 1, 500, false],
  ["IO", 1, 500, true],
  ["LOGICAL_LIST", 2, 422, false],
  ["MEMORY_LIMIT", 1, 500, false],
  ["MEMORY_MISSING", 2, 422, false],
  ["MODEL_INVALID", 2, 422, false],
  ["NATIVE_UNAVAILABLE", 1, 500, false],
  ["ONNX_RUNTIME_MISSING", 1, 500, false],
  ["OPERAND_TYPE", 2, 422, false],
  ["OPTION_INVALID", 2, 422, false],
  ["OUTPUT_IN_USE", 2, 422, false],
  ["PARTIAL_WRITE", 1, 500, true],
  ["PAYLOAD_INVALID", 2, 422, false],
  ["POINT_ID_INVALID", 2, 422, false],
  ["POINT_TOO_LARGE", 2, 422, false],
  ["RANGE_MIXED", 2, 422, false],
  ["RANGE_OPERAND", 2, 422, false],
  ["RECORD_INVALID", 2, 422, false],
  ["RERANKER_FAILED", 1, 500, false],
  ["RESULT_STALE", 2, 422, false],
  ["SCOPE_ID_EMPTY", 2, 422, false],
  ["SCOPE_ID_LONG", 2, 422, false],
  ["SCOPE_ID_TYPE", 2, 422, false],
  ["SCOPE_ID_WHITESPACE", 2, 422, false],
  ["SCOPE_ID_WILDCARD", 2, 422, false],
  ["SCOPE_REQUIRED", 2, 422, false],
  ["SCOPE_VIOLATION", 1, 500, false],
  ["STORE_DAMAGED", 1, 500, false],
  ["STORE_EXISTS", 2, 422, false],
  ["STORE_FOREIGN", 2, 422, false],
  ["STORE_FULL", 1, 500, true],
  ["STORE_LOCKED", 1, 500, true],
  ["STORE_READ_ONLY", 2, 422, false],
  ["STORE_REFUSED", 1, 500, false],
  ["STORE_UNREACHABLE", 1, 500, true],
  ["STORE_UNSUPPORTED", 2, 422, false],
  ["STORE_VERSION", 2, 422, false],
  ["THRESHOLD_BELOW_FLOOR", 2, 422, false],
  ["TOO_DEEP", 2, 422, false],
  ["UNKNOWN_OPERATOR", 2, 422, false],
  ["UNSUPPORTED_FILTER", 2, 422, false],
  ["VECTOR_NOT_FINITE", 2, 422, false],
  ["VECTOR_ZERO", 2, 422, false],
];

it("every code keeps its meaning", () => {
  const codes = Object.entries(ERRORS).map(([code, { exit, http, retryable }]) => [
    code,
    exit,
    http,
    retryable,
  ]);
  expect(codes).toEqual(PINNED);
});

it("codes are in alphabetical order, meanings are sentences", () => {
  expect(Object.keys(ERRORS)).toEqual(Object.keys(ERRORS).toSorted());
  for (const { meaning } of Object.values(ERRORS)) expect(meaning).toMatch(/^[A-Z].*\.$/);
});

it("every meaning says what happened and, where that does not say it, what to do", () => {
  // What to do needs no words of its own where what happened is the opposite of it.
  const saysItself = /(?:;|\. |\bsee\b|\bthere is one\b)/;
  const silent = Object.entries(ERRORS).filter(([, { meaning }]) => !saysItself.test(meaning));
  expect(silent.map(([code]) => code)).toEqual([]);
});

it("an error as JSON is code, message, details", () => {
  const error = new SluiceError("VECTOR_ZERO", "A sentence.", { position: 3 });
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    code: "VECTOR_ZERO",
    message: "A sentence.",
    details: { position: 3 },
  });
  expect(error.meaning).toBe(ERRORS.VECTOR_ZERO);
  expect(error.name).toBe("SluiceError");
});
