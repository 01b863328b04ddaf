/**
 * How options and arguments are checked, and refused: named, with what would have been right, and never quoted.
 */
import { types } from "node:util";
import type { z } from "zod";
import { SluiceError } from "./errors.js";

/** What zod says where it knows nothing better. */
const UNTOLD = "Invalid input";

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
  const { path, field, expected, isUnknown } = refusalOf(checked.error.issues[0]);
  throw new SluiceError(
    "OPTION_INVALID",
    isUnknown ? `There is no option ${field}.` : `The option ${field} is not valid: expected ${expected}.`,
    { field, expected, received: receivedAt(options, path) },
  );
}

/** One refusal of zod in our words. */
interface Refusal {
  readonly path: readonly string[];
  /** The option, or what is inside it. */
  readonly field: string;
  readonly expected: string;
  /** Whether there is no option of that name. */
  readonly isUnknown: boolean;
}

function refusalOf(issue: z.core.$ZodIssue | undefined, above: readonly string[] = []): Refusal {
  const path = [...above, ...(issue?.path.map(String) ?? [])];
  if (issue?.code === "unrecognized_keys") {
    const fields = issue.keys.map((key) => [...path, key].join("."));
    return { path, field: fields.join(", "), expected: "a documented option", isUnknown: true };
  }
  if (issue?.code === "invalid_union" && issue.message === UNTOLD) return refusalOfUnion(issue.errors, path);
  return { path, field: path.join("."), expected: expectedBy(issue?.message), isUnknown: false };
}

/** Of several forms, the one that refused something inside the value knows best what is wrong; else any would be right. */
function refusalOfUnion(forms: ReadonlyArray<readonly z.core.$ZodIssue[]>, path: readonly string[]): Refusal {
  const [nearest] = forms
    .filter(([issue]) => issue !== undefined && (issue.path.length > 0 || issue.code === "unrecognized_keys"))
    .toSorted((a, b) => a.length - b.length);
  if (nearest !== undefined) return refusalOf(nearest[0], path);
  const expected = forms.map(([issue]) => refusalOf(issue, path).expected).join(" or ");
  return { path, field: path.join("."), expected, isUnknown: false };
}

/** What a message of zod says was expected, without its preamble. */
function expectedBy(message = UNTOLD): string {
  if (message === UNTOLD) return "another value";
  return message.replace(/^(?:Invalid \w+|Too \w+): expected /, "").replace(/, received .*$/, "");
}

/** Whether a value is a `Float32Array`, and does not only look like one: an object may be given any prototype. */
export function isFloat32Array(value: unknown): value is Float32Array {
  return types.isFloat32Array(value) && value instanceof Float32Array;
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

/** Refuses anything but one of these names. */
export function requireOneOf(field: string, value: unknown, names: readonly string[]): void {
  if (typeof value === "string" && names.includes(value)) return;
  throw new SluiceError("OPTION_INVALID", `The option ${field} must be one of ${names.join(", ")}.`, {
    field,
    expected: names.join(", "),
    received: value === null ? "null" : typeof value,
  });
}

/** What stands at a path of the options: a number or the name of a type, never a text of the caller. */
function receivedAt(options: object, path: readonly string[]): string {
  let value: unknown = options;
  // Whatever is no object answers `undefined` to every key.
  for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key];
  if (value === null) return "null";
  if (value === "") return "an empty text";
  return typeof value === "number" || typeof value === "boolean" ? String(value) : typeof value;
}
