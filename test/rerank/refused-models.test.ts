/**
 * Folders and options that no cross-encoder comes of: each is told apart, and leaves no thread behind.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadCrossEncoder } from "../../src/main.js";
import { refuses } from "../support/refusal-table.js";
import { bertFile, bertWith, modelFolder, wrongGraph } from "./model-copy.js";

const load = loadCrossEncoder;
const config = JSON.parse(bertFile("config.json").toString()) as Readonly<Record<string, unknown>>;
const tokenizer = JSON.parse(bertFile("tokenizer.json").toString()) as Readonly<Record<string, unknown>>;
const without = (object: object, key: string): string =>
  JSON.stringify(Object.fromEntries(Object.entries(object).filter(([name]) => name !== key)));

describe("a folder", () => {
  const invalid = (
    title: string,
    work: () => unknown,
    details = {},
  ): Parameters<typeof refuses>[0][number] => ({
    title,
    work,
    code: "MODEL_INVALID",
    details,
  });
  refuses([
    invalid("that is not there", () => load("/no/such/folder"), { received: "nothing there" }),
    invalid("without a graph", () => load(bertWith({ "onnx/model.onnx": undefined })), {
      path: expect.stringMatching(/model\.onnx$/) as string,
      expected: "a file",
    }),
    invalid("without that graph", () => load(modelFolder("bert"), { graph: "onnx/other.onnx" })),
    invalid("without a tokenizer", () => load(bertWith({ "tokenizer.json": undefined })), {
      path: expect.stringMatching(/tokenizer\.json$/) as string,
    }),
    invalid("without a configuration", () => load(bertWith({ "config.json": undefined })), {
      path: expect.stringMatching(/config\.json$/) as string,
    }),
    invalid("whose configuration is no JSON", () => load(bertWith({ "config.json": "{" }))),
    invalid("whose configuration is a list", () => load(bertWith({ "config.json": "[]" }))),
    invalid("whose configuration is of no size it should have", () =>
      load(bertWith({ "config.json": " ".repeat((1 << 20) + 1) })),
    ),
    invalid("whose configuration names a part of a token", () =>
      load(bertWith({ "config.json": JSON.stringify({ ...config, pad_token_id: 0.5 }) })),
    ),
    invalid(
      "whose configuration and graph have other labels",
      () => load(bertWith({ "config.json": JSON.stringify({ ...config, num_labels: 3 }) })),
      { expected: "3 labels, as config.json says", received: "1 of the graph" },
    ),
    invalid("whose tokenizer is cut short", () =>
      load(bertWith({ "tokenizer.json": bertFile("tokenizer.json").subarray(0, 9_000) })),
    ),
    invalid("whose tokenizer is an empty file", () => load(bertWith({ "tokenizer.json": "" }))),
    invalid(
      "whose tokenizer joins nothing",
      () => load(bertWith({ "tokenizer.json": without(tokenizer, "post_processor") })),
      { expected: "a post_processor that sets two texts apart" },
    ),
    invalid("whose graph is empty", () => load(bertWith({ "onnx/model.onnx": "" }))),
    invalid("whose graph is text", () => load(bertWith({ "onnx/model.onnx": "not a graph" }))),
    invalid("whose graph is cut short", () =>
      load(bertWith({ "onnx/model.onnx": bertFile("onnx/model.onnx").subarray(0, 400_000) })),
    ),
  ]);

  it.each(["onnx/model.onnx", "tokenizer.json", "config.json"])(
    "with a pipe in the place of %s is refused and not waited for",
    async (name) => {
      const folder = bertWith({});
      rmSync(join(folder, name));
      execFileSync("mkfifo", [join(folder, name)]);
      await expect(load(folder)).rejects.toMatchObject({ code: "MODEL_INVALID" });
    },
  );
});

describe("a graph that is none of a cross-encoder", () => {
  const cases: ReadonlyArray<readonly [name: string, received: RegExp]> = [
    ["no-input-ids", /pixels/],
    ["no-mask", /input_ids/],
    ["more-inputs", /bbox/],
    ["narrow-ids", /int32/],
    ["half-scores", /float16/],
    ["score-a-token", /shape \[1, \d+\]/],
    ["unnamed-outputs", /a, b/],
    ["not-finite", /others/],
    ["fails-in-a-run", /./],
  ];
  it.each(cases)("is refused: %s", async (name, received) => {
    const folder = bertWith({ "onnx/model.onnx": readFileSync(wrongGraph(name)) });
    const failure = await load(folder).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(failure).toMatchObject({
      code: "MODEL_INVALID",
      details: { path: expect.stringMatching(/model\.onnx$/) as string },
    });
    expect(JSON.stringify(failure)).toMatch(received);
  });
});

describe("an argument", () => {
  const bert = modelFolder("bert");
  const wrong = (
    title: string,
    work: () => unknown,
    field: string,
  ): Parameters<typeof refuses>[0][number] => ({
    title,
    work,
    code: "OPTION_INVALID",
    details: { field },
  });
  refuses([
    wrong("an empty folder name", () => load(""), "folder"),
    // What a caller without types may do.
    wrong("a folder that is a number", () => load(7 as unknown as string), "folder"),
    wrong("an unknown option", () => load(bert, { model: "a" } as object), "model"),
    wrong("no tokens", () => load(bert, { maxTokens: 0 }), "maxTokens"),
    wrong("more tokens than the model has positions for", () => load(bert, { maxTokens: 513 }), "maxTokens"),
    wrong("half a batch", () => load(bert, { batchSize: 0.5 }), "batchSize"),
    wrong("no thread", () => load(bert, { threads: 0 }), "threads"),
    wrong("another activation", () => load(bert, { activation: "tanh" as "logit" }), "activation"),
    wrong(
      "a query that is none",
      async () => {
        await using encoder = await load(bert);
        await encoder.rerank(null as unknown as string, ["a"]);
      },
      "query",
    ),
    wrong(
      "a text that is none",
      async () => {
        await using encoder = await load(bert);
        await encoder.rerank("a", ["a", 1 as unknown as string]);
      },
      "texts.1",
    ),
  ]);
});
