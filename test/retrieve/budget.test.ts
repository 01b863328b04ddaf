/**
 * Laws of packing to a budget, and what the estimate of tokens is.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens, fitBudget } from "../../src/retrieve/budget.js";
import { failureOf } from "../support/refusal-table.js";

const same = (count: number): number => count;

describe("fitBudget", () => {
  it("law: never over, every item once, both sides in order", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50)), fc.nat(300), (items, budget) => {
        const { included, omitted, tokens } = fitBudget(items, budget, same);
        expect(tokens).toBeLessThanOrEqual(budget);
        expect(tokens).toBe(included.reduce((sum, { item }) => sum + item, 0));
        for (const side of [included, omitted]) {
          const positions = side.map(({ position }) => position);
          expect(positions).toEqual(positions.toSorted((left, right) => left - right));
          expect(side.every(({ position, item }) => items[position] === item)).toBe(true);
        }
        expect(included.length + omitted.length).toBe(items.length);
      }),
    );
  });

  it("law: what was left out would not have fitted where it stood", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50)), fc.nat(300), (items, budget) => {
        const { included, omitted } = fitBudget(items, budget, same);
        for (const { position, tokens } of omitted) {
          const before = included.filter((item) => item.position < position);
          expect(before.reduce((sum, item) => sum + item.tokens, 0) + tokens).toBeGreaterThan(budget);
        }
      }),
    );
  });

  it.each([[-1], [1.5], [Number.NaN], ["10"]])("refuses the budget %s", async (budget) => {
    // What a caller without types may hand us.
    const failure = await failureOf(() => fitBudget([1], budget as number, same));
    expect(failure.details.field).toBe("budgetTokens");
  });

  it.each<readonly [unknown, unknown, string]>([
    [null, same, "items"],
    ["ab", same, "items"],
    [["a"], undefined, "countTokens"],
  ])("refuses %j counted by %s: %s", async (items, count, field) => {
    const failure = await failureOf(() => fitBudget(items as number[], 5, count as typeof same));
    expect([failure.code, failure.details.field]).toEqual(["OPTION_INVALID", field]);
  });

  it.each([[-1], [0.5], [Number.NaN], [Infinity]])(
    "refuses a counter that gives %s, by position",
    async (count) => {
      const failure = await failureOf(() => fitBudget([1, 2], 10, (item) => (item === 1 ? 1 : count)));
      expect(failure.details).toMatchObject({ field: "countTokens", position: 1 });
    },
  );
});

it.each([
  ["", 0],
  ["a", 1],
  ["abcd", 2],
  ["日本", 2],
])("the estimate of %j is %d: a third of the bytes, rounded up", (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

it.each([[null], [5], [undefined]])("the estimate of %s, which is no text, is refused", async (text) => {
  const { code, details } = await failureOf(() => estimateTokens(text as unknown as string));
  expect([code, details.field]).toEqual(["OPTION_INVALID", "text"]);
});
