/**
 * Any ONNX cross-encoder in a folder as a reranker: BERT, XLM-R and whatever else reads a query and a text together.
 *
 * Tokens come from the native core, logits from onnxruntime on a thread of its own. A score depends on its query and text, not
 * on the texts beside it, but for the last bits of a float.
 */
import type { NativeTokenizer } from "#native";
import { requireTexts, wrongArgument } from "../argument.js";
import { SluiceError } from "../errors.js";
import { runJob } from "../native.js";
import { packTexts, type PackedTexts } from "../text/pack.js";
import { Turns } from "../turns.js";
import {
  checkCrossEncoder,
  CROSS_ENCODER_DEFAULTS,
  type CrossEncoderOptions,
} from "./cross-encoder-options.js";
import { scoreRuleFor, scoresOf, type ScoreRule } from "./logit-scores.js";
import { readModelFolder, type ModelFolder } from "./model-folder.js";
import type { OnnxBatch, OnnxTensor } from "./onnx-messages.js";
import { OnnxSession, type OnnxGraph } from "./onnx-session.js";
import { batchesOf, type BatchShape, type EncodedPairs } from "./pair-batches.js";
import type { Reranker, RerankOptions } from "./reranker.js";

/** A reranker with a graph and a thread behind it. */
export interface CrossEncoder extends Reranker {
  /** Most tokens of a query and a text together. */
  readonly maxTokens: number;
  /** Lets go of the graph; calls that run are refused with `CLOSED`. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Loads a cross-encoder from a Hugging Face folder: `tokenizer.json`, `config.json`, and the graph at `onnx/model.onnx` or
 * `model.onnx`. Needs the optional package `onnxruntime-node`: without it `ONNX_RUNTIME_MISSING`. A folder that does not fit is
 * `MODEL_INVALID`; the graph is tried on one pair. Takes as long as reading the files twice, some seconds for the largest.
 * Example: `examples/cross-encoder/`.
 */
export async function loadCrossEncoder(
  folder: string,
  options: CrossEncoderOptions = {},
): Promise<CrossEncoder> {
  checkCrossEncoder(folder, options);
  const { graph, threads = CROSS_ENCODER_DEFAULTS.threads, signal } = options;
  signal?.throwIfAborted();
  const files = await readModelFolder(folder, graph);
  const { value: tokenizer } = await runJob((core) => core.NativeTokenizer.load(files.tokenizer), { signal });
  const maxTokens = tokensMaxOf(options, tokenizer, files);
  const session = await OnnxSession.open({ graph: files.graph, threads }, signal);
  try {
    const encoder = new OnnxCrossEncoder(files, tokenizer, session, { ...options, maxTokens });
    await encoder.tryOut(files, options);
    return encoder;
  } catch (reason) {
    await session.close();
    // What the graph did not do is a matter of its file here: the pair was ours.
    if (!(reason instanceof SluiceError) || reason.code === "CLOSED") throw reason;
    const code = reason.code === "RERANKER_FAILED" ? "MODEL_INVALID" : reason.code;
    throw new SluiceError(code, reason.message, { path: files.graph, ...reason.details }, { cause: reason });
  }
}

class OnnxCrossEncoder implements CrossEncoder {
  readonly id: string;
  readonly maxTokens: number;
  // Private, so that the public object carries no native member.
  readonly #tokenizer: NativeTokenizer;
  readonly #session: OnnxSession;
  readonly #shape: BatchShape;
  readonly #output: string;
  readonly #turns = new Turns();
  #rule: ScoreRule = { kind: "logit" };

  constructor(
    { name, config }: ModelFolder,
    tokenizer: NativeTokenizer,
    session: OnnxSession,
    options: CrossEncoderOptions & { readonly maxTokens: number },
  ) {
    const { graph } = session;
    this.id = `${name}@${graph.sha256.slice(0, 16)}`;
    this.maxTokens = options.maxTokens;
    this.#tokenizer = tokenizer;
    this.#session = session;
    this.#output = outputOf(graph);
    this.#shape = {
      batchSize: options.batchSize ?? (graph.isDynamic ? 1 : CROSS_ENCODER_DEFAULTS.batchSize),
      padId: config.padId,
      hasTypes: hasTypes(graph),
    };
  }

