/**
 * Filters from TypeScript: what the core makes of them, what the builder gives, and what is refused. What a filter means is
 * tested where it is defined: `crates/filter/tests`.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Filter } from "../../src/filter/filter.js";
import { filterJson, normalForm } from "../../src/filter/normal-form.js";
import type { FilterTree } from "../../src/filter/normal-form.js";
import { and, not, or, where } from "../../src/filter/where.js";
import { failureOf } from "../support/refusal-table.js";

/** A caller without types. */
const untyped = (filter: unknown): Filter => filter as Filter;

describe("normal form", () => {
  it.each<[string, Filter, FilterTree]>([
    ["everything", {}, { all: [] }],
    ["nothing", { a: { in: [] } }, { any: [] }],
    ["equal", { a: 9 }, { field: "a", eq: 9 }],
    ["one of", { "a.b": ["x", 1, true] }, { field: "a.b", in: ["x", 1, true] }],
    ["range", { a: { gt: 1.5, lte: 3 } }, { field: "a", range: { gt: 1.5, lte: 3 } }],
    ["instants", { a: { gte: "2025-01-01" } }, { field: "a", instants: { gte: "2025-01-01T00:00:00Z" } }],
    ["exists", { a: "*" }, { field: "a", exists: true }],
    ["contains", { a: { contains: "Ü" } }, { field: "a", contains: "Ü" }],
    ["icontains", { a: { icontains: "Ü" } }, { field: "a", icontains: "ü" }],
    ["not equal", { a: { ne: 0 } }, { none: [{ field: "a", eq: 0 }] }],
    [
      "combined",
      { a: 1, OR: [{ b: 2 }, { c: 3 }] },
      {
        all: [
          { field: "a", eq: 1 },
          {
            any: [
              { field: "b", eq: 2 },
              { field: "c", eq: 3 },
            ],
          },
        ],
      },
    ],
  ])("%s", (_title, filter, tree) => {
    expect(normalForm(filter)).toEqual(tree);
  });

  it("keeps every number and every text to the bit", () => {
    const scalar = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      fc.string({ unit: "grapheme" }),
      fc.boolean(),
    );
    fc.assert(
      fc.property(scalar, (value) => {
        expect(normalForm({ a: { eq: value } })).toEqual({ field: "a", eq: value });
      }),
    );
  });

  it("leaves the caller's filter as it is", () => {
    const filter = { user_id: " a ", AND: [{ b: [1, 1] }] };
    const before = structuredClone(filter);
    normalForm(filter);
    expect(filter).toEqual(before);
  });
});

describe("builder", () => {
  it.each<[string, Filter, Filter]>([
    ["eq", where("a").eq("*"), { a: { eq: "*" } }],
    ["ne", where("a").ne(1), { a: { ne: 1 } }],
    ["in", where("a").in([1, "x"]), { a: { in: [1, "x"] } }],
    ["nin", where("a").nin([1, 2]), { a: { nin: [1, 2] } }],
    ["gt", where("a").gt(1), { a: { gt: 1 } }],
    ["gte", where("a").gte("2025-01-01"), { a: { gte: "2025-01-01" } }],
    ["lt", where("a").lt(1), { a: { lt: 1 } }],
    ["lte", where("a").lte(1), { a: { lte: 1 } }],
    ["contains", where("a").contains("x"), { a: { contains: "x" } }],
    ["icontains", where("a").icontains("x"), { a: { icontains: "x" } }],
    ["exists", where("a").exists(), { a: "*" }],
    ["is", where("a").is({ gte: 1, lt: 9, ne: 4 }), { a: { gte: 1, lt: 9, ne: 4 } }],
    ["and", and({ a: 1 }, where("b").gt(2)), { AND: [{ a: 1 }, { b: { gt: 2 } }] }],
    ["or", or({ a: 1 }), { OR: [{ a: 1 }] }],
    ["not", not({ a: 1 }, { b: 2 }), { NOT: [{ a: 1 }, { b: 2 }] }],
  ])("%s gives a plain filter that the core reads", (_name, built, plain) => {
    expect(built).toEqual(plain);
    expect(() => normalForm(built)).not.toThrow();
  });
});

