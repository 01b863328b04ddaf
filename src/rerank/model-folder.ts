/**
 * A model in a folder as Hugging Face lays it out: where its files are, and what its configuration says.
 *
 * Everything is looked at before it is opened: to open a pipe waits for its writer.
 */
import { readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { z } from "zod";
import { SluiceError } from "../errors.js";
import type { Activation } from "./cross-encoder-options.js";

/** The files of a model, and its configuration. */
export interface ModelFolder {
  /** The folder's own name, and that of the graph where it is not the usual one. */
  readonly name: string;
  readonly graph: string;
  readonly tokenizer: string;
  readonly config: ModelConfig;
}

/** What `config.json` says, as far as it matters here. */
export interface ModelConfig {
  /** Labels of the model, where it says. */
  readonly labels: number | undefined;
  /** Most tokens that the model has positions for, where it says. */
  readonly tokensMax: number | undefined;
  /** The token that fills up short rows. */
  readonly padId: number;
  readonly activation: Activation | undefined;
}

/** Where a graph usually lies, the likeliest first. */
const GRAPHS = ["onnx/model.onnx", "model.onnx"];
/** Most bytes of a configuration; it has one or two thousand. */
const CONFIG_BYTES_MAX = 1 << 20;
/** Families that count positions from the one behind that of the filling token. */
const POSITIONS_BEHIND_PADDING = /^(?:xlm-)?roberta|^camembert/;

const schema = z.looseObject({
  model_type: z.string().optional(),
  num_labels: z.int().optional(),
  id2label: z.record(z.string(), z.unknown()).optional(),
  max_position_embeddings: z.int().positive().optional(),
  pad_token_id: z.int().nonnegative().nullish(),
  // Where sentence-transformers has written what it applies to the logit: its older way, and its present one.
  sbert_ce_default_activation_function: z.string().nullish(),
  sentence_transformers: z.looseObject({ activation_fn: z.string().nullish() }).nullish(),
});

/** Finds the files; a folder that lacks one is `MODEL_INVALID`. */
export async function readModelFolder(folder: string, graph: string | undefined): Promise<ModelFolder> {
  const candidates = (graph === undefined ? GRAPHS : [graph]).map((name) => join(folder, name));
  const sizes = await Promise.all(candidates.map(sizeOf));
  const found =
    candidates[
      Math.max(
        0,
        sizes.findIndex((size) => size !== undefined),
      )
    ] ?? folder;
  await requireFile(found);
  const tokenizer = join(folder, "tokenizer.json");
  await requireFile(tokenizer);
  const name = basename(resolve(folder));
  return {
    name: graph === undefined ? name : `${name}/${graph}`,
    graph: found,
    tokenizer,
    config: await readConfig(join(folder, "config.json")),
  };
}

async function readConfig(path: string): Promise<ModelConfig> {
  const size = await requireFile(path);
  if (size > CONFIG_BYTES_MAX) {
    throw invalid(
      "The configuration is too large.",
      path,
      `at most ${CONFIG_BYTES_MAX} bytes`,
      `${size} bytes`,
    );
  }
  let content: unknown;
  try {
    content = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw invalid("The configuration is no JSON.", path, "a JSON object", "something else", cause);
  }
  const checked = schema.safeParse(content);
  if (!checked.success) {
    const field = checked.error.issues[0]?.path.join(".") ?? "";
    throw invalid(
      `The configuration is not that of a model: ${field}.`,
      path,
      "a model's config.json",
      field,
    );
  }
  const { model_type, num_labels, id2label, max_position_embeddings: positions, pad_token_id } = checked.data;
  const padId = pad_token_id ?? 0;
  const before = POSITIONS_BEHIND_PADDING.test(model_type ?? "") ? padId + 1 : 0;
  return {
    labels: num_labels ?? (id2label === undefined ? undefined : Object.keys(id2label).length),
    tokensMax: positions === undefined ? undefined : positions - before,
    padId,
    activation: activationNamed(
      checked.data.sentence_transformers?.activation_fn ?? checked.data.sbert_ce_default_activation_function,
    ),
  };
}

/** A class of torch by its path, such as `torch.nn.modules.linear.Identity`; others leave the order as it is, too. */
function activationNamed(path: string | null | undefined): Activation | undefined {
  const name = path?.split(".").at(-1);
  return name === "Identity" ? "logit" : name === "Sigmoid" ? "sigmoid" : undefined;
}

/** The size of a regular file, or nothing. */
async function sizeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true ? found.size : undefined;
}

async function requireFile(path: string): Promise<number> {
  const size = await sizeOf(path);
  if (size !== undefined) return size;
  const received =
    (await stat(path).catch(() => undefined)) === undefined ? "nothing there" : "no regular file";
  throw invalid("The model folder lacks a file.", path, "a file", received);
}

function invalid(
  message: string,
  path: string,
  expected: string,
  received: string,
  cause?: unknown,
): SluiceError {
  return new SluiceError("MODEL_INVALID", message, { path, expected, received }, { cause });
}
