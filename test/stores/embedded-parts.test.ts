/**
 * The parts of the embedded store that translate: ids and filters.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Filter } from "../../src/filter/filter.js";
import { normalForm } from "../../src/filter/normal-form.js";
import { callNative } from "../../src/native.js";
import { filterText } from "../../src/stores/embedded/filter-text.js";
import { keptIdAfter, keptIdBefore, keptIdOf, wireIdOfKept } from "../../src/stores/embedded/kept-id.js";
import { compareWireIds, parseWireText } from "../../src/stores/point-id.js";
import type { WireId } from "../../src/stores/point-id.js";
import { failureOf } from "../support/refusal-table.js";

describe("ids in the file", () => {
  const wireId: fc.Arbitrary<WireId> = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((number) => parseWireText(number.toString(), "id")),
    fc.nat(5),
    fc.uuid(),
  );

  it.each<[WireId, string]>([
    [0, "00000000-0000-0000-0000-000000000000"],
    [258, "00000000-0000-0000-0000-000000000102"],
    [2n ** 64n - 1n, "00000000-0000-0000-ffff-ffffffffffff"],
    ["00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000000"],
  ])("%s is %s", (wire, kept) => {
    expect(keptIdOf(wire)).toBe(kept);
    expect(wireIdOfKept(kept)).toBe(wire);
  });

  it("they come back, and their bytes have the order of the ids", () => {
    fc.assert(
      fc.property(wireId, wireId, (left, right) => {
        expect(wireIdOfKept(keptIdOf(left))).toBe(left);
        const order = keptIdOf(left) < keptIdOf(right) ? -1 : keptIdOf(left) > keptIdOf(right) ? 1 : 0;
        expect(order).toBe(compareWireIds(left, right));
      }),
    );
  });

  it("nothing lies between an id and the next one", () => {
    fc.assert(fc.property(wireId, (wire) => keptIdBefore(keptIdAfter(keptIdOf(wire))) === keptIdOf(wire)));
    expect(keptIdAfter(keptIdOf(2n ** 64n - 1n))).toBe("00000000-0000-0001-0000-000000000000");
    expect(keptIdBefore(keptIdOf(0))).toBeUndefined();
  });

  it("a UUID in the place of the numbers is refused", async () => {
    const failure = await failureOf(() => keptIdOf("00000000-0000-0000-0000-000000000000"));
    expect(failure.code).toBe("POINT_ID_INVALID");
  });
});

describe("a filter tree as text", () => {
  const field = fc.constantFrom("a", "b", "deep.name", "user_id");
  const scalar = fc.oneof(
    fc.string(),
    fc.constant("*"),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
  );
  const bound = fc.integer({ min: -9, max: 9 });
  const condition = fc.oneof<Array<fc.Arbitrary<unknown>>>(
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    scalar.map((eq) => ({ eq })),
    scalar.map((ne) => ({ ne })),
    fc.array(scalar, { maxLength: 3 }).map((nin) => ({ nin })),
    fc.record({ gt: bound, lte: bound, ne: scalar }, { requiredKeys: ["gt"] }),
    fc.constantFrom({ gte: "2025-01-01", lt: "2025-02-01T10:00:00+02:00" }, { lt: "0001-01-01" }),
    fc.string({ minLength: 1 }).map((contains) => ({ contains, icontains: contains.toUpperCase() })),
  );
  const { filter } = fc.letrec<{ filter: Filter; entries: Filter }>((tie) => ({
    entries: fc.dictionary(field, condition, { minKeys: 1, maxKeys: 3 }) as fc.Arbitrary<Filter>,
    filter: fc.oneof(
      { maxDepth: 7, depthSize: "large" },
      tie("entries"),
      fc
        .tuple(
          tie("entries"),
          fc.constantFrom("AND", "OR", "NOT"),
          fc.array(tie("filter"), { minLength: 1, maxLength: 3 }),
        )
        .map(([entries, name, list]) => ({ ...entries, [name]: list })),
    ),
  }));

  it("has the normal form of the tree", () => {
    fc.assert(
      fc.property(filter, (given) => {
        // Some are beyond the bounds of the language, and refused.
        fc.pre(conditionsOf(given) <= 256);
        const tree = normalForm(given);
        // The language allows a key twice, JavaScript does not: the text goes to the core as it is.
        const [read, text] = [normalFormOfText(filterText(tree)), JSON.stringify(given)];
        expect(read, text).toEqual(tree);
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, Filter]>([
    ["everything", {}],
    ["nothing", { a: { in: [] } }],
    [
      "opposites as deep as lists may go",
      nested(8, { a: { ne: 1, nin: [2, 3], contains: "x" }, b: { ne: true } }),
    ],
    ["as many values as a list may have", { a: { nin: Array.from({ length: 1_000 }, (_, n) => n) } }],
    [
      "as many conditions as there may be",
      { AND: Array.from({ length: 128 }, (_, n) => ({ a: { gt: n - 200, ne: n } })) },
    ],
  ])("%s", (_name, given) => {
    const tree = normalForm(given);
    expect(normalFormOfText(filterText(tree))).toEqual(tree);
  });
});

function normalFormOfText(text: string): unknown {
  return JSON.parse(callNative((core) => core.filterNormalForm(text)));
}

function nested(depth: number, inner: Filter): Filter {
  return depth === 0 ? inner : { OR: [{ z: depth }, nested(depth - 1, inner)] };
}

/** How many operators a filter has; a bare value is one. */
function conditionsOf(filter: unknown): number {
  if (typeof filter !== "object" || filter === null) return 1;
  return Object.entries(filter).reduce((sum, [key, value]: [string, unknown]) => {
    if (["AND", "OR", "NOT"].includes(key) && Array.isArray(value))
      return sum + value.reduce((inner: number, part: unknown) => inner + conditionsOf(part), 0);
    const isOperators = typeof value === "object" && value !== null && !Array.isArray(value);
    return sum + (isOperators ? Object.keys(value).length : 1);
  }, 0);
}
