/** DED-05: equal texts in another Unicode form were missed, and too strong a cleaner made different ones equal. */
import { describe, expect, it } from "vitest";
import { dedup } from "../../src/main.js";

describe("DED-05", () => {
  it.each([
    ["Caf\u00e9", "Cafe\u0301"],
    ["The  Book", "The Book"],
    ["pay\u200bment", "payment"],
  ])("the default normal form makes %j and %j equal", async (a, b) => {
    const { filtered, report } = await dedup([a, b]);
    expect(filtered.map(({ reason, score }) => [reason, score])).toEqual([["normalized", 1]]);
    expect(report.options["normalize"]).toBe("space");
  });

  it.each([
    ["1|2|300$", "7|8|900$"],
    [
      "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440",
      "\u041f\u043e\u043a\u0430, \u043c\u0438\u0440",
    ],
  ])("no normal form makes %j and %j equal", async (a, b) => {
    for (const normalize of ["none", "space", "case"] as const) {
      expect((await dedup([a, b], { normalize, methods: ["normalized", "lexical"] })).selected).toEqual([
        a,
        b,
      ]);
    }
  });
});
