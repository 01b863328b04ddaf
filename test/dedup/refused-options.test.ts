/**
 * A bad option or argument is a typed error that names it and says what would be right.
 */
import { describe, expect, it } from "vitest";
import type { DedupOptions, DedupResult, ErrorDetails } from "../../src/main.js";
import { dedup, dedupFile, Deduper, SluiceError } from "../../src/main.js";
import type { Bad } from "../support/refusal-table.js";
import { refuses, records, SECRET } from "../support/refusal-table.js";

describe("an option", () => {
  const bad = (title: string, options: object, field: string, details: ErrorDetails = {}): Bad => ({
    title,
    // What a caller without types may do.
    work: () => dedup(records, options as DedupOptions),
    code: "OPTION_INVALID",
    details: { field, ...details },
  });
  refuses([
    bad("a list", [], "options", { expected: "object", received: "array" }),
    bad("a map", new Map([["threshold", 0.5]]), "options"),
    bad("threshold 2", { threshold: 2 }, "threshold", { received: "2" }),
    bad("threshold -1", { threshold: -1 }, "threshold", { received: "-1" }),
    bad("threshold NaN", { threshold: Number.NaN }, "threshold", { received: "NaN" }),
    bad("threshold as text", { threshold: "0.9" }, "threshold", { received: "string" }),
    bad("jaccard 0, which would drop everything", { jaccard: 0 }, "jaccard", { received: "0" }),
    bad("jaccard 1.1", { jaccard: 1.1 }, "jaccard"),
    bad("floor above threshold", { floor: 0.95, threshold: 0.9 }, "floor", {
      expected: "at most 0.9",
      received: "0.95",
    }),
    bad("floor -0.1", { floor: -0.1 }, "floor"),
    bad("a misspelt name", { treshold: 0.9 }, "treshold"),
    bad("an unknown guard", { guards: ["numbers", SECRET] }, "guards.1", { received: "string" }),
    bad("an unknown method", { methods: ["fuzzy"] }, "methods.0", {
      expected: 'one of "exact"|"normalized"|"lexical"|"semantic"',
    }),
    bad("one method as text", { methods: "exact" }, "methods", { expected: '"all" or array' }),
    bad("an unknown normal form", { normalize: "upper" }, "normalize"),
    bad("an unknown policy for blank texts", { empty: "remove" }, "empty"),
    bad("an unknown keep policy", { keep: "last" }, "keep"),
    bad("keep by a field without a direction", { keep: { field: "n" } }, "keep"),
    bad("no columns", { columns: [] }, "columns"),
    bad("an empty column name", { columns: [""] }, "columns.0"),
    bad("columns as text", { columns: "text" }, "columns", { received: "string" }),
    bad("shingles of size 0", { shingles: { unit: "word", size: 0 } }, "shingles.size", { received: "0" }),
    bad("shingles of letters", { shingles: { unit: "letter", size: 3 } }, "shingles.unit"),
    bad("duplicatesMax 0", { duplicatesMax: 0 }, "duplicatesMax"),
    bad("memoryBytes 0", { memoryBytes: 0 }, "memoryBytes"),
    bad("a signal that is none", { signal: {} }, "signal", { expected: "AbortSignal" }),
    bad("onProgress that is no function", { onProgress: 1 }, "onProgress", { expected: "function" }),
    bad("an embedder without embed", { embedder: { id: "x", dimension: 2 } }, "embedder", {
      expected: "an embedder whose embed is a function",
    }),
    bad("an embedder without id", { embedder: { dimension: 2, embed: () => null } }, "embedder", {
      expected: "an embedder whose id is a text",
    }),
    bad("an embedder that is a number", { embedder: 7 }, "embedder", {
      expected: "a name, a folder or an embedder { id, dimension, embed }",
    }),
    bad("an embedder without a name", { embedder: "" }, "embedder", { received: "an empty text" }),
    bad(
      "an embedder of dimension 0",
      { embedder: { id: "x", dimension: 0, embed: () => null } },
      "embedder",
      { expected: "an embedder whose dimension is a whole number from 1 to 65536" },
    ),
    ...[2 ** 31, 2 ** 53].map((dimension) =>
      bad(
        `an embedder of dimension ${dimension}`,
        { embedder: { id: "x", dimension, embed: () => null } },
        "embedder",
      ),
    ),
    ...["methods", "guards", "columns"].map((field) =>
      bad(`${field} as bytes`, { [field]: Buffer.from("ab") }, field, { received: "object" }),
    ),
    bad("embeddings as an array", { embeddings: { data: [1, 2], dimension: 2 } }, "embeddings.data"),
    bad("an unknown profile", { profile: "semhash" }, "profile"),
    bad("add without a Deduper to add to", { add: true }, "add", { expected: "against: a Deduper" }),
    {
      title: "an embedder that is neither a name nor a folder",
      work: () => dedup(records, { embedder: "static-xx" }),
      code: "MODEL_INVALID",
      details: { field: "embedder" },
    },
  ]);
});

