/**
 * What a caller may say about a cross-encoder, its defaults, and the one place that checks it.
 */
import { z } from "zod";
import { checkAgainst, requireText } from "../argument.js";

/** How a cross-encoder is loaded, and what a call of it costs. */
export interface CrossEncoderOptions {
  /**
   * The file of the graph, relative to the folder, such as `onnx/model_quantized.onnx`. Default: `onnx/model.onnx`, or
   * `model.onnx` where there is none.
   */
  readonly graph?: string | undefined;
  /**
   * Most tokens of a query and a text together, 8 to 65,536; of whichever is longer the end is cut off. Time grows faster than
   * this. Default: 512, or less where the tokenizer or the model says less.
   */
  readonly maxTokens?: number | undefined;
  /**
   * What becomes of the logit of a model with one label: `logit` leaves it, `sigmoid` maps it to 0 to 1, which changes no
   * order. Default: what `config.json` says, and `sigmoid` where it says nothing. A model with two labels gives the
   * probability of the second, whatever this is.
   */
  readonly activation?: Activation | undefined;
  /**
   * Most pairs that run at once, 1 to 1,024. More are a little faster, use more memory, and an abort waits for all of
   * them. Default: 16; 1 for a dynamically quantized graph, in which a larger batch changes the scores.
   */
  readonly batchSize?: number | undefined;
  /** Threads that compute, 1 to 1,024. Default: 1. */
  readonly threads?: number | undefined;
  /** Aborts the loading; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What becomes of the logit of a model with one label. */
export type Activation = "logit" | "sigmoid";

/** The defaults, in one place. */
export const CROSS_ENCODER_DEFAULTS = { maxTokens: 512, batchSize: 16, threads: 1 } as const;

/** Most tokens of a pair that can be asked for: some times what the longest models take. */
const TOKENS_MAX = 65_536;
/** The least that can be asked for: enough for what stands around a pair, and some of both. */
const TOKENS_LEAST = 8;

const schema = z.strictObject({
  graph: z.string().min(1).optional(),
  maxTokens: z.int().min(TOKENS_LEAST).max(TOKENS_MAX).optional(),
  activation: z.enum(["logit", "sigmoid"]).optional(),
  batchSize: z.int().min(1).max(1_024).optional(),
  threads: z.int().min(1).max(1_024).optional(),
  signal: z.instanceof(AbortSignal).optional(),
});

/** Refuses what cannot be loaded, before any file is looked at. */
export function checkCrossEncoder(folder: unknown, options: CrossEncoderOptions): void {
  requireText("folder", folder);
  checkAgainst(schema, options);
}
