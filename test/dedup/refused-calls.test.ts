/**
 * Calls of a deduper that its fit, its state or its kind does not allow.
 */
import { describe, expect, it } from "vitest";
import type { DeduplicateOptions, Embedder, TextRecord } from "../../src/main.js";
import { dedup, Deduper, loadEmbedder } from "../../src/main.js";
import { refuses, SECRET } from "../support/refusal-table.js";

describe("a deduper", () => {
  const closed = async (): Promise<Deduper<string>> => {
    const deduper = await Deduper.from<string>([SECRET]);
    deduper.close();
    return deduper;
  };
  const fromOther = async (): Promise<Embedder> => loadEmbedder("hash");
  const fitted = { data: Float32Array.of(1, 0), dimension: 2 };
  refuses([
    { title: "closed, asked", work: async () => (await closed()).deduplicate(["a"]), code: "CLOSED" },
    {
      title: "closed, asked about itself",
      work: async () => (await closed()).selfDeduplicate(),
      code: "CLOSED",
    },
    { title: "closed, added to", work: async () => (await closed()).add(["a"]), code: "CLOSED" },
    {
      title: "fitted by vectors, asked with another embedder's",
      work: async () => {
        const deduper = await Deduper.fromEmbeddings<string>(fitted, [SECRET]);
        return deduper.deduplicate([`${SECRET} b`]);
      },
      code: "EMBEDDER_MISMATCH",
      details: { expected: "caller, 2 components" },
    },
    {
      title: "fitted by vectors, asked with vectors of another dimension",
      work: async () => {
        const deduper = await Deduper.fromEmbeddings<string>(fitted, [SECRET]);
        return deduper.deduplicate(["b"], { embeddings: { data: Float32Array.of(1, 0, 0), dimension: 3 } });
      },
      code: "EMBEDDER_MISMATCH",
      details: { received: "caller, 3 components" },
    },
    ...[undefined, null, [1, 0], "static-en"].map((embeddings) => ({
      title: `fitted by vectors that are ${JSON.stringify(embeddings)}`,
      work: () => Deduper.fromEmbeddings(embeddings as never, [SECRET]),
      code: "OPTION_INVALID",
      details: { field: "embeddings" },
    })),
    ...[null, []].map((options) => ({
      title: `fitted by vectors with the options ${JSON.stringify(options)}`,
      work: () => Deduper.fromEmbeddings(fitted, [SECRET], options as never),
      code: "OPTION_INVALID",
      details: { field: "options", expected: "object" },
    })),
    {
      title: "asked below the lexical threshold it was fitted for",
      work: async () =>
        (await Deduper.from<string>([SECRET], { jaccard: 0.8 })).deduplicate(["b"], { jaccard: 0.5 }),
      code: "OPTION_INVALID",
      details: { field: "jaccard", expected: "at least 0.8", received: "0.5" },
    },
    {
      title: "compared with, while the call changes what was settled",
      work: async () =>
        dedup(["b"], { against: await Deduper.from<string>([SECRET]), embedder: await fromOther() }),
      code: "OPTION_INVALID",
      details: { field: "embedder" },
    },
    {
      title: "asked again through a result from before it grew",
      work: async () => {
        const deduper = await Deduper.from<string>([SECRET]);
        const result = await deduper.deduplicate(["something else"], { add: true });
        return result.rethreshold(0.95);
      },
      code: "RESULT_STALE",
      details: { expected: "1 items", received: "2 items" },
    },
    ...(
      [
        ["deduplicate", { columns: ["body"] }, "columns"],
        ["deduplicate", { methods: "all" }, "methods"],
        ["deduplicate", { add: "yes" }, "add"],
        ["deduplicate", null, "options"],
        ["add", { columns: ["body"] }, "columns"],
        ["add", { threshold: 0.5 }, "threshold"],
        ["filterOutliersIn", { shingles: { unit: "word", size: 2 } }, "shingles"],
        ["findRepresentativeIn", { id: "key" }, "id"],
      ] as const
    ).map(([call, options, field]) => ({
      title: `given ${JSON.stringify(options)} by ${call}, which has no effect there`,
      work: async () => (await Deduper.from<string>(["a"]))[call](["b"], options as never),
      code: "OPTION_INVALID",
      details: { field },
    })),
    ...(
      [
        ["selfDeduplicate", { columns: ["body"] }, "columns"],
        ["selfDeduplicate", { shingles: { unit: "word", size: 2 } }, "shingles"],
        ["selfDeduplicate", { embedder: "hash" }, "embedder"],
        ["selfDeduplicate", { embeddings: fitted }, "embeddings"],
        ["filterOutliers", { embeddings: fitted }, "embeddings"],
        ["filterOutliers", null, "options"],
        ["findRepresentative", null, "options"],
      ] as const
    ).map(([call, options, field]) => ({
      title: `given ${JSON.stringify(options)} by ${call}, which has no effect there`,
      work: async () => (await Deduper.from<string>(["a"]))[call](options as never),
      code: "OPTION_INVALID",
      details: { field },
    })),
  ]);

  it("takes an option that is undefined for one that is left out", async () => {
    const deduper = await Deduper.from<TextRecord>([{ body: "a" }], { columns: ["body"], threshold: 0.5 });
    const { threshold, selected } = await deduper.deduplicate([{ body: "a" }], {
      threshold: undefined,
      columns: undefined,
    } as DeduplicateOptions);
    expect({ threshold, selected }).toEqual({ threshold: 0.5, selected: [] });
  });
});
