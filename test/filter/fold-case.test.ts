/**
 * A store that folds case in TypeScript and the core that folds the needle have to agree.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { foldCase } from "../../src/filter/fold-case.js";
import { normalForm } from "../../src/filter/normal-form.js";

it.each([
  ["ÜBER", "über"],
  ["ΟΔΟΣ", "οδοσ"],
  ["İ", "i\u0307"],
  ["ẞ", "ß"],
  ["ǅ", "ǆ"],
  ["𐐀", "𐐨"],
])("%s in lower case is %s, here and in the core", (text, folded) => {
  expect(foldCase(text)).toBe(folded);
  expect(normalForm({ a: { icontains: text } })).toEqual({ field: "a", icontains: folded });
});

it("a part of a text is a part of its lower case", () => {
  const text = fc.string({ unit: "grapheme" });
  fc.assert(
    fc.property(text, text, text, (before, part, after) => {
      expect(foldCase(before + part + after)).toContain(foldCase(part));
    }),
  );
});
