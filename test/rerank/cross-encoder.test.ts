/**
 * What a cross-encoder promises: the scores of the reference, whatever stands beside a text.
 *
 * The folders, and how the expected scores were made: `data/make-fixtures.py`.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadCrossEncoder, type CrossEncoder, type CrossEncoderOptions } from "../../src/main.js";
import { modelFolder } from "./model-copy.js";

type Text = string | { readonly part: string; readonly times: number };

interface Expected {
  readonly title: string;
  readonly query: Text;
  readonly text: Text;
  readonly maxTokens: number;
  readonly tokens: number;
  readonly score: number;
}

// Our own file, written by the program beside it.
const golden = JSON.parse(
  readFileSync(fileURLToPath(new URL("data/golden.json", import.meta.url)), "utf8"),
) as Readonly<Record<string, readonly Expected[]>>;

const whole = (text: Text): string => (typeof text === "string" ? text : text.part.repeat(text.times));

async function opened(name: string, options: CrossEncoderOptions = {}): Promise<CrossEncoder> {
  const encoder = await loadCrossEncoder(modelFolder(name), options);
  onTestFinished(() => encoder.close());
  return encoder;
}

/** Name of the expected scores, folder, graph, and how far a float may be off. */
const MODELS = [
  ["bert", "bert", undefined, 1e-5],
  ["xlm-roberta", "xlm-roberta", undefined, 1e-5],
  // Eight bits: the two versions of the runtime round differently.
  ["bert-quantized", "bert", "onnx/model_quantized.onnx", 0.05],
] as const;

describe.each(MODELS)("the scores of %s", (name, folder, graph, tolerance) => {
  const cases = golden[name] ?? [];
  const lengths = [...new Set(cases.map(({ maxTokens }) => maxTokens))].filter((most) => most >= 8);

  it.each(lengths)("are those of the reference at %d tokens", async (maxTokens) => {
    const encoder = await opened(folder, { graph, maxTokens });
    for (const { title, query, text, score } of cases.filter((one) => one.maxTokens === maxTokens)) {
      const [found = NaN] = await encoder.rerank(whole(query), [whole(text)]);
      expect(Math.abs(found - score), title).toBeLessThan(tolerance);
    }
  });

  it.each([1, 3, 16, 1_024])("do not depend on neighbours or on the batch: %d at once", async (batchSize) => {
    const encoder = await opened(folder, {
      graph,
      maxTokens: 96,
      batchSize: graph === undefined ? batchSize : undefined,
    });
    const asked = cases.filter(({ title }) => title.startsWith("a question") && title.endsWith(", 96"));
    const texts = asked.map(({ text }) => whole(text));
    const query = whole(asked[0]?.query ?? "");
    const [there, back] = [
      await encoder.rerank(query, texts),
      await encoder.rerank(query, [...texts.toReversed(), "another", ...texts]),
    ];
    expect(there).toHaveLength(texts.length);
    for (const [position, { title, score }] of asked.entries()) {
      expect(Math.abs((there[position] ?? NaN) - score), title).toBeLessThan(tolerance);
      expect(
        Math.abs((there[position] ?? NaN) - (back.at(position - texts.length) ?? NaN)),
        title,
      ).toBeLessThan(1e-5);
    }
    expect(await encoder.rerank(query, texts)).toEqual(there);
  });
});

describe("a call", () => {
  it("takes a lone surrogate as U+FFFD, and NUL as any text", async () => {
    const encoder = await opened("bert");
    const [alone, replaced] = await encoder.rerank("a\udc00", ["x\ud800y", "x\ufffdy"]);
    expect(alone).toBe(replaced);
    const found = await encoder.rerank("\0", ["\0", "", "\ud83d"]);
    expect(found.every(Number.isFinite)).toBe(true);
  });

  it("gives nothing for nothing", async () => {
    const encoder = await opened("bert");
    expect(await encoder.rerank("a", [])).toEqual([]);
  });

  it("keeps the order of more texts than fit one crossing into the core", async () => {
    const encoder = await opened("bert", { maxTokens: 12, batchSize: 1_024 });
    const texts = Array.from({ length: 17_000 }, (_, n) => (n % 2 === 0 ? "pump" : "a button of the pump"));
    const scores = await encoder.rerank("stop", texts);
    const [pump = NaN, button = NaN] = await encoder.rerank("stop", texts.slice(0, 2));
    const wrong = scores.findIndex((score, n) => Math.abs(score - (n % 2 === 0 ? pump : button)) > 1e-5);
    expect([scores.length, wrong]).toEqual([17_000, -1]);
  });

  it("may run beside others", async () => {
    const encoder = await opened("xlm-roberta");
    const texts = ["pump", "the red button", "north"];
    const alone = await encoder.rerank("stop", texts);
    const several = await Promise.all(Array.from({ length: 8 }, () => encoder.rerank("stop", texts)));
    for (const scores of several) expect(scores).toEqual(alone);
  });

  it("leaves the event loop alone while the graph computes", async () => {
    const encoder = await opened("bert", { maxTokens: 512, batchSize: 64 });
    const texts = Array.from({ length: 192 }, () => "the red button of the pump ".repeat(100));
    let longestMs = 0;
    let ticks = 0;
    let lastMs = performance.now();
    const timer = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - lastMs);
      lastMs = performance.now();
      ticks += 1;
    }, 2);
    const startedMs = performance.now();
    await encoder.rerank("stop", texts);
    const tookMs = performance.now() - startedMs;
    clearInterval(timer);
    // A batch takes a good part of the whole; on the loop it would show as one wait of that length.
    expect(ticks).toBeGreaterThan(10);
    expect(longestMs).toBeLessThan(tookMs / 6);
  });
});

describe("what becomes of the logit", () => {
  const texts = ["pump", "the red button", "north"];
  it("is what the caller says, before what config.json says", async () => {
    const raw = await (await opened("bert")).rerank("stop", texts);
    const mapped = await (await opened("bert", { activation: "sigmoid" })).rerank("stop", texts);
    expect(raw.some((score) => score < 0)).toBe(true);
    for (const [n, score] of mapped.entries())
      expect(score).toBeCloseTo(1 / (1 + Math.exp(-(raw[n] ?? NaN))), 12);
  });
});

describe("the bound on tokens", () => {
  it.each([
    ["the tokenizer's own", "bert", {}, 96],
    ["what the caller says", "bert", { maxTokens: 512 }, 512],
    [
      "what the caller says, of a model that counts positions from behind its filling token",
      "xlm-roberta",
      { maxTokens: 512 },
      512,
    ],
  ])("is %s", async (_, name, options, maxTokens) => {
    expect((await opened(name, options)).maxTokens).toBe(maxTokens);
  });
});

it("has an id that names folder, graph and content", async () => {
  expect((await opened("bert")).id).toMatch(/^bert@[0-9a-f]{16}$/);
  const quantized = await opened("bert", { graph: "onnx/model_quantized.onnx" });
  expect(quantized.id).toMatch(/^bert\/onnx\/model_quantized\.onnx@[0-9a-f]{16}$/);
});
