/**
 * What an embedder is, to every stage: texts in, one flat matrix of vectors out.
 *
 * Vectors of different embedder ids are never compared.
 */
import { untilAborted } from "../abort.js";
import { isFloat32Array } from "../argument.js";
import { SluiceError } from "../errors.js";

/** Options of one call of an embedder. */
export interface EmbedOptions {
  /** Aborts the call; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Turns texts into vectors. Implement it to bring your own model. Example: `examples/own-embedder/`. */
export interface Embedder {
  /** Name and content hash of the model; goes into every index, store and cache. */
  readonly id: string;
  /** Number of components of a vector. */
  readonly dimension: number;
  /**
   * Embeds a batch. Returns `texts.length * dimension` numbers, row after row, in the order of the texts. A row of zeros
   * says that the text has no vector; it is then left out of every comparison.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array>;
}

/** Calls an embedder and checks what it gives back, so that a faulty one cannot poison a result. */
export async function embedChecked(
  embedder: Embedder,
  texts: readonly string[],
  options: EmbedOptions,
): Promise<Float32Array> {
  let vectors: Float32Array;
  try {
    vectors = await untilAborted(() => embedder.embed(texts, options), options.signal);
  } catch (cause) {
    // An embedder that hangs is no longer waited for.
    options.signal?.throwIfAborted();
    if (cause instanceof SluiceError) throw cause;
    throw new SluiceError("EMBEDDER_FAILED", `The embedder ${embedder.id} failed.`, {}, { cause });
  }
  const expected = texts.length * embedder.dimension;
  // The type says Float32Array, but a caller's embedder may be plain JavaScript.
  if (!isFloat32Array(vectors) || vectors.length !== expected) {
    throw new SluiceError(
      "EMBEDDER_FAILED",
      `The embedder ${embedder.id} must return ${expected} numbers for ${texts.length} texts.`,
      { expected: `Float32Array of ${expected}`, received: describe(vectors) },
    );
  }
  return vectors;
}

function describe(value: unknown): string {
  return isFloat32Array(value) ? `Float32Array of ${value.length}` : typeof value;
}
