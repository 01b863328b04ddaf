/**
 * Which texts have one normal form, and what becomes of texts that have none left.
 */
import { describe, expect, it } from "vitest";
import { dedup } from "../../src/main.js";
import type { Case } from "../support/decision-table.js";
import { decides } from "../support/decision-table.js";

describe("a normal form", () => {
  const NFC = "Caf\u00e9";
  const NFD = "Cafe\u0301";
  const normalized = (title: string, a: string, b: string): Case => ({
    title,
    records: [a, b],
    options: { methods: ["normalized"] },
    stay: [0],
    go: ["1 normalized 0 1"],
  });
  const different = (title: string, a: string, b: string): Case => ({
    title,
    records: [a, b],
    options: { methods: ["normalized"], normalize: "case" },
    stay: [0, 1],
    go: [],
  });
  decides([
    normalized("composed and decomposed", NFC, NFD),
    normalized("runs of white space", "The Book", "The\u3000\t\r\n Book"),
    normalized("white space around", "The Book", "\u2028The Book\u00a0"),
    normalized("zero-width space", "payment", "pay\u200bment"),
    normalized("soft hyphen", "hyphen", "hy\u00adphen"),
    normalized("byte order mark", "text", "\ufefftext"),
    different("digits count", "1|2|300$", "7|8|900$"),
    different("letters of every script count", "\u043a\u043e\u0442", "\u043a\u0438\u0442"),
    different("punctuation counts", "a.b", "a,b"),
    different("accents count", "resume", "r\u00e9sum\u00e9"),
    different("joiners count: they change words and emoji", "\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u062e"),
    {
      title: "space keeps case apart",
      records: ["Hello world", "hello world"],
      options: { methods: ["normalized"], normalize: "space" },
      stay: [0, 1],
      go: [],
    },
    {
      title: "case does not",
      records: [
        "Hello world",
        "hello  WORLD",
        "STRASSE",
        "stra\u00dfe",
        "\u03a3\u0391\u03a3",
        "\u03c3\u03b1\u03c2",
      ],
      options: { methods: ["normalized"], normalize: "case" },
      stay: [0, 2, 3, 4],
      go: ["1 normalized 0 1", "5 normalized 4 1"],
    },
  ]);

  it("never changes what comes out", async () => {
    const { selected } = await dedup([NFD, NFC, "  two  "], { methods: ["normalized"] });
    expect(selected).toEqual([NFD, "  two  "]);
  });
});

describe("a blank text", () => {
  const records = ["", " ", "\n\u200b", "word", ""];
  decides([
    { title: "stays by default, each one", records, stay: [0, 1, 2, 3, 4], go: [] },
    { title: "keep says so", records, options: { empty: "keep" }, stay: [0, 1, 2, 3, 4], go: [] },
    {
      title: "drop: each goes as empty, without a witness",
      records,
      options: { empty: "drop" },
      stay: [3],
      go: ["0 empty - 0", "1 empty - 0", "2 empty - 0", "4 empty - 0"],
    },
    {
      title: "collapse: one stays for all",
      records,
      options: { empty: "collapse" },
      stay: [0, 3],
      go: ["1 normalized 0 1", "2 normalized 0 1", "4 exact 0 1"],
    },
    {
      title: "is blank in all columns",
      records: [
        { a: "", b: " " },
        { a: "", b: "x" },
        { a: "", b: "" },
      ],
      options: { columns: ["a", "b"], empty: "drop" },
      stay: [1],
      go: ["0 empty - 0", "2 empty - 0"],
    },
  ]);
});
