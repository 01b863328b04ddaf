/**
 * Laws of reciprocal rank fusion.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuseRanks } from "../../src/retrieve/reciprocal-rank.js";
import { failureOf } from "../support/refusal-table.js";

const ids = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 20 });
const lists = fc.array(ids, { maxLength: 5 });
const order = (given: ReadonlyArray<readonly number[]>): unknown[] => fuseRanks(given).map(({ id }) => id);

it("gives 1 / (k + rank) for each list", () => {
  expect(fuseRanks([["b", "a"], ["a"]], 60)).toEqual([
    { id: "a", fusedScore: 1 / 61 + 1 / 62, ranks: [2, 1] },
    { id: "b", fusedScore: 1 / 61, ranks: [1, null] },
  ]);
});

describe("laws", () => {
  it("one list keeps its order", () => {
    fc.assert(
      fc.property(ids, (list) => {
        expect(order([list])).toEqual(list);
      }),
    );
  });

  it("a list twice keeps its order, too", () => {
    fc.assert(
      fc.property(ids, (list) => {
        expect(order([list, list])).toEqual(list);
      }),
    );
  });

  it("the order of the lists does not matter, down to the last bit of a score", () => {
    fc.assert(
      fc.property(
        lists.chain((given) =>
          fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
        ),
        ([given, shuffled]) => {
          const scores = (of: ReadonlyArray<readonly number[]>): unknown[] =>
            fuseRanks(of).map(({ id, fusedScore }) => [id, fusedScore]);
          expect(scores(shuffled)).toEqual(scores(given));
        },
      ),
    );
  });

  it("every id of every list is there once", () => {
    fc.assert(
      fc.property(lists, (given) => {
        expect(order(given).toSorted()).toEqual([...new Set(given.flat())].toSorted());
      }),
    );
  });

  it("what is before another in every list is before it", () => {
    fc.assert(
      fc.property(lists, (given) => {
        const fused = order(given);
        const shared = given[0]?.filter((id) => given.every((list) => list.includes(id))) ?? [];
        for (const a of shared) {
          for (const b of shared) {
            const always = a !== b && given.every((list) => list.indexOf(a) < list.indexOf(b));
            if (always) expect(fused.indexOf(a)).toBeLessThan(fused.indexOf(b));
          }
        }
      }),
    );
  });

  it("ties go to the smaller id, numbers by their value", () => {
    fc.assert(
      fc.property(ids, (all) => {
        expect(order(all.map((id) => [id]))).toEqual(all.toSorted((left, right) => left - right));
      }),
    );
  });
});

it.each<readonly [unknown, unknown, string]>([
  [null, 60, "lists"],
  ["ab", 60, "lists"],
  [[["a"], null], 60, "lists.1"],
  [["ab"], 60, "lists.0"],
  [[["a"]], -1, "k"],
  [[["a"]], Number.NaN, "k"],
  [[["a"]], Infinity, "k"],
  [[["a"]], "60", "k"],
])("%j with k %s is refused: %s", async (given, k, field) => {
  // What a caller without types may hand us.
  const { code, details } = await failureOf(() => fuseRanks(given as string[][], k as number));
  expect({ code, field: details.field }).toEqual({ code: "OPTION_INVALID", field });
});
