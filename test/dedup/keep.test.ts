/**
 * Which record of a group stays.
 */
import { describe, expect, it } from "vitest";
import type { TextRecord } from "../../src/main.js";
import { dedup } from "../../src/main.js";
import { decides, fox, TEXTUAL } from "../support/decision-table.js";

describe("keep", () => {
  const rated = (values: ReadonlyArray<number | string | Date | null>): TextRecord[] =>
    values.map((rank, index) => ({ text: index % 2 === 0 ? "same text" : "same  text", rank }));
  decides([
    {
      title: "first, by default",
      records: rated([1, 3, 2]),
      stay: [0],
      go: ["1 normalized 0 1", "2 exact 0 1"],
    },
    {
      title: "highest of a field",
      records: rated([1, 3, 2]),
      options: { keep: { field: "rank", prefer: "highest" } },
      stay: [1],
      go: ["0 normalized 1 1", "2 exact 1 1"],
    },
    {
      title: "lowest of a field",
      records: rated([2, 3, 1]),
      options: { keep: { field: "rank", prefer: "lowest" } },
      stay: [2],
      go: ["0 exact 2 1", "1 normalized 2 1"],
    },
    {
      title: "a tie goes to the first, 0 and -0 are one number",
      records: rated([-0, 0, 0]),
      options: { keep: { field: "rank", prefer: "highest" } },
      stay: [0],
      go: ["1 normalized 0 1", "2 exact 0 1"],
    },
    {
      title: "a record without the field comes last",
      records: rated([null, -5, null]),
      options: { keep: { field: "rank", prefer: "highest" } },
      stay: [1],
      go: ["0 normalized 1 1", "2 exact 1 1"],
    },
    {
      title: "dates have an order: text or Date",
      records: rated(["2024-01-31", new Date("2025-06-01T00:00:00Z"), "2023-12-31T23:59:59Z"]),
      options: { keep: { field: "rank", prefer: "highest" } },
      stay: [1],
      go: ["0 normalized 1 1", "2 exact 1 1"],
    },
    {
      title: "longest, in characters, not bytes or UTF-16 units",
      records: ["\u{1f600}\u{1f600}\u{1f600} a b c", "\u{1f600}\u{1f600}\u{1f600}  a b c"],
      options: { keep: "longest", methods: ["normalized"] },
      stay: [1],
      go: ["0 normalized 1 1"],
    },
    {
      title: "decides between near-duplicates too: the walk goes in its order",
      records: [fox, `${fox} today`],
      options: { keep: "longest", methods: TEXTUAL },
      stay: [1],
      go: ["0 lexical 1 0.917"],
    },
  ]);
});

describe("a field that no record has", () => {
  it("is told in limits; the first of each group stays", async () => {
    const { report, selectedPositions } = await dedup([{ text: "a" }, { text: "a" }], {
      keep: { field: "rnak", prefer: "highest" },
    });
    expect([...selectedPositions]).toEqual([0]);
    expect(report.limits.join()).toContain("rnak");
  });
});