describe("a refusal", () => {
  const names = [
    ...["methods", "normalize", "empty", "jaccard", "shingles", "threshold", "floor", "guards", "keep"],
    ...["duplicatesMax", "profile", "threads", "memoryBytes", "columns", "id", "signal", "onProgress"],
    ...["embedder", "embeddings"],
  ] as const;
  const wrong = [null, 7.5, -1, true, "", SECRET, [SECRET], { SECRET: 1 }, () => SECRET];
  const calls: Readonly<Record<string, (options: object) => unknown>> = {
    "dedup": (options) => dedup(records, options),
    "Deduper.findRepresentative": async (options) =>
      (await Deduper.from<string>(["a"])).findRepresentative(options),
    "Deduper.filterOutliers": async (options) => (await Deduper.from<string>(["a"])).filterOutliers(options),
  };
  const options = [
    ...names.map((name) => ["dedup", name] as const),
    ...["count", "strategy", "diversity", "candidateLimit", "neighbours"].map(
      (name) => ["Deduper.findRepresentative", name] as const,
    ),
    ...["share", "neighbours"].map((name) => ["Deduper.filterOutliers", name] as const),
  ];
  it.each(options)("of %s says what would be right for %s, whatever came", async (call, name) => {
    for (const value of wrong) {
      const error: unknown = await Promise.resolve()
        .then(() => calls[call]?.({ [name]: value }))
        .then(
          () => undefined,
          (reason: unknown) => reason,
        );
      // Some of these values are right for some options.
      if (!(error instanceof SluiceError) || error.code !== "OPTION_INVALID") continue;
      expect(error.message).not.toMatch(/Invalid input|another value/);
      expect(error.details.expected).not.toMatch(/Invalid input|another value/);
      expect(error.details.field?.split(".")[0]).toBe(name);
    }
  });
});

describe("threads", () => {
  const calls: Readonly<Record<string, (threads: number) => unknown>> = {
    "dedup": (threads) => dedup(["a"], { threads }),
    "dedupFile": (threads) => dedupFile("never-opened.jsonl", { threads }),
    "Deduper.from": (threads) => Deduper.from(["a"], { threads }),
    "a deduper's deduplicate": async (threads) =>
      (await Deduper.from<string>(["a"])).deduplicate(["b"], { threads }),
    "a deduper's selfDeduplicate": async (threads) =>
      (await Deduper.from<string>(["a"])).selfDeduplicate({ threads }),
    "a deduper's filterOutliers": async (threads) =>
      (await Deduper.from<string>(["a"])).filterOutliers({ threads }),
    "a deduper's findRepresentative": async (threads) =>
      (await Deduper.from<string>(["a"])).findRepresentative({ threads }),
  };
  refuses(
    Object.entries(calls).flatMap(([call, work]) =>
      [0, -1, 1.5, Number.NaN, Infinity, 1025, 2 ** 53].map((threads) => ({
        title: `${threads} for ${call}`,
        work: () => work(threads),
        code: "OPTION_INVALID",
        details: { field: "threads", received: String(threads) },
      })),
    ),
  );
});

describe("a histogram", () => {
  it.each([0, -1, 2.5, Number.NaN, Infinity, 10_001, 1e9])("of %s bins is refused", async (bins) => {
    const result = await dedup(["a", "b"]);
    expect(() => result.histogram(bins)).toThrow(
      expect.objectContaining({
        code: "OPTION_INVALID",
        details: expect.objectContaining({ field: "bins" }) as object,
      }),
    );
  });
});

describe("a result", () => {
  const result = async (): Promise<DedupResult<string>> => dedup(["a", "b"]);
  refuses([
    ...[-1, 0.5, Number.NaN, Infinity, 10n, "1"].map((n) => ({
      title: `asked for its ${String(n)} (${typeof n}) least similar`,
      work: async () => (await result()).leastSimilar(n as never),
      code: "OPTION_INVALID",
      details: { field: "n" },
    })),
    ...["exact", "all", null, 1].flatMap((reason) =>
      (["leastSimilar", "histogram"] as const).map((call) => ({
        title: `asked by ${call} for the reason ${String(reason)}, which has no score of its own`,
        work: async () => (await result())[call](1, reason as never),
        code: "OPTION_INVALID",
        details: { field: "reason", expected: "lexical, semantic" },
      })),
    ),
    ...[Symbol("x"), 1n, "0.95", null].map((threshold) => ({
      title: `asked for another threshold by a ${typeof threshold}`,
      work: async () => (await result()).rethreshold(threshold as never),
      code: "OPTION_INVALID",
      details: { field: "threshold" },
    })),
  ]);
});
