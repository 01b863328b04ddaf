/**
 * What must not compile about filters and scopes, checked by `tsc`: each `@ts-expect-error` fails the build when the line
 * below it becomes legal.
 */
import { expectTypeOf } from "vitest";
import type { Filter } from "../../src/filter/filter.js";
import type { EntityScope } from "../../src/filter/scope.js";
import { and, not, where } from "../../src/filter/where.js";

/** Never called: only its types count. */
export function filters(): readonly Filter[] {
  expectTypeOf(where("a").gte(3)).toEqualTypeOf<Filter>();
  expectTypeOf(and({ a: 1 }, not({ b: [1, "x", true] }))).toEqualTypeOf<Filter>();
  return [
    {},
    { "a": "*", "b.c": { gte: "2025-01-01", ne: 4 }, "OR": [{ d: true }, { NOT: [{ e: [] }] }] },
    // @ts-expect-error null is no value
    { a: null },
    // @ts-expect-error undefined would be left out of JSON
    { a: undefined },
    // @ts-expect-error an unknown operator
    { a: { between: 3 } },
    // @ts-expect-error an operator of another language
    { a: { $gte: 3 } },
    // @ts-expect-error a truth value is no bound
    { a: { gte: true } },
    // @ts-expect-error one value is no list
    { a: { in: "x" } },
    // @ts-expect-error a number is in no text
    { a: { contains: 5 } },
    // @ts-expect-error a date is written in ISO form
    { a: { gte: new Date() } },
    // @ts-expect-error combinations are lists
    { AND: { a: 1 } },
    // @ts-expect-error of filters
    { OR: ["a"] },
    // @ts-expect-error and of one at least
    and(),
    // @ts-expect-error a field is compared with something
    where("a").eq(),
    // @ts-expect-error and not with an object
    where("a").eq({ b: 1 }),
  ];
}

/** Never called: only its types count. */
export function scopes(): readonly EntityScope[] {
  return [
    { userId: "a" },
    { agentId: 7, runId: "r" },
    // @ts-expect-error a scope names somebody
    {},
    // @ts-expect-error nobody is not somebody
    { userId: undefined },
    // @ts-expect-error a misspelt key
    { userID: "a" },
    // @ts-expect-error a scope names one user
    { userId: ["a", "b"] },
    // @ts-expect-error an id is no truth value
    { userId: true },
  ];
}
