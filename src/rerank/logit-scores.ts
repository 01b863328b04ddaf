/**
 * What the logits of a model say as a score, higher is better.
 */
import { SluiceError } from "../errors.js";
import type { Activation } from "./cross-encoder-options.js";
import type { OnnxTensor } from "./onnx-messages.js";

/** How a row of logits becomes a score. */
export type ScoreRule = { readonly kind: Activation } | { readonly kind: "second_of_two" };

/**
 * The rule for a model, told by what it gave for one pair. One label is a relevance; of two, the second is "relevant". Anything
 * else is no cross-encoder.
 */
export function scoreRuleFor(
  { type, shape, data }: OnnxTensor,
  labels: number | undefined,
  activation: Activation | undefined,
): ScoreRule {
  const count = shape[1];
  if (type !== "float32" || data === undefined) throw noCrossEncoder("scores of type float32", type);
  if (shape.length !== 2 || shape[0] !== 1 || (count !== 1 && count !== 2)) {
    throw noCrossEncoder(
      "one or two logits for a pair, shape [1, 1] or [1, 2]",
      `shape [${shape.join(", ")}]`,
    );
  }
  if (labels !== undefined && labels !== count) {
    throw noCrossEncoder(`${labels} labels, as config.json says`, `${count} of the graph`);
  }
  if (!data.every(Number.isFinite)) throw noCrossEncoder("finite logits", "others");
  return { kind: count === 2 ? "second_of_two" : (activation ?? "sigmoid") };
}

/** The scores of the rows of a batch. */
export function scoresOf({ shape, data }: OnnxTensor, rows: number, rule: ScoreRule): readonly number[] {
  const labels = rule.kind === "second_of_two" ? 2 : 1;
  if (data?.length !== rows * labels) {
    throw new SluiceError(
      "RERANKER_FAILED",
      "The graph gave another number of logits than it was asked for.",
      {
        expected: `shape [${rows}, ${labels}]`,
        received: `shape [${shape.join(", ")}]`,
      },
    );
  }
  return Array.from({ length: rows }, (_, row) => scoreOf(data.subarray(row * labels), rule));
}

function scoreOf([first = NaN, second = NaN]: Float32Array, { kind }: ScoreRule): number {
  switch (kind) {
    case "logit":
      return first;
    case "sigmoid":
      return logistic(first);
    case "second_of_two":
      // Softmax of two is the logistic function of their difference.
      return logistic(second - first);
  }
}

function logistic(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

function noCrossEncoder(expected: string, received: string): SluiceError {
  return new SluiceError("MODEL_INVALID", "The graph is not that of a cross-encoder.", {
    expected,
    received,
  });
}
