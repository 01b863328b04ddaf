/**
 * Why a record goes: each reason, the order in which they apply, and which methods look for them.
 */
import { describe, expect, it } from "vitest";
import { dedup } from "../../src/main.js";
import { decides, fox, TEXTUAL } from "../support/decision-table.js";

describe("a reason", () => {
  decides([
    {
      title: "exact: the same text, byte for byte",
      records: ["one", "two", "one", "one"],
      stay: [0, 1],
      go: ["2 exact 0 1", "3 exact 0 1"],
    },
    {
      title: "normalized: the same normal form",
      records: ["The Book", "The  Book", " The Book\n"],
      stay: [0],
      go: ["1 normalized 0 1", "2 normalized 0 1"],
    },
    {
      title: "normalized once for a text, exact for its copies",
      records: ["The Book", "The  Book", "The  Book", "The Book"],
      stay: [0],
      go: ["1 normalized 0 1", "2 exact 0 1", "3 exact 0 1"],
    },
    {
      title: "lexical: enough shingles in common",
      records: [fox, `${fox} today`],
      options: { methods: TEXTUAL },
      stay: [0],
      go: ["1 lexical 0 0.917"],
    },
    {
      title: "lexical: inclusive at the threshold, which is 8 of 10 shingles here",
      records: ["a b c d e f g h i j k", "a b c d e f g h i j x"],
      options: { methods: TEXTUAL, jaccard: 8 / 10 },
      stay: [0],
      go: ["1 lexical 0 0.8"],
    },
    {
      title: "lexical: not a hair above it",
      records: ["a b c d e f g h i j k", "a b c d e f g h i j x"],
      options: { methods: TEXTUAL, jaccard: 0.8 + 1e-12 },
      stay: [0, 1],
      go: [],
    },
    {
      title: "semantic: a close enough vector",
      records: ["dog bites man", "man bites dog"],
      stay: [0],
      go: ["1 semantic 0 1"],
    },
    {
      title: "the first that applies: normalized before lexical, lexical before semantic",
      records: [
        fox,
        `${fox} `,
        `${fox} today`,
        "near the river bank the quick brown fox jumps over the lazy dog",
      ],
      options: { jaccard: 0.9 },
      stay: [0],
      go: ["1 normalized 0 1", "2 lexical 0 0.917", "3 semantic 0 1"],
    },
    {
      title: "a copy of a dropped record names the kept one, with the score that was verified",
      records: [fox, `${fox} today`, `${fox} today`, `${fox}  today`],
      options: { methods: TEXTUAL },
      stay: [0],
      go: ["1 lexical 0 0.917", "2 exact 0 0.917", "3 normalized 0 0.917"],
    },
    {
      title: "no chain: a record that is near only to a dropped one stays",
      records: ["a b c d e f g h", "b c d e f g h i", "c d e f g h i j"],
      options: { methods: TEXTUAL, jaccard: 0.7 },
      stay: [0, 2],
      go: ["1 lexical 0 0.714"],
    },
  ]);

  it("carries exact: true only for exact copies", async () => {
    const { filtered } = await dedup(["x", "x", "x "]);
    expect(filtered.map(({ exact }) => exact)).toEqual([true, false]);
  });

  it("lists every kept record that reached the threshold, best first", async () => {
    const parts = ["a b c d e f", "c d e f g h", "a b c d e f g h"];
    const { filtered } = await dedup(parts, { methods: TEXTUAL, jaccard: 0.5 });
    expect(filtered[0]?.duplicates).toEqual([
      { record: parts[0], score: 4 / 6 },
      { record: parts[1], score: 4 / 6 },
    ]);
    expect(filtered[0]?.duplicateOf).toEqual({ position: 0 });
  });
});

describe("methods", () => {
  const records = ["dog bites man", "dog bites man", "dog  bites man", "man bites dog"];
  decides([
    { title: "exact alone", records, options: { methods: ["exact"] }, stay: [0, 2, 3], go: ["1 exact 0 1"] },
    {
      title: "exact is always there",
      records,
      options: { methods: [] },
      stay: [0, 2, 3],
      go: ["1 exact 0 1"],
    },
    {
      title: "normalized",
      records,
      options: { methods: ["normalized"] },
      stay: [0, 3],
      go: ["1 exact 0 1", "2 normalized 0 1"],
    },
    {
      title: "lexical without normalized sees the texts as they are: equal words score 1",
      records,
      options: { methods: ["lexical"] },
      stay: [0, 3],
      go: ["1 exact 0 1", "2 lexical 0 1"],
    },
    {
      title: "normalize none leaves the reason normalized out",
      records,
      options: { normalize: "none", methods: TEXTUAL },
      stay: [0, 3],
      go: ["1 exact 0 1", "2 lexical 0 1"],
    },
    {
      title: "all",
      records,
      options: { methods: "all" },
      stay: [0],
      go: ["1 exact 0 1", "2 normalized 0 1", "3 semantic 0 1"],
    },
  ]);
});
