/**
 * A bad option or argument is a typed error that names it and says what would be right.
 */
import { describe, expect, it } from "vitest";
import type { DedupOptions, DedupResult, ErrorDetails } from "../../src/main.js";
import { dedup, dedupFile, Deduper } from "../../src/main.js";
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
    bad("an unknown method", { methods: ["fuzzy"] }, "methods"),
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
    bad("a signal that is none", { signal: {} }, "signal"),
    bad("onProgress that is no function", { onProgress: 1 }, "onProgress"),
    bad("an embedder without embed", { embedder: { id: "x", dimension: 2 } }, "embedder"),
    bad("an embedder of dimension 0", { embedder: { id: "x", dimension: 0, embed: () => null } }, "embedder"),
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
    ...[Symbol("x"), 1n, "0.95", null].map((threshold) => ({
      title: `asked for another threshold by a ${typeof threshold}`,
      work: async () => (await result()).rethreshold(threshold as never),
      code: "OPTION_INVALID",
      details: { field: "threshold" },
    })),
  ]);
});
