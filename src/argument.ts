/**
 * How options and arguments are checked, and refused: named, with what would have been right, and never quoted.
 */
import type { z } from "zod";
import { SluiceError } from "./errors.js";

/** `OPTION_INVALID` for an argument that a caller without types handed us. */
export function wrongArgument(field: string, expected: string, value: unknown): SluiceError {
  return new SluiceError("OPTION_INVALID", `The argument ${field} is of the wrong type.`, {
    field,
    expected,
    received: value === null ? "null" : value === "" ? "an empty text" : typeof value,
  });
}

/** Checks options as given by a caller; unknown names, wrong types and values out of range are `OPTION_INVALID`. */
export function checkAgainst(schema: z.ZodType, options: object): void {
  requireObject(options);
  const checked = schema.safeParse(options);
  if (checked.success) return;
  const issue = checked.error.issues[0];
  const path = issue?.path.map(String) ?? [];
  const field = issue?.code === "unrecognized_keys" ? issue.keys.join(", ") : path.join(".");
  throw new SluiceError(
    "OPTION_INVALID",
    `The option ${field} is not valid: ${issue?.message ?? "unknown"}.`,
    {
      field,
      expected: expectedBy(issue?.message) ?? "a documented option",
      received: receivedAt(options, path),
    },
  );
}

/** What a message of zod says was expected, without its preamble. */
function expectedBy(message: string | undefined): string | undefined {
  return message?.replace(/^(?:Invalid \w+|Too \w+): expected /, "").replace(/, received .*$/, "");
}

/** Refuses options that are no object at all, before they are taken apart. */
export function requireObject(options: unknown): void {
  if (typeof options === "object" && options !== null && isPlain(options)) return;
  throw new SluiceError("OPTION_INVALID", "The options must be an object.", {
    field: "options",
    expected: "object",
    received: options === null ? "null" : Array.isArray(options) ? "array" : typeof options,
  });
}

/** Whether an object is a bag of options: lists, maps and dates have none, and would be taken for an empty one. */
function isPlain(options: object): boolean {
  return !Array.isArray(options) && Object.prototype.toString.call(options) === "[object Object]";
}

/** Refuses anything but a text that is not empty. */
export function requireText(field: string, value: unknown): void {
  if (typeof value === "string" && value !== "") return;
  throw new SluiceError("OPTION_INVALID", `The option ${field} must be a text, and not empty.`, {
    field,
    expected: "a text",
    received: value === "" ? "an empty text" : value === null ? "null" : typeof value,
  });
}

/** Refuses anything but a list of texts, and names the first that is none. */
export function requireTexts(texts: unknown): void {
  if (!Array.isArray(texts)) throw wrongArgument("texts", "an array of strings", texts);
  const wrong = (texts as readonly unknown[]).findIndex((text) => typeof text !== "string");
  if (wrong >= 0) throw wrongArgument(`texts.${wrong}`, "string", texts[wrong]);
}

/** Refuses anything but a whole number in a range. */
export function requireWhole(field: string, value: unknown, least: number, most: number): void {
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return;
  throw new SluiceError("OPTION_INVALID", `The option ${field} must be a whole number in range.`, {
    field,
    expected: `a whole number from ${least} to ${most}`,
    received: typeof value === "number" ? String(value) : typeof value,
  });
}

/** What stands at a path of the options: a number or the name of a type, never a text of the caller. */
function receivedAt(options: object, path: readonly string[]): string {
  let value: unknown = options;
  // Whatever is no object answers `undefined` to every key.
  for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key];
  return typeof value === "number" || typeof value === "boolean" ? String(value) : typeof value;
}
