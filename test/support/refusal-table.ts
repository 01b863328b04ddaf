/**
 * Refusals as a table: a call that must fail, the code, and what its details say. No error may hold the text of a record.
 */
import { expect, it } from "vitest";
import type { ErrorDetails, TextRecord } from "../../src/main.js";
import { SluiceError } from "../../src/main.js";

/** Stands in every text; if it shows up in an error, a record has leaked. */
export const SECRET = "S3CRET-9f2c";

/** Good records. */
export const records = Array.from({ length: 300 }, (_, n) => ({
  text: `${SECRET} number ${n} of the list`,
  n,
}));

/** One row: `details` are those that must be there. */
export interface Bad {
  readonly title: string;
  readonly work: () => unknown;
  readonly code: string;
  readonly details?: ErrorDetails;
}

/** Everything of an error that ends up in a log, its causes but for those of the caller included. */
function printed(error: SluiceError): string {
  return JSON.stringify([error, error.message, error.details, error.stack, String(error)]);
}

/** The failure of a call that must fail with an error of ours. */
export async function failureOf(work: () => unknown): Promise<SluiceError> {
  const error = await Promise.resolve()
    .then(work)
    .then(
      () => new Error("nothing was thrown"),
      (reason: unknown) => reason,
    );
  expect(error).toBeInstanceOf(SluiceError);
  const failure = error as SluiceError;
  expect(printed(failure)).not.toContain(SECRET);
  return failure;
}

/** One test a row. */
export function refuses(cases: readonly Bad[]): void {
  it.each(cases)("$title: $code", async ({ work, code, details = {} }) => {
    const failure = await failureOf(work);
    expect({ code: failure.code, details: failure.details }).toMatchObject({ code, details });
    expect(failure.message).toMatch(/^[A-Z0-9].*\.$/s);
  });
}

/** A list with one bad record at position 150, after good ones. */
export function withBad(bad: unknown): readonly TextRecord[] {
  // What a caller without types may do.
  return [...records.slice(0, 150), bad as TextRecord, ...records.slice(150)];
}
