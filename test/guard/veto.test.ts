/**
 * What `veto` refuses.
 */
import { describe, expect, it } from "vitest";
import { veto } from "../../src/main.js";
import { refuses, SECRET } from "../support/refusal-table.js";

describe("veto", () => {
  refuses([
    {
      title: "of null",
      work: () => veto(null as never, "b"),
      code: "OPTION_INVALID",
      details: { field: "a" },
    },
    {
      title: "of a number",
      work: () => veto("a", 7 as never),
      code: "OPTION_INVALID",
      details: { field: "b" },
    },
    {
      title: "by bytes for guards",
      work: () => veto("a", "b", Buffer.from("ab") as never),
      code: "OPTION_INVALID",
      details: { field: "guards" },
    },
  ]);

  it("refuses an unknown guard", () => {
    expect(() => veto(SECRET, SECRET, ["hubris" as never])).toThrow(
      expect.objectContaining({
        code: "OPTION_INVALID",
        details: expect.objectContaining({ field: "guards" }) as object,
      }),
    );
  });
});
