/**
 * Packing grows with what it is given, up to a bound that is said.
 */
import { describe, expect, it } from "vitest";
import { TextPacker, unpackTexts } from "../../src/text/pack.js";

describe("a packer", () => {
  it("gives back what was added, however long", () => {
    const packer = new TextPacker();
    const texts = ["", "a", "ä".repeat(1 << 20), "b", "x".repeat(3 << 20), "€"];
    for (const text of texts) packer.add(text);
    expect(unpackTexts(packer.take())).toEqual(texts);
  });

  it("refuses a record beyond its bound", () => {
    const packer = new TextPacker(2 << 20);
    packer.add("x".repeat(1 << 20));
    packer.add("x".repeat(1 << 20));
    expect(() => {
      packer.add("x");
    }).toThrow(
      expect.objectContaining({
        code: "INPUT_TOO_LARGE",
        details: { expected: `at most ${2 << 20} bytes`, received: `${(2 << 20) + 1} bytes` },
      }),
    );
  });
});
