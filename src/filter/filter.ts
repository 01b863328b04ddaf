/**
 * The filter language: plain data, the same on every store, and as JSON the same on every border.
 *
 * Keys beside each other must all hold. The native core reads it and says what it means (crate `filter`); nothing here
 * interprets a filter. Whatever is not understood is refused, never ignored.
 */

/** What a value can be equal to. Types are strict: `"7"` is not `7`. */
export type Scalar = string | number | boolean;

/** What a range can begin or end with: a number, or a date in ISO form (`2025-01-31`, `2025-01-31T10:00:00+02:00`). */
export type Bound = number | string;

/** Operators of one field, all of which must hold. A value may be one of several: then one of them has to pass. */
export interface Operators {
  /** One value is equal. */
  readonly eq?: Scalar;
  /** No value is equal; an absent field matches. */
  readonly ne?: Scalar;
  /** One value is equal to one of these; of none, nothing matches. At most 1,000. */
  readonly in?: readonly Scalar[];
  /** No value is equal to any of these; an absent field matches. */
  readonly nin?: readonly Scalar[];
  /** Bounds of one range: one value lies between all of them. */
  readonly gt?: Bound;
  readonly gte?: Bound;
  readonly lt?: Bound;
  readonly lte?: Bound;
  /** One value is a text with this text in it. */
  readonly contains?: string;
  /** As `contains`, in any case. */
  readonly icontains?: string;
}

/**
 * What a field has to be: a value (`eq`), a list of values (`in`), operators, or `"*"` for "has a value".
 * The star itself is `{ eq: "*" }`.
 */
export type Condition = Scalar | readonly Scalar[] | Operators;

/** Filters combined; each list has at least one. */
export interface Combinations {
  /** All hold. */
  readonly AND?: readonly Filter[];
  /** One holds. */
  readonly OR?: readonly Filter[];
  /** None holds. */
  readonly NOT?: readonly Filter[];
}

/**
 * A condition over payloads: fields by name, with dots into objects, and combinations of filters. `{}` matches everything.
 *
 * ```ts
 * const filter: Filter = { lang: "de", "page.number": { gte: 3 }, NOT: [{ tags: ["draft", "private"] }] };
 * ```
 */
// The type has to let combinations pass: a list of filters under any other name is refused by the core.
export type Filter = Combinations & Readonly<Record<string, Condition | readonly Filter[]>>;
