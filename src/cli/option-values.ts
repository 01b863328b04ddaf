/**
 * Reads the values of options, strictly: `0.9x`, an empty text and a number out of range are refused by name.
 */
import { SluiceError } from "../errors.js";

/** A range of numbers, ends included. */
interface NumberRange {
  readonly least: number;
  readonly most: number;
}

/** `OPTION_INVALID`, naming the option, what would have been right and what came. */
export function invalidOption(option: string, expected: string, received: string): SluiceError {
  return new SluiceError("OPTION_INVALID", `The option ${option} is not valid.`, {
    field: option,
    expected,
    received: JSON.stringify(received),
  });
}

/** A decimal number within a range. */
export function readNumber(option: string, text: string, { least, most }: NumberRange): number {
  const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
  // Written so that NaN is refused.
  if (value >= least && value <= most) return value;
  throw invalidOption(option, `a number from ${least} to ${most}`, text);
}

/** A whole number within a range. */
export function readInteger(option: string, text: string, { least, most }: NumberRange): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw invalidOption(option, `a whole number from ${least} to ${most}`, text);
}

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  "b": 1,
  "kb": 1e3,
  "mb": 1e6,
  "gb": 1e9,
  "tb": 1e12,
  "kib": 2 ** 10,
  "mib": 2 ** 20,
  "gib": 2 ** 30,
  "tib": 2 ** 40,
};

/** A size such as `2GiB`, `500MB`, `1.5 GiB` or plain bytes. */
export function readBytes(option: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text);
  const unit = UNITS[match?.[2]?.toLowerCase() ?? "?"];
  const bytes = Math.floor(Number(match?.[1]) * (unit ?? Number.NaN));
  if (bytes >= 1 && Number.isSafeInteger(bytes)) return bytes;
  throw invalidOption(option, "a size such as 2GiB, 500MB or 1073741824", text);
}

/** One of a few words. */
export function readChoice<T extends string>(option: string, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  throw invalidOption(option, `one of ${choices.join(", ")}`, text);
}

/** A list of names between commas; none may be empty or come twice. */
export function readList(option: string, text: string): string[] {
  const names = text.split(",");
  if (names.every((name) => name !== "") && new Set(names).size === names.length) return names;
  throw invalidOption(option, "names between commas, each once", text);
}

/** An object with one property when the flag was given, with none otherwise. */
export function given<K extends string, V>(
  key: K,
  text: string | undefined,
  read: (text: string) => V,
): Partial<Record<K, V>> {
  // A computed key widens to `{ [x: string]: V }`.
  return text === undefined ? {} : ({ [key]: read(text) } as Record<K, V>);
}

/** A name; an empty one is refused. */
export function nonEmpty(option: string, text: string): string {
  if (text === "") throw invalidOption(option, "a name", text);
  return text;
}

/** A JSON value of the kind that the option takes. */
export function readJson<T>(
  option: string,
  text: string,
  expected: string,
  is: (value: unknown) => value is T,
): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidOption(option, expected, text);
  }
  if (is(value)) return value;
  throw invalidOption(option, expected, text);
}

/** Whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a list of numbers. */
export function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => typeof item === "number");
}
