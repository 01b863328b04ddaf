/** Random small corpora that collide a lot, and random options: the ground for laws. */
import fc from "fast-check";
import type { Keep } from "../../src/main.js";
import type { BruteOptions } from "./brute-force.js";

/** Words that models know, with variants that only a normal form, a guard or a tokenizer tells apart. */
const word = fc.constantFrom(
  ..."the cat dog sat not on mat 7 8 red blue ran Ran caf\u00e9 cafe\u0301 stra\u00dfe \u4eca\u5929 \u{1f600} \u03a3\u0391\u03a3 .".split(
    " ",
  ),
);
const gap = fc.constantFrom(" ", " ", " ", "  ", "\n", "\u00a0", "\u200b ", "\u00ad");
const sentence = fc
  .array(fc.tuple(word, gap), { maxLength: 9 })
  .map((parts) => parts.flat().join("").slice(0, 80));
/** Sentences repeat: a record is one of a few, as it is or with a word more. */
const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("the cat sat on the mat", "the dog sat on the mat 7", "", " ") },
  { weight: 3, arbitrary: sentence },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom("the cat sat on the mat"), word).map((parts) => parts.join(" ")),
  },
);

/** Lists of texts. */
export const texts: fc.Arbitrary<string[]> = fc.array(text, { maxLength: 24 });

/** A record with two columns and sometimes a rank. */
export interface Row {
  readonly title: string;
  readonly body: string;
  readonly rank: number | null;
  readonly [column: string]: unknown;
}

/** Lists of records with two columns. */
export const rows: fc.Arbitrary<Row[]> = fc.array(
  fc.record({
    title: fc.constantFrom("", "the cat", "The cat", "a dog"),
    body: text,
    rank: fc.option(fc.integer({ min: -2, max: 2 })),
  }),
  { maxLength: 20 },
);

const KEEPS: readonly Keep[] = [
  "first",
  "longest",
  { field: "rank", prefer: "highest" },
  { field: "rank", prefer: "lowest" },
];

/** Rules of every kind. */
export const rules: fc.Arbitrary<BruteOptions> = fc
  .record({
    near: fc.subarray(["normalized", "lexical", "semantic"] as const),
    normalize: fc.constantFrom("none" as const, "space" as const, "case" as const),
    empty: fc.constantFrom("keep" as const, "drop" as const, "collapse" as const),
    jaccard: fc.constantFrom(0.01, 0.25, 1 / 3, 0.5, 0.8, 1),
    shingles: fc.constantFrom(
      { unit: "word", size: 3 } as const,
      { unit: "word", size: 1 } as const,
      { unit: "character", size: 4 } as const,
    ),
    threshold: fc.constantFrom(0, 0.5, 0.7, 0.9, 0.97),
    guards: fc.subarray(["numbers", "negation", "antonyms", "names", "order"] as const, { maxLength: 3 }),
    keep: fc.constantFrom(...KEEPS),
    duplicatesMax: fc.constantFrom(1, 2, 100),
  })
  .map(({ near, ...chosen }) => ({
    ...chosen,
    methods: ["exact", ...near.filter((method) => method !== "normalized" || chosen.normalize !== "none")],
  }));
