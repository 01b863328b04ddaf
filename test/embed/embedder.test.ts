/**
 * The embedders that come with the package: what they are called, and what their vectors promise.
 */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Embedder } from "../../src/main.js";
import { dedup, Deduper, loadEmbedder } from "../../src/main.js";
import { cosineOf } from "../support/brute-force.js";
import { readEtcd } from "../support/etcd.js";
import { model2vecFolder } from "../support/model2vec-folder.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

const staticEn = await loadEmbedder("static-en");
const hash = await loadEmbedder("hash");

async function rowsOf(embedder: Embedder, texts: readonly string[]): Promise<Float32Array[]> {
  const { dimension } = embedder;
  const data = await embedder.embed(texts);
  expect(data).toHaveLength(texts.length * dimension);
  return texts.map((_, row) => data.subarray(row * dimension, (row + 1) * dimension));
}

async function similarity(embedder: Embedder, a: string, b: string): Promise<number> {
  const [first = new Float32Array(), second = new Float32Array()] = await rowsOf(embedder, [a, b]);
  return cosineOf(first, second);
}

describe.each([
  ["static-en", staticEn, 256, /^static-en-256-int4@[0-9a-f]{16}$/],
  ["hash", hash, 512, /^hash/],
] as const)("the embedder %s", (name, embedder, dimension, id) => {
  it("says so when its method was taken off it", async () => {
    // A getter would do the same.
    const embed = Reflect.get<Embedder, "embed">(embedder, "embed");
    for (const call of [() => embed(["a"]), () => ({ embed }).embed(["a"])]) {
      await expect(call()).rejects.toMatchObject({ code: "OPTION_INVALID", details: { field: "this" } });
    }
  });

  it(`has ${dimension} components and an id that names its weights`, async () => {
    expect(embedder.dimension).toBe(dimension);
    expect(embedder.id).toMatch(id);
    expect((await loadEmbedder(name)).id).toBe(embedder.id);
  });

  it("gives unit vectors or zeros, the same every time and wherever a text stands in a batch", async () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.constantFrom("the cat", "", " ", "\ud83d"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 12 }), async (texts) => {
        const rows = await rowsOf(embedder, texts);
        const reversed = await rowsOf(embedder, texts.toReversed());
        expect(rows).toEqual(reversed.toReversed());
        for (const row of rows) {
          const length = Math.sqrt(row.reduce((sum, component) => sum + component * component, 0));
          expect(length === 0 || Math.abs(length - 1) < 1e-6).toBe(true);
        }
      }),
    );
  });

  it("gives nothing for nothing, and zeros for a blank text", async () => {
    expect(await embedder.embed([])).toHaveLength(0);
    const [blank] = await rowsOf(embedder, [""]);
    expect(blank?.every((component) => component === 0)).toBe(true);
  });

  it("takes more texts than fit one crossing into the core", async () => {
    const texts = Array.from({ length: 40_000 }, (_, n) => `text ${n % 1000}`);
    const rows = await rowsOf(embedder, texts);
    expect(rows[39_500]).toEqual(rows[500]);
    expect(rows[39_500]).not.toEqual(rows[501]);
  });

  it("has taken the texts when the call comes back: the list may be used again", async () => {
    const texts = Array.from({ length: 40_000 }, (_, n) => `text ${n % 1000}`);
    const expected = await embedder.embed([...texts]);
    const work = embedder.embed(texts);
    texts.fill("another text").length = 7;
    // Millions of numbers, which a matcher would go through one by one.
    expect(Buffer.from((await work).buffer).equals(Buffer.from(expected.buffer))).toBe(true);
  });

  it("stops at a signal", async () => {
    const reason = new Error("enough");
    await expect(embedder.embed(["a"], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe("static-en", () => {
  it.each([
    [
      "How do I reset my password?",
      "What are the steps to reset the password?",
      "Boil the pasta for nine minutes.",
    ],
    [
      "The server crashed during the night.",
      "The server went down last night.",
      "Cats sleep most of the day.",
    ],
  ])("finds %j nearer to a paraphrase than to another subject", async (text, paraphrase, other) => {
    const [near, far] = [
      await similarity(staticEn, text, paraphrase),
      await similarity(staticEn, text, other),
    ];
    expect(near).toBeGreaterThan(far + 0.3);
  });

  it("does not see case and accents", async () => {
    expect(await similarity(staticEn, "The Caf\u00e9", "the cafe")).toBeCloseTo(1, 6);
  });

  it("reads on beyond the first 512 tokens", async () => {
    const start = "the same words again and again ".repeat(120);
    const score = await similarity(
      staticEn,
      start + "volcano ".repeat(300),
      start + "accounting ".repeat(300),
    );
    expect(score).toBeLessThan(0.95);
  });

  it("knows the tokens of real English documentation", async () => {
    const texts = readEtcd()
      .slice(0, 500)
      .map(({ text }) => text);
    const rows = await rowsOf(staticEn, texts);
    expect(rows.every((row) => row.some((component) => component !== 0))).toBe(true);
  });
});

describe("hash", () => {
  it.each([
    [
      "\u4eca\u5929\u5929\u6c14\u5f88\u597d\u554a",
      "\u4eca\u5929\u5929\u6c14\u5f88\u597d",
      "\u6628\u591c\u5927\u96ea\u7eb7\u98de",
    ],
    ["deduplication of passages", "deduplicatoin of passages", "weather in the mountains"],
  ])("finds %j nearer to a variant than to another text", async (text, variant, other) => {
    expect(await similarity(hash, text, variant)).toBeGreaterThan(
      (await similarity(hash, text, other)) + 0.3,
    );
  });
});

describe("a model2vec folder", () => {
  it.each([
    ["sets rows to length one where it says so", true, [0.6, 0.8, 0, 1, 0, 0]],
    ["gives plain means where it does not", false, [1.5, 2, 0, 4, 0, 0]],
  ])("%s", async (_, normalize, rows) => {
    const embedder = await loadEmbedder(model2vecFolder(normalize));
    expect(embedder.dimension).toBe(2);
    expect(await embedder.embed(["a b", "b", "?"])).toEqual(Float32Array.from(rows));
  });

  it("decides by direction alone: the same drops with the same scores, normalized or not", async () => {
    const texts = ["a b", "b", "b a", "a a b", "a a a", "?"];
    const [lengths, means] = await Promise.all(
      [true, false].map(async (normalize) => {
        const embedder = model2vecFolder(normalize);
        const { filtered } = await dedup(texts, { embedder, methods: ["semantic"], threshold: 0.5 });
        return filtered.map(({ position, duplicateOf, score }) => [
          position,
          duplicateOf?.position,
          Number(score.toFixed(6)),
        ]);
      }),
    );
    expect(means).toEqual(lengths);
    expect(means).toEqual([
      [1, 0, 0.8],
      [2, 0, 1],
      [3, 0, 0.94299],
      [4, 0, 0.6],
    ]);
  });

  it("serves a deduper whose batches are embedded later", async () => {
    const deduper = await Deduper.from<string>(["a b"], {
      embedder: model2vecFolder(false),
      methods: ["semantic"],
    });
    const { filtered } = await deduper.deduplicate(["b a", "a"]);
    expect(filtered.map(({ record, score }) => [record, score])).toEqual([["b a", 1]]);
    deduper.close();
  });
});

describe("a file of a model folder", () => {
  it.each(["model.safetensors", "tokenizer.json", "config.json"])(
    "that is a pipe is refused and not waited for: %s",
    async (name) => {
      const folder = model2vecFolder(true);
      const path = join(folder, name);
      rmSync(path);
      execFileSync("mkfifo", [path]);
      await expect(loadEmbedder(folder)).rejects.toMatchObject({
        code: "MODEL_INVALID",
        details: { path, expected: "a file", received: "no regular file" },
      });
    },
  );

  it("that holds a list where an object belongs is refused", async () => {
    const folder = model2vecFolder(true);
    writeFileSync(join(folder, "config.json"), "[]");
    await expect(loadEmbedder(folder)).rejects.toMatchObject({ code: "MODEL_INVALID" });
  });
});

describe("what is no embedder", () => {
  it.each([
    ["a name nobody knows", (): string => "static-xx"],
    ["an empty folder", (): string => new TemporaryFolder().path],
    [
      "a folder whose model is cut short",
      (): string => {
        const folder = new TemporaryFolder();
        folder.write("model.safetensors", new Uint8Array(100));
        folder.write("tokenizer.json", "{");
        return folder.path;
      },
    ],
    ["a file", (): string => new TemporaryFolder().write("model", "text")],
  ])("is refused: %s", async (_, path) => {
    await expect(loadEmbedder(path())).rejects.toMatchObject({
      code: "MODEL_INVALID",
      details: { path: expect.any(String) as string },
    });
  });
});
