/**
 * A bad record is a typed error that says where and what, never a crash, and never the text of a record.
 */
import { describe, expect, it } from "vitest";
import type { DedupOptions, ErrorDetails } from "../../src/main.js";
import { dedup } from "../../src/main.js";
import type { Bad } from "../support/refusal-table.js";
import { refuses, SECRET, withBad } from "../support/refusal-table.js";

describe("a record", () => {
  const bad = (
    title: string,
    record: unknown,
    code: string,
    details: ErrorDetails,
    options?: DedupOptions,
  ): Bad => ({
    title,
    work: () => dedup(withBad(record), options),
    code,
    details: { position: 150, ...details },
  });
  refuses([
    bad("null", null, "RECORD_INVALID", { received: "null", expected: "string or object" }),
    bad("undefined", undefined, "RECORD_INVALID", { received: "undefined" }),
    bad("a number", 7, "RECORD_INVALID", { received: "number" }),
    bad("a function", () => SECRET, "RECORD_INVALID", { received: "function" }),
    bad("an array", [SECRET], "RECORD_INVALID", { received: "array" }),
    bad("without the column", { title: SECRET }, "COLUMN_MISSING", { field: "text", received: "undefined" }),
    bad("with null in the column", { text: null }, "COLUMN_NOT_TEXT", { field: "text", received: "null" }),
    bad("with a number in the column", { text: 42 }, "COLUMN_NOT_TEXT", {
      field: "text",
      received: "number",
    }),
    bad("with an array in the column", { text: [SECRET] }, "COLUMN_NOT_TEXT", {
      field: "text",
      received: "array",
    }),
    bad("with an object in the column", { text: { SECRET } }, "COLUMN_NOT_TEXT", { received: "object" }),
    ...["constructor", "toString", "__proto__"].map((column) => ({
      title: `without a column of its own by the name of ${column}, which every object inherits`,
      work: () => dedup([{ text: "a" }], { columns: [column] }),
      code: "COLUMN_MISSING",
      details: { position: 0, field: column },
    })),
    bad(
      "with text in a field to order by",
      { text: "a", n: SECRET },
      "COLUMN_NOT_ORDERED",
      { field: "n" },
      {
        keep: { field: "n", prefer: "highest" },
      },
    ),
    bad(
      "with NaN in a field to order by",
      { text: "a", n: Number.NaN },
      "COLUMN_NOT_ORDERED",
      { field: "n" },
      {
        keep: { field: "n", prefer: "lowest" },
      },
    ),
    ...[
      "2026-01-01T10:00",
      "2026-01-01T10:00:00",
      "2026-01-01T25:00:00Z",
      "2026-02-30",
      "2026-01-01 soon",
      "2026-01-01 10:00 PM",
      "Jan 1 2026",
    ].map((n) =>
      bad(
        `with ${n} in a field to order by`,
        { text: "a", n },
        "COLUMN_NOT_ORDERED",
        { field: "n", received: "string" },
        { keep: { field: "n", prefer: "highest" } },
      ),
    ),
  ]);

  it("with a getter that throws: the caller's own error comes out", async () => {
    const trap = Object.defineProperty({}, "text", {
      get: () => {
        throw new RangeError("mine");
      },
    });
    await expect(dedup(withBad(trap))).rejects.toThrow(new RangeError("mine"));
  });

  it("source that throws: the caller's own error comes out", async () => {
    function* broken(): Generator<string> {
      yield "one";
      throw new RangeError("mine");
    }
    await expect(dedup(broken())).rejects.toThrow(new RangeError("mine"));
  });

  refuses([
    {
      title: "list that is a number",
      work: () => dedup(7 as never),
      code: "OPTION_INVALID",
      details: { field: "records" },
    },
    {
      title: "list that is null",
      work: () => dedup(null as never),
      code: "OPTION_INVALID",
      details: { field: "records" },
    },
    {
      title: "list that is one text",
      work: () => dedup("abc"),
      code: "OPTION_INVALID",
      details: { field: "records" },
    },
    {
      title: "list whose iterator is undefined",
      work: () => dedup({ [Symbol.iterator]: undefined } as never),
      code: "OPTION_INVALID",
      details: { field: "records" },
    },
  ]);
});
