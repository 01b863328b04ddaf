/**
 * What deduplication means, case by case.
 */
import { describe, expect, it } from "vitest";
import type { DedupOptions, DedupResult, Filtered, TextRecord } from "../../src/main.js";
import { dedup } from "../../src/main.js";

/** Methods without the embedder: the cases about texts need no vectors. */
const TEXTUAL = ["exact", "normalized", "lexical"] as const;

/** A decision, short enough for a table: what stays, and `position reason witness score` of what goes. */
function summary<T extends TextRecord>(result: DedupResult<T>): { stay: number[]; go: string[] } {
  const go = ({ position, reason, duplicateOf, score }: Filtered<T>): string =>
    `${position} ${reason} ${duplicateOf?.position ?? "-"} ${Number(score.toFixed(3))}`;
  return { stay: [...result.selectedPositions], go: result.filtered.map(go) };
}

interface Case {
  readonly title: string;
  readonly records: readonly TextRecord[];
  readonly options?: DedupOptions;
  readonly stay: readonly number[];
  readonly go: readonly string[];
}

function tell(cases: readonly Case[]): void {
  it.each(cases)("$title", async ({ records, options, stay, go }) => {
    expect(summary(await dedup(records, options))).toEqual({ stay, go });
  });
}

const fox = "the quick brown fox jumps over the lazy dog near the river bank";

