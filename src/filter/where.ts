/**
 * A small builder of filters, for those who like to be told by the compiler what comes next. It gives plain filters.
 */
import type { Bound, Filter, Operators, Scalar } from "./filter.js";

/** The conditions that a field can be given. */
export interface FieldConditions {
  readonly eq: (value: Scalar) => Filter;
  readonly ne: (value: Scalar) => Filter;
  readonly in: (values: readonly Scalar[]) => Filter;
  readonly nin: (values: readonly Scalar[]) => Filter;
  readonly gt: (bound: Bound) => Filter;
  readonly gte: (bound: Bound) => Filter;
  readonly lt: (bound: Bound) => Filter;
  readonly lte: (bound: Bound) => Filter;
  readonly contains: (text: string) => Filter;
  readonly icontains: (text: string) => Filter;
  /** The field has a value. */
  readonly exists: () => Filter;
  /** Several operators at once: one value lies between all bounds, as in `is({ gte: 3, lt: 9 })`. */
  readonly is: (operators: Operators) => Filter;
}

/** A condition on a field: `where("page.number").gte(3)`. */
export function where(field: string): FieldConditions {
  const is = (operators: Operators): Filter => ({ [field]: operators });
  return {
    eq: (value) => is({ eq: value }),
    ne: (value) => is({ ne: value }),
    in: (values) => is({ in: values }),
    nin: (values) => is({ nin: values }),
    gt: (bound) => is({ gt: bound }),
    gte: (bound) => is({ gte: bound }),
    lt: (bound) => is({ lt: bound }),
    lte: (bound) => is({ lte: bound }),
    contains: (text) => is({ contains: text }),
    icontains: (text) => is({ icontains: text }),
    exists: () => ({ [field]: "*" }),
    is,
  };
}

/** One filter or more. */
export type Filters = readonly [Filter, ...Filter[]];

/** What all match: `and(where("lang").eq("de"), where("page").gte(3))`. */
export function and(...filters: Filters): Filter {
  return { AND: filters };
}

/** What at least one matches. */
export function or(...filters: Filters): Filter {
  return { OR: filters };
}

/** What none matches. */
export function not(...filters: Filters): Filter {
  return { NOT: filters };
}