  /** Runs one pair, and learns from what comes how scores are made. */
  async tryOut({ config }: ModelFolder, { activation, signal }: CrossEncoderOptions): Promise<void> {
    for (const packed of packTexts(["a"])) {
      const pairs = await this.#encode("a", packed, signal);
      for (const { batch } of batchesOf(pairs, this.#shape)) {
        const tensor = await this.#run(batch, signal);
        this.#rule = scoreRuleFor(tensor, config.labels, activation ?? config.activation);
      }
    }
  }

  rerank(query: string, texts: readonly string[], options: RerankOptions = {}): Promise<readonly number[]> {
    return this.#turns.during(async () => {
      // A caller without types may hand us anything.
      if (typeof (query as unknown) !== "string") throw wrongArgument("query", "string", query);
      requireTexts(texts);
      const { closing } = this.#turns;
      const signal = options.signal === undefined ? closing : AbortSignal.any([options.signal, closing]);
      const scores = new Array<number>(texts.length);
      let first = 0;
      for (const packed of packTexts(texts.map((text) => text.toWellFormed()))) {
        const pairs = await this.#encode(query.toWellFormed(), packed, signal);
        for (const { positions, batch } of batchesOf(pairs, this.#shape)) {
          const found = scoresOf(await this.#run(batch, signal), positions.length, this.#rule);
          for (const [row, position] of positions.entries()) scores[first + position] = found[row] ?? NaN;
        }
        first += pairs.ends.length;
      }
      return scores;
    });
  }

  async close(): Promise<void> {
    this.#turns.close(new SluiceError("CLOSED", "The cross-encoder was closed; load it again."));
    await this.#session.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #encode(query: string, packed: PackedTexts, signal: AbortSignal | undefined): Promise<EncodedPairs> {
    const { data, offsets } = packed;
    const { value } = await runJob(
      (_, control) => this.#tokenizer.encodePairs(query, data, offsets, this.maxTokens, control),
      { signal },
    );
    return value;
  }

  #run(batch: OnnxBatch, signal: AbortSignal | undefined): Promise<OnnxTensor> {
    return this.#session.run(batch, this.#output, signal);
  }
}

/** What was asked for, if the model can; else the least of the default and what tokenizer and model say. */
function tokensMaxOf(
  { maxTokens }: CrossEncoderOptions,
  tokenizer: NativeTokenizer,
  { config: { tokensMax = Infinity } }: ModelFolder,
): number {
  const most = maxTokens ?? Math.min(CROSS_ENCODER_DEFAULTS.maxTokens, tokenizer.ownTokensMax ?? Infinity);
  if (maxTokens !== undefined && maxTokens > tokensMax) {
    throw new SluiceError("OPTION_INVALID", "The model has no positions for so many tokens.", {
      field: "maxTokens",
      expected: `at most ${tokensMax}`,
      received: String(maxTokens),
    });
  }
  return Math.min(most, tokensMax);
}

const REQUIRED_INPUTS: readonly string[] = ["input_ids", "attention_mask"];
const TYPES = "token_type_ids";

/** Whether the graph asks for types of tokens; refuses one that asks for anything that a pair of texts has not. */
function hasTypes({ inputs }: OnnxGraph): boolean {
  const names = inputs.map(({ name }) => name);
  const known = [...REQUIRED_INPUTS, TYPES];
  const fits =
    REQUIRED_INPUTS.every((name) => names.includes(name)) && names.every((name) => known.includes(name));
  if (!fits || inputs.some(({ type }) => type !== "int64")) {
    throw new SluiceError("MODEL_INVALID", "The graph does not take what a cross-encoder takes.", {
      expected: "input_ids, attention_mask and perhaps token_type_ids, all int64",
      received: inputs.map(({ name, type }) => `${name} ${type}`).join(", "),
    });
  }
  return names.includes(TYPES);
}

/** The output with the logits: the one of that name, or the only one. */
function outputOf({ outputs }: OnnxGraph): string {
  const names = outputs.map(({ name }) => name);
  const found = names.includes("logits") ? "logits" : names.length === 1 ? names[0] : undefined;
  if (found !== undefined) return found;
  throw new SluiceError("MODEL_INVALID", "The graph does not say which of its outputs are the logits.", {
    expected: "an output `logits`, or only one",
    received: names.join(", "),
  });
}
