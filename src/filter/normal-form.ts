/**
 * The normal form of a filter: the checked tree that stores translate. Nothing in it is left to interpret.
 */
import { SluiceError } from "../errors.js";
import { callNative } from "../native.js";
import type { Filter, Scalar } from "./filter.js";
import { plainJson } from "./plain-json.js";

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

/** A copy of a filter that was checked: what a caller does to its own later changes nothing. Errors as of `normalForm`. */
export function checkedFilter(filter: Filter): Filter {
  const json = filterJson(filter);
  callNative((core) => core.filterNormalForm(json));
  // The core has read it as a filter.
  return JSON.parse(json) as Filter;
}

/** A filter as JSON; it is plain data, or it is refused. */
export function filterJson(filter: Filter): string {
  try {
    return plainJson(filter);
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause;
    throw new SluiceError(
      "FILTER_SHAPE",
      "The filter cannot be read.",
      { expected: "plain data", received: "an object that throws when it is read" },
      { cause },
    );
  }
}
