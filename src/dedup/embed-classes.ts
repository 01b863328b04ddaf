/**
 * Gives every class of a batch its vector: from the native core, from the caller's embedder, or from vectors in hand.
 *
 * Only distinct texts are embedded; exact and normalized copies were grouped before.
 */
import type { NativeBatch } from "#native";
import { untilAborted } from "../abort.js";
import { SluiceError } from "../errors.js";
import type { Embedder } from "../embed/embedder.js";
import { embedChecked } from "../embed/embedder.js";
import { loadEmbedder, nativeHandleOf } from "../embed/native-embedder.js";
import { callNative, runJob } from "../native.js";
import { unpackTexts } from "../text/pack.js";
import { tell } from "../report.js";
import { DEDUP_DEFAULTS } from "./options.js";
import type { DedupVectors } from "./options.js";
import type { BatchPlan } from "./plan.js";

/** Where the vectors came from, and what the embedder made of the texts. */
export interface Embedded {
  /** Id of the embedder; `"caller"` for vectors in hand that nobody named an embedder of. */
  readonly embedderId: string;
  readonly dimension: number;
  readonly seconds: number;
  /** Where the embedder counts tokens. */
  readonly coverage?: Coverage;
}

/** Tokens that an embedder saw, and unknown ones among them. */
export interface Coverage {
  readonly tokens: number;
  readonly unknown: number;
}

/** Texts of a batch handed to a caller's embedder at once. */
const CALLER_BATCH = 256;

/** Embeds the classes of a batch. `records` is how many came in, for the check of vectors in hand. */
export async function embedClasses(
  batch: NativeBatch,
  records: number,
  source: DedupVectors,
  plan: BatchPlan,
): Promise<Embedded> {
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  if (source.embeddings !== undefined) {
    const { data, dimension } = source.embeddings;
    takeCallerVectors(batch, records, data, dimension);
    // An embedder beside vectors says where they are from.
    const embedderId = source.embedder === undefined ? "caller" : (await embedderOf(source)).id;
    return { embedderId, dimension, seconds: seconds() };
  }
  const embedder = await embedderOf(source);
  const handle = nativeHandleOf(embedder);
  if (handle !== undefined) {
    const { value } = await runJob((_, control) => batch.embed(handle, plan.threads, control), plan);
    return {
      embedderId: embedder.id,
      dimension: embedder.dimension * plan.columns.length,
      coverage: { tokens: value.tokens, unknown: value.unknown },
      seconds: seconds(),
    };
  }
  const dimension = await embedByCaller(batch, embedder, plan);
  return { embedderId: embedder.id, dimension, seconds: seconds() };
}

/** The embedder that was chosen, loaded if it was named. */
export async function embedderOf(source: DedupVectors): Promise<Embedder> {
  const chosen = source.embedder ?? DEDUP_DEFAULTS.embedder;
  return typeof chosen === "string" ? loadEmbedder(chosen) : chosen;
}

/** Asks the caller's embedder in batches; the columns of a class are embedded apart and concatenated. */
async function embedByCaller(batch: NativeBatch, embedder: Embedder, plan: BatchPlan): Promise<number> {
  const { signal } = plan;
  const width = embedder.dimension;
  const dimension = width * plan.columns.length;
  const classes = batch.classes();
  const vectors = matrix(classes, dimension);
  for (let first = 0; first < classes; first += CALLER_BATCH) {
    signal?.throwIfAborted();
    const count = Math.min(CALLER_BATCH, classes - first);
    for (let column = 0; column < plan.columns.length; column += 1) {
      const texts = unpackTexts(callNative(() => batch.classTexts(column, first, count)));
      const rows = await embedChecked(embedder, texts, { signal });
      for (let row = 0; row < count; row += 1) {
        const at = (first + row) * dimension + column * width;
        vectors.set(rows.subarray(row * width, (row + 1) * width), at);
      }
    }
    const { onProgress } = plan;
    if (onProgress !== undefined) {
      const progress = { step: "embed", done: first + count, total: classes };
      await untilAborted(() => tell(onProgress, progress), signal);
    }
  }
  callNative(() => {
    batch.setVectors(vectors, dimension);
  });
  return dimension;
}

/** Room for the vectors of all classes; more than JavaScript can hold is refused. */
function matrix(rows: number, dimension: number): Float32Array {
  try {
    return new Float32Array(rows * dimension);
  } catch (cause) {
    throw new SluiceError(
      "INPUT_TOO_LARGE",
      "The vectors of all distinct texts do not fit into one matrix.",
      { expected: "vectors that fit into memory", received: `${rows} rows of ${dimension} components` },
      { cause },
    );
  }
}

/** Takes one vector a class from one vector a record: that of the record which stands for the class. */
function takeCallerVectors(batch: NativeBatch, records: number, data: Float32Array, dimension: number): void {
  if (data.length !== records * dimension) {
    throw new SluiceError("DIMENSION_MISMATCH", `${records} records need ${records * dimension} numbers.`, {
      field: "embeddings",
      expected: `${records} rows of ${dimension}`,
      received: `${data.length} numbers`,
    });
  }
  callNative((core) => {
    core.checkVectors(data, dimension);
    const representatives = batch.firstRecords();
    const vectors = new Float32Array(representatives.length * dimension);
    representatives.forEach((position, row) => {
      vectors.set(data.subarray(position * dimension, (position + 1) * dimension), row * dimension);
    });
    batch.setVectors(vectors, dimension);
  });
}
