/**
 * The normal form of a filter: the checked tree that stores translate. Nothing in it is left to interpret.
 */
import { SluiceError } from "../errors.js";
import { callNative } from "../native.js";
import type { Filter, Scalar } from "./filter.js";

/** The lower and the upper bound of a range; at least one is there. */
export interface Range<T> {
  readonly gt?: T;
  readonly gte?: T;
  readonly lt?: T;
  readonly lte?: T;
}

/** A test that one value of a field has to pass. */
export type FilterLeaf =
  | { readonly field: string; readonly eq: Scalar }
  /** Two or more values. */
  | { readonly field: string; readonly in: readonly Scalar[] }
  | { readonly field: string; readonly range: Range<number> }
  /** Times in RFC 3339, in UTC. */
  | { readonly field: string; readonly instants: Range<string> }
  | { readonly field: string; readonly exists: true }
  | { readonly field: string; readonly contains: string }
  /** In lower case already, character by character; the values have to be lower-cased alike. */
  | { readonly field: string; readonly icontains: string };

/** A checked filter. Everything is `{ all: [] }`, nothing `{ any: [] }`; neither occurs further down. */
export type FilterTree =
  | { readonly all: readonly FilterTree[] }
  | { readonly any: readonly FilterTree[] }
  | { readonly none: readonly FilterTree[] }
  | FilterLeaf;

/**
 * The normal form of a filter; takes microseconds. A filter that is not understood is an error with the place in
 * `details.field`, such as `AND[1].priority`.
 */
export function normalForm(filter: Filter): FilterTree {
  const json = filterJson(filter);
  // The core writes what the type says; `test/filter` reads every kind of leaf.
  return JSON.parse(callNative((core) => core.filterNormalForm(json))) as FilterTree;
}

/** A filter as JSON. What JSON would leave out without a word, such as `undefined`, is `OPERAND_TYPE`. */
export function filterJson(filter: Filter): string {
  try {
    return JSON.stringify(filter, refuseUnwritable);
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause;
    throw new SluiceError(
      "FILTER_SHAPE",
      "The filter cannot be written as JSON.",
      { expected: "plain data", received: "an object that holds itself, or one with a failing toJSON" },
      { cause },
    );
  }
}

function refuseUnwritable(key: string, value: unknown): unknown {
  if (!["undefined", "function", "symbol", "bigint"].includes(typeof value)) return value;
  throw new SluiceError("OPERAND_TYPE", "The filter holds something that JSON has no form for.", {
    ...(key !== "" && { field: key }),
    expected: "a string, a number, a boolean, a list or an object",
    received: typeof value,
  });
}
