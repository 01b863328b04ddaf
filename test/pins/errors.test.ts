/**
 * The error codes and what they mean at each border. Others match on them: change this table only on purpose.
 */
import { expect, it } from "vitest";
import { ERRORS, SluiceError, type ErrorCode } from "../../src/main.js";

/** Code, exit status, HTTP status, whether trying again can help. */
const PINNED: ReadonlyArray<readonly [ErrorCode, number, number, boolean]> = [
  ["ABORTED", 1, 500, true],
  ["CLOSED", 2, 422, false],
  ["COLUMN_MISSING", 2, 422, false],
  ["COLUMN_NOT_ORDERED", 2, 422, false],
  ["COLUMN_NOT_TEXT", 2, 422, false],
  ["DIMENSION_MISMATCH", 2, 422, false],
  ["EMBEDDER_FAILED", 1, 500, true],
  ["EMBEDDER_MISMATCH", 2, 422, false],
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
  ["MEMORY_LIMIT", 1, 500, false],
  ["MODEL_INVALID", 2, 422, false],
  ["NATIVE_UNAVAILABLE", 1, 500, false],
  ["OPTION_INVALID", 2, 422, false],
  ["OUTPUT_IN_USE", 2, 422, false],
  ["RECORD_INVALID", 2, 422, false],
  ["RESULT_STALE", 2, 422, false],
  ["THRESHOLD_BELOW_FLOOR", 2, 422, false],
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