describe("refusals", () => {
  const holdsItself: Record<string, unknown> = {};
  holdsItself["AND"] = [holdsItself];

  class Own {
    readonly #lang = "de";
    get lang(): string {
      return this.#lang;
    }
  }

  it.each<[string, unknown, string, string | undefined]>([
    ["a list", ["a"], "FILTER_SHAPE", undefined],
    ["an empty object in a list", { OR: [{}] }, "FILTER_SHAPE", "OR[0]"],
    ["a filter that holds itself", holdsItself, "FILTER_SHAPE", undefined],
    ["a map, which JSON takes for no condition", new Map([["a", 1]]), "FILTER_SHAPE", undefined],
    ["a set", new Set(["a"]), "FILTER_SHAPE", undefined],
    ["a promise of a filter", Promise.resolve({ a: 1 }), "FILTER_SHAPE", undefined],
    ["a pattern", /a/, "FILTER_SHAPE", undefined],
    ["a date", new Date(0), "FILTER_SHAPE", undefined],
    ["a date further down", { AND: [{ a: { gt: new Date(0) } }] }, "FILTER_SHAPE", "AND[0].a.gt"],
    ["an object of a class", new Own(), "FILTER_SHAPE", undefined],
    ["a URL", new URL("file:///a"), "FILTER_SHAPE", undefined],
    ["a map of operators", { a: new Map([["eq", 1]]) }, "FILTER_SHAPE", "a"],
    ["a boxed text", { a: Object("x") as unknown }, "FILTER_SHAPE", "a"],
    ["a condition under a symbol", { [Symbol("a")]: 1 }, "FILTER_SHAPE", undefined],
    ["a filter that says something else as JSON", { a: 1, toJSON: () => ({}) }, "FILTER_SHAPE", "toJSON"],
    ["a condition that does", { a: { eq: 1, toJSON: () => 2 } }, "FILTER_SHAPE", "a.toJSON"],
    [
      "a filter that throws when it is read",
      Object.defineProperty({}, "a", { enumerable: true, get: () => expect.fail("read") }),
      "FILTER_SHAPE",
      undefined,
    ],
    ["a thousand levels", JSON.parse('{"a":'.repeat(1_000) + "1" + "}".repeat(1_000)), "TOO_DEEP", undefined],
    ["a name that is none", { "a b": 1 }, "FIELD_NAME", undefined],
    ["a list that is none", { AND: { a: 1 } }, "LOGICAL_LIST", "AND"],
    ["no operator", { a: {} }, "EMPTY_CONDITION", "a"],
    [
      "an unknown operator",
      { AND: [{ a: 1 }, { priority: { $gte: 2 } }] },
      "UNKNOWN_OPERATOR",
      "AND[1].priority",
    ],
    ["null", { a: null }, "OPERAND_TYPE", "a"],
    ["NaN", { a: { eq: Number.NaN } }, "OPERAND_TYPE", "a.eq"],
    ["undefined", { a: undefined }, "OPERAND_TYPE", "a"],
    ["undefined in a list", { a: { in: [1, undefined] } }, "OPERAND_TYPE", "a.in[1]"],
    ["a function", { a: () => 1 }, "OPERAND_TYPE", "a"],
    ["a bigint", { a: 1n }, "OPERAND_TYPE", "a"],
    ["no filter at all", undefined, "OPERAND_TYPE", undefined],
    ["a bound that is no date", { a: { gt: "soon" } }, "RANGE_OPERAND", "a.gt"],
    ["bounds of two kinds", { a: { gt: 1, lt: "2025-01-01" } }, "RANGE_MIXED", "a.lt"],
    ["too many values", { a: { in: Array.from({ length: 1001 }, (_, n) => n) } }, "FILTER_TOO_LARGE", "a.in"],
    [
      "lists within lists",
      JSON.parse('{"NOT":['.repeat(9) + '{"a":1}' + "]}".repeat(9)),
      "TOO_DEEP",
      undefined,
    ],
  ])("%s", async (_title, filter, code, field) => {
    const failure = await failureOf(() => normalForm(untyped(filter)));
    expect(failure.code).toBe(code);
    if (field !== undefined) expect(failure.details.field).toBe(field);
    expect(failure.details.expected).toBeTruthy();
    expect(failure.details.received).toBeTruthy();
  });

  it("never call what a prototype was given as toJSON", () => {
    const given = Object.prototype as { toJSON?: () => unknown };
    given.toJSON = () => ({});
    try {
      expect(() => normalForm({ a: 1 })).not.toThrow();
      expect(filterJson({ a: [1] })).toBe('{"a":[1]}');
    } finally {
      delete given.toJSON;
    }
  });

  it("leave objects without a prototype to the core: they are plain, too", () => {
    const filter = Object.assign(Object.create(null) as Filter, { a: 1 });
    expect(normalForm(filter)).toEqual({ field: "a", eq: 1 });
  });

  it("repeat no value", async () => {
    const failure = await failureOf(() => normalForm({ a: { gt: "a secret" } }));
    expect(JSON.stringify(failure)).not.toContain("secret");
    expect(failure.message).toBe(
      "The filter at a.gt: expected a number, or a date in ISO form, received a string that is no date.",
    );
  });

  it("any JSON is read or refused with one of the codes", async () => {
    const words = fc.constantFrom("AND", "OR", "NOT", "eq", "in", "gt", "*", "$gt", "a.b", "user_id");
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        fc.oneof(words, fc.integer(), fc.constant(null)),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(words, tie("tree"), { maxKeys: 3 }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(tree, async (json) => {
        try {
          expect(filterJson(untyped(json))).toBe(JSON.stringify(json));
          normalForm(untyped(json));
        } catch {
          const failure = await failureOf(() => normalForm(untyped(json)));
          expect(failure.code).not.toBe("INTERNAL");
        }
      }),
    );
  });
});
