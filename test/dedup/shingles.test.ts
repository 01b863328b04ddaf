/**
 * What the lexical method compares: runs of words or of characters.
 */
import { describe } from "vitest";
import type { DedupOptions } from "../../src/main.js";
import { decides } from "../support/decision-table.js";

describe("shingles", () => {
  const shingle = (unit: "word" | "character", size: number): DedupOptions => ({
    methods: ["lexical"],
    shingles: { unit, size },
    jaccard: 0.5,
  });
  decides([
    {
      title: "a text shorter than a shingle is one shingle",
      records: ["a b", "A, b!", "a c", "b a"],
      options: shingle("word", 3),
      stay: [0, 2, 3],
      go: ["1 lexical 0 1"],
    },
    {
      title: "a text without a word is its own shingle",
      records: ["!?", "?!", "...", "\u{1f600}", "\u{1f601}"],
      options: shingle("word", 3),
      stay: [0, 1, 2, 3, 4],
      go: [],
    },
    {
      title: "characters find a typo",
      records: ["deduplication", "deduplicatoin"],
      options: shingle("character", 3),
      stay: [0],
      go: ["1 lexical 0 0.571"],
    },
    {
      title: "characters find copies in a script without spaces",
      records: ["\u4eca\u5929\u5929\u6c14\u5f88\u597d\u554a", "\u4eca\u5929\u5929\u6c14\u5f88\u597d"],
      options: shingle("character", 2),
      stay: [0],
      go: ["1 lexical 0 0.833"],
    },
    {
      title: "a character is a code point, not half of one",
      records: ["\u{1f600}\u{1f601}", "\u{1f602}\u{1f603}"],
      options: { ...shingle("character", 1), jaccard: 0.01 },
      stay: [0, 1],
      go: [],
    },
  ]);
});
