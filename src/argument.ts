/**
 * How an argument of a wrong type is refused: named, with what would have been right, and never quoted.
 */
import { SluiceError } from "./errors.js";

/** `OPTION_INVALID` for an argument that a caller without types handed us. */
export function wrongArgument(field: string, expected: string, value: unknown): SluiceError {
  return new SluiceError("OPTION_INVALID", `The argument ${field} is of the wrong type.`, {
    field,
    expected,
    received: value === null ? "null" : value === "" ? "an empty text" : typeof value,
  });
}
