/**
 * A filter as JSON, written from plain data and nothing else.
 *
 * `JSON.stringify` takes a map or a promise for an empty object, which matches everything, and lets `toJSON` say something
 * else than the filter does. So nothing of an object is called here, and what is no plain data is refused.
 */
import { types } from "node:util";
import { SluiceError } from "../errors.js";

/** Levels of JSON that the core reads. */
const LEVELS_MAX = 128;

/**
 * Plain data as JSON. `OPERAND_TYPE` for what JSON has no form for, `FILTER_SHAPE` for objects of a class and for data that
 * holds itself, each with the place in `details.field`. A number that is not finite becomes null, which the core refuses.
 */
export function plainJson(data: unknown): string {
  return written(data, "", []);
}

/** @param above the objects that this value lies in. */
function written(value: unknown, path: string, above: readonly object[]): string {
  if (value === null) return "null";
  if (typeof value === "string" || typeof value === "boolean") return JSON.stringify(value);
  if (typeof value === "number") return Number.isFinite(value) ? JSON.stringify(value) : "null";
  if (typeof value !== "object") {
    throw new SluiceError("OPERAND_TYPE", "The filter holds something that JSON has no form for.", {
      ...at(path),
      expected: "a string, a number, a boolean, a list or an object",
      received: typeof value,
    });
  }
  if (above.includes(value)) throw noPlainData(path, "an object that holds itself");
  if (above.length === LEVELS_MAX) {
    throw new SluiceError("TOO_DEEP", "The filter is too deep.", {
      expected: `at most ${LEVELS_MAX} levels of JSON`,
      received: "more levels",
    });
  }
  const inside = [...above, value];
  if (Array.isArray(value)) {
    // A hole in a list is `undefined`, and refused as such.
    return `[${Array.from<unknown, string>(value, (member, n) => written(member, `${path}[${n}]`, inside)).join(",")}]`;
  }
  requirePlain(value, path);
  const members = Object.entries(value).map(([key, member]: readonly [string, unknown]) => {
    const place = path === "" ? key : `${path}.${key}`;
    if (key === "toJSON" && typeof member === "function") throw noPlainData(place, "a function toJSON");
    return `${JSON.stringify(key)}:${written(member, place, inside)}`;
  });
  return `{${members.join(",")}}`;
}

function requirePlain(value: object, path: string): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw noPlainData(path, kindOf(value));
  // JSON would leave the condition out without a word.
  if (Object.getOwnPropertySymbols(value).length > 0) throw noPlainData(path, "a symbol as a key");
}

function noPlainData(path: string, received: string): SluiceError {
  return new SluiceError("FILTER_SHAPE", "A filter is plain data: objects, lists and scalars.", {
    ...at(path),
    expected: "plain data",
    received,
  });
}

function at(path: string): { readonly field?: string } {
  return path === "" ? {} : { field: path };
}

function kindOf(value: object): string {
  if (types.isMap(value)) return "a Map";
  if (types.isSet(value)) return "a Set";
  if (types.isDate(value)) return "a Date";
  if (types.isRegExp(value)) return "a RegExp";
  return types.isPromise(value) ? "a Promise" : "an object of a class";
}