describe("a reason", () => {
  tell([
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
  tell([
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
  tell([
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

describe("shingles", () => {
  const shingle = (unit: "word" | "character", size: number): DedupOptions => ({
    methods: ["lexical"],
    shingles: { unit, size },
    jaccard: 0.5,
  });
  tell([
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

describe("a blank text", () => {
  const records = ["", " ", "\n\u200b", "word", ""];
  tell([
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

describe("keep", () => {
  const rated = (values: ReadonlyArray<number | string | Date | null>): TextRecord[] =>
    values.map((rank, index) => ({ text: index % 2 === 0 ? "same text" : "same  text", rank }));
  tell([
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

describe("records", () => {
  it("strings in, strings out, also when all are exact copies", async () => {
    const { selected, filtered, selectedWithDuplicates } = await dedup(["a", "a", "a"]).then((result) => ({
      selected: result.selected,
      filtered: result.filtered,
      selectedWithDuplicates: result.selectedWithDuplicates(),
    }));
    expect(selected).toEqual(["a"]);
    expect(filtered.map(({ record }) => record)).toEqual(["a", "a"]);
    expect(selectedWithDuplicates).toEqual([
      {
        record: "a",
        duplicates: [
          { record: "a", score: 1 },
          { record: "a", score: 1 },
        ],
      },
    ]);
  });

  it("objects in, the same objects out", async () => {
    const records = [
      { text: "a", n: 1 },
      { text: "a", n: 2 },
    ];
    const result = await dedup(records);
    expect(result.selected[0]).toBe(records[0]);
    expect(result.filtered[0]?.record).toBe(records[1]);
    expect(result.filtered[0]?.duplicates[0]?.record).toBe(records[0]);
  });

  it("strings and objects may be mixed", async () => {
    const result = await dedup<TextRecord>(["a", { text: "a" }]);
    expect(summary(result)).toEqual({ stay: [0], go: ["1 exact 0 1"] });
  });

  const list = ["x", "y", "x"];
  function* generated(): Generator<string> {
    yield* list;
  }
  async function* awaited(): AsyncGenerator<string> {
    for (const text of list) yield await Promise.resolve(text);
  }
  it.each([
    ["an array", (): Iterable<string> => list],
    ["a generator", generated],
    ["an async generator", awaited],
    ["an iterator of a map", (): Iterable<string> => new Map(list.map((text, key) => [key, text])).values()],
  ])("may come as %s", async (_, source) => {
    expect(summary(await dedup(source()))).toEqual({ stay: [0, 1], go: ["2 exact 0 1"] });
  });

  it("are compared in the chosen columns, as a tuple", async () => {
    const records = [
      { q: "a", a: "b" },
      { q: "ab", a: "" },
      { q: "a", a: "b" },
      { q: "a\nb", a: "" },
    ];
    const result = await dedup(records, { columns: ["q", "a"], methods: ["normalized"] });
    expect(summary(result)).toEqual({ stay: [0, 1, 3], go: ["2 exact 0 1"] });
    expect(result.columns).toEqual(["q", "a"]);
  });

  it("have each column embedded apart", async () => {
    const records = [
      { q: "where is the station", a: "turn left at the corner" },
      { q: "turn left at the corner", a: "where is the station" },
      { q: "where is the station", a: "turn left at the corner!" },
    ];
    const result = await dedup(records, { columns: ["q", "a"], methods: ["semantic"] });
    expect([...result.selectedPositions]).toEqual([0, 1]);
    expect(result.report.options["dimension"]).toBe(512);
  });

  it.each([
    ["the default field", {}, ["7", undefined], "7"],
    ["a chosen field", { id: "key" }, ["k0", "k1"], "k0"],
  ])("have an id from %s", async (_, options, [first, second], witness) => {
    const records = [
      { id: 7, key: "k0", text: "a" },
      { id: null, key: "k1", text: "a" },
    ];
    const { filtered } = await dedup(records, options);
    expect(filtered[0]?.id).toBe(second);
    expect(filtered[0]?.duplicateOf).toEqual({ position: 0, id: witness });
    expect(witness).toBe(first);
  });

  it("with lone surrogates stay different, and equal ones are copies", async () => {
    const result = await dedup(["\ud83d", "\ude00", "\ud83d", "a\ud83d", "\ufffd"], {
      methods: ["normalized"],
    });
    expect(summary(result)).toEqual({ stay: [0, 1, 3, 4], go: ["2 exact 0 1"] });
  });

  it("may be none", async () => {
    const result = await dedup<string>([]);
    expect(result.selected).toEqual([]);
    expect(result.filtered).toEqual([]);
    expect(result.duplicateRatio).toBe(0);
    expect(result.exactDuplicateRatio).toBe(0);
    expect(result.histogram().reduce((sum, { count }) => sum + count, 0)).toBe(0);
    expect(result.rethreshold(0.95).selected).toEqual([]);
  });

  it("may be one enormous text", async () => {
    const long = "word ".repeat(400_000);
    const result = await dedup([long, `${long}  `, "short"], { methods: TEXTUAL });
    expect(summary(result)).toEqual({ stay: [0, 2], go: ["1 normalized 0 1"] });
  });

  it("may be a hundred thousand lines of one template", async () => {
    const lines = Array.from(
      { length: 100_000 },
      (_, n) => `This page is page number ${n} of the printed manual`,
    );
    const { selectedPositions, report } = await dedup(lines, { methods: TEXTUAL, jaccard: 0.3 });
    expect([...selectedPositions]).toEqual([0]);
    expect(report.counts["lexical"]).toBe(99_999);
    expect(report.limits).toEqual([]);
  });
});

describe("a guard", () => {
  const pairs: ReadonlyArray<readonly [string, string, string]> = [
    ["numbers", "order 1001 costs 25 dollars in total", "order 1002 costs 95 dollars in total"],
    ["negation", "the service is available in this region", "the service is not available in this region"],
    ["order", "dog bites man", "man bites dog"],
  ];
  it.each(pairs)("%s keeps a pair apart and says so", async (guard, a, b) => {
    const records = [a, b];
    expect((await dedup(records)).selected).toHaveLength(1);
    const result = await dedup(records, { guards: ["numbers", "negation", "antonyms", "names", "order"] });
    expect(result.selected).toEqual(records);
    expect(result.vetoed).toEqual([
      { position: 1, record: b, comparedWith: { position: 0 }, score: expect.any(Number) as number, guard },
    ]);
    expect(result.vetoed[0]?.score).toBeGreaterThanOrEqual(0.9);
    expect(result.report.counts["vetoed"]).toBe(1);
  });

  it("asks the next best witness, and the dropped record names the veto", async () => {
    const records = ["the order 25 has arrived", "the order has arrived", "the order 26 has arrived"];
    const result = await dedup(records, { threshold: 0.7, guards: ["names"] });
    const guarded = await dedup(records, { threshold: 0.7, guards: ["numbers"] });
    expect(result.selected).toHaveLength(1);
    expect(guarded.selected).toEqual(records);
  });

  it("never touches exact and normalized copies", async () => {
    const result = await dedup(["order 1", "order 1", "order  1"], { guards: ["numbers"] });
    expect(summary(result)).toEqual({ stay: [0], go: ["1 exact 0 1", "2 normalized 0 1"] });
  });
});

describe("a result", () => {
  it("is plain data: it survives structuredClone and JSON", async () => {
    const result = await dedup(["a", "a", "b"]);
    const clone = structuredClone(result) as unknown as Record<string, unknown>;
    expect(Object.keys(clone).sort()).toEqual(
      [
        "columns",
        "duplicateRatio",
        "exactDuplicateRatio",
        "filtered",
        "report",
        "selected",
        "selectedPositions",
        "threshold",
        "vetoed",
      ].sort(),
    );
    expect(clone["selected"]).toEqual(["a", "b"]);
    expect((JSON.parse(JSON.stringify(result)) as typeof result).filtered).toEqual(result.filtered);
  });

  it("has ratios over all records", async () => {
    const result = await dedup(["a", "a", "a ", "b"], { methods: ["normalized"] });
    expect(result.duplicateRatio).toBe(2 / 4);
    expect(result.exactDuplicateRatio).toBe(1 / 4);
  });

  it("lists the least similar near-duplicates, worst first", async () => {
    const records = [fox, `${fox} today`, `${fox} today again`, "other", "other"];
    const result = await dedup(records, { methods: TEXTUAL });
    const least = result.leastSimilar(5).map(({ position, score }) => [position, Number(score.toFixed(3))]);
    expect(least).toEqual([
      [2, 0.846],
      [1, 0.917],
    ]);
    expect(result.leastSimilar(1)).toHaveLength(1);
    expect(result.leastSimilar(0)).toEqual([]);
  });

  it("has a histogram from the floor to 1 that shows what lies below the threshold", async () => {
    const records = [
      "the cat sat on the mat",
      "a cat sat on a mat",
      "stock prices fell sharply",
      "mat on the sat cat the",
    ];
    const wide = await dedup(records, { methods: ["semantic"], threshold: 0.99, floor: 0.5 });
    const bins = wide.histogram(5);
    expect(bins[0]?.from).toBe(0.5);
    expect(bins.at(-1)?.to).toBe(1);
    bins.slice(1).forEach((bin, index) => {
      expect(bin.from).toBeCloseTo(bins[index]?.to ?? -1, 12);
    });
    // One dropped (the same words), one kept with a neighbour between floor and threshold.
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    const narrow = await dedup(records, { methods: ["semantic"], threshold: 0.99 });
    expect(narrow.histogram(5).reduce((sum, { count }) => sum + count, 0)).toBe(1);
  });

  it("is walked again upwards, and down to the floor, but not below it", async () => {
    const records = ["the cat sat on the mat", "a cat sat on a mat", "mat on the sat cat the"];
    const result = await dedup(records, { methods: ["semantic"], threshold: 0.95, floor: 0.5 });
    expect(result.rethreshold(0.5).selected).toHaveLength(1);
    expect(result.rethreshold(1).threshold).toBe(1);
    expect(() => result.rethreshold(0.4)).toThrow(
      expect.objectContaining({
        code: "THRESHOLD_BELOW_FLOOR",
        details: expect.objectContaining({ field: "threshold" }) as object,
      }),
    );
  });
});

describe("a report", () => {
  it("counts every record once", async () => {
    const { counts } = (await dedup(["a", "a", "a ", "b c d e", "b c d e f g", " "], { empty: "drop" }))
      .report;
    const reasons = ["exact", "normalized", "lexical", "semantic", "empty"].map(
      (reason) => counts[reason] ?? 0,
    );
    expect(reasons.reduce((sum, count) => sum + count, 0)).toBe(counts["filtered"]);
    expect((counts["selected"] ?? 0) + (counts["filtered"] ?? 0)).toBe(counts["records"]);
  });

  it("has the sizes of the largest groups", async () => {
    const { counts } = (await dedup(["a", "a", "b", "a", "b"], { methods: ["exact"] })).report;
    expect(counts["groups"]).toBe(2);
    expect(counts["largest_group_1"]).toBe(2);
    expect(counts["largest_group_2"]).toBe(1);
  });

  it("says when witnesses beyond duplicatesMax are not listed", async () => {
    const records = ["a b c d e f", "c d e f g h", "a b c d e f g h"];
    const { filtered, report } = await dedup(records, { methods: TEXTUAL, jaccard: 0.5, duplicatesMax: 1 });
    expect(filtered[0]?.duplicates).toHaveLength(1);
    expect(report.limits).toEqual(["1 witnesses beyond duplicatesMax 1 are not listed."]);
    expect(report.counts["duplicates_cut"]).toBe(1);
  });

  it("says when the embedder does not know the language", async () => {
    const { report } = await dedup([
      "\u0f56\u0f7c\u0f51\u0f0b\u0f61\u0f72\u0f42",
      "\u{1f600}\u{1f601} \u{1f602}",
    ]);
    expect(report.limits.join(" ")).toMatch(/The embedder does not know \d+ % of the tokens/);
  });

  it("says how many texts have no vector", async () => {
    const { report } = await dedup(["\u{1f600}", "plain English words"]);
    expect(report.counts["without_vector"]).toBe(1);
    expect(report.limits.join(" ")).toContain("1 distinct texts have no vector");
  });

  it("is silent about languages with the embedder that hashes characters", async () => {
    const { report, selected } = await dedup(["\u4eca\u5929\u5929\u6c14\u5f88\u597d", "\u{1f600}"], {
      embedder: "hash",
    });
    expect(selected).toHaveLength(2);
    expect(report.limits).toEqual([]);
  });

  it("says which vectors were compared", async () => {
    const { options } = (await dedup(["a"])).report;
    expect(options["embedder"]).toMatch(/^static-en-256-int4@[0-9a-f]{16}$/);
    expect(options["dimension"]).toBe(256);
  });
});

describe("the profile document", () => {
  it("looks for near-duplicates in the reference only; exact copies inside a batch go", async () => {
    const options = { against: ["fitted text"], profile: "document" } as const;
    const result = await dedup(["new text one", "new text one!", "new text one", "fitted text"], options);
    expect([...result.selectedPositions]).toEqual([0, 1]);
    expect(result.filtered.map(({ duplicateOf }) => duplicateOf)).toEqual([
      { position: 0 },
      { position: null, referencePosition: 0 },
    ]);
  });

  it("looks inside the batch where there is no reference, by exact and semantic only, in no normal form", async () => {
    const { report, selected, filtered } = await dedup(["a", "a", "a "], { profile: "document" });
    expect(selected).toEqual(["a"]);
    expect(filtered.map(({ reason }) => reason)).toEqual(["exact", "semantic"]);
    expect(report.options["methods"]).toEqual(["exact", "semantic"]);
    expect(report.options["normalize"]).toBe("none");
  });
});

describe("vectors in hand", () => {
  it("are used row by row; copies take the vector of the first", async () => {
    const data = Float32Array.of(1, 0, 0, 1, 0, 2, 3, 0.01, 5, 5);
    const records = ["a", "b", "b", "c", "d"];
    const result = await dedup(records, { embeddings: { data, dimension: 2 }, methods: ["semantic"] });
    expect(summary(result)).toEqual({ stay: [0, 1, 4], go: ["2 exact 1 1", "3 semantic 0 1"] });
    expect(result.report.options["embedder"]).toBe("caller");
  });

  it("reach a threshold of 1 when they point the same way exactly", async () => {
    const data = Float32Array.of(3, 4, 6, 8, -3, -4);
    const result = await dedup(["a", "b", "c"], { embeddings: { data, dimension: 2 }, threshold: 0.999_999 });
    expect([...result.selectedPositions]).toEqual([0, 2]);
  });
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

describe("a threshold of 1", () => {
  it("drops what points the same way, whatever rounding makes of the length", async () => {
    const records = Array.from({ length: 200 }, (_, index) => `word${index} of its own`);
    const dimension = 17;
    const row = Float32Array.from({ length: dimension }, (_, index) => Math.sin(index + 1) * 3);
    const data = new Float32Array(records.length * dimension);
    records.forEach((_, index) => {
      data.set(
        row.map((component) => component * (index + 1)),
        index * dimension,
      );
    });
    const { selected, filtered } = await dedup(records, {
      methods: ["semantic"],
      threshold: 1,
      embeddings: { data, dimension },
    });
    expect(selected).toEqual([records[0]]);
    expect(new Set(filtered.map(({ score }) => score))).toEqual(new Set([1]));
  });
});

describe("your own embedder", () => {
  it("sees each distinct normal form once, and its zero rows are compared with nothing", async () => {
    const seen: string[] = [];
    const embedder = {
      id: "by-length",
      dimension: 2,
      embed: (texts: readonly string[]): Promise<Float32Array> => {
        seen.push(...texts);
        return Promise.resolve(
          Float32Array.from(texts.flatMap((text) => (text === "zero" ? [0, 0] : [text.length, 1]))),
        );
      },
    };
    const result = await dedup(["zero", "abcdef", "abcdef", " abcdef", "ghijkl", "zero "], {
      embedder,
      methods: ["normalized", "semantic"],
    });
    expect(seen).toEqual(["zero", "abcdef", "ghijkl"]);
    expect(summary(result)).toEqual({
      stay: [0, 1],
      go: ["2 exact 1 1", "3 normalized 1 1", "4 semantic 1 1", "5 normalized 0 1"],
    });
    expect(result.report.limits).toEqual([
      "1 distinct texts have no vector and were not compared semantically.",
    ]);
  });
});
