/**
 * Embedders that live in the native core: the shipped token table, any model2vec folder, and hashed characters.
 *
 * They need no network, no graph and no worker; the deduplication stage hands them texts without leaving Rust.
 */
import { existsSync } from "node:fs";
import type { NativeEmbedder as NativeHandle } from "#native";
import { requireTexts, wrongArgument } from "../argument.js";
import { callNative, defaultThreads, runJob } from "../native.js";
import { packTexts } from "../text/pack.js";
import { SluiceError } from "../errors.js";
import { packagePath } from "../package.js";
import type { Embedder, EmbedOptions } from "./embedder.js";

/** Folder of the embedder that ships with the package. */
const STATIC_EN = packagePath("models/static-en");

/** An embedder of the native core. Made by `loadEmbedder`. */
class CoreEmbedder implements Embedder {
  readonly id: string;
  readonly dimension: number;
  // Private, so that the public object carries no native member.
  readonly #handle: NativeHandle;

  constructor(handle: NativeHandle) {
    this.id = handle.id;
    this.dimension = handle.dimension;
    this.#handle = handle;
  }

  /** The native side of an embedder, when it has one. */
  static handleOf(embedder: Embedder): NativeHandle | undefined {
    // A proxy of one is an instance of the class, too, but has no handle.
    return #handle in embedder ? embedder.#handle : undefined;
  }

  /** Taken off its object, a method has nothing to work with. */
  static #requireOne(self: unknown): void {
    if (typeof self === "object" && self !== null && #handle in self) return;
    throw wrongArgument("this", "the embedder that the method belongs to", self);
  }

  async embed(texts: readonly string[], options: EmbedOptions = {}): Promise<Float32Array> {
    CoreEmbedder.#requireOne(this);
    requireTexts(texts);
    requireOptions(options);
    // The caller may use its list again while the call runs.
    const given = [...texts];
    const vectors = new Float32Array(given.length * this.dimension);
    let row = 0;
    for (const packed of packTexts(given)) {
      const { value } = await runJob(
        (_, control) => this.#handle.embed(packed.data, packed.offsets, defaultThreads(), control),
        options,
      );
      vectors.set(value, row);
      row += value.length;
    }
    return vectors;
  }
}

/**
 * Loads an embedder by name: `"static-en"` (English, 256 components, shipped), `"hash"` (any language, hashed
 * characters, 512 components), or the path of a folder (a static model of ours, or any model2vec folder with a
 * WordPiece tokenizer). Takes milliseconds; a folder that does not fit is `MODEL_INVALID`.
 * Example: `examples/what-an-embedder-sees/`.
 */
export function loadEmbedder(name: string, options: EmbedOptions = {}): Promise<Embedder> {
  // A promise although nothing waits today: other kinds of embedder load over files and threads.
  return Promise.resolve().then(() => {
    requireOptions(options);
    options.signal?.throwIfAborted();
    // A caller without types may hand us anything.
    if (typeof (name as unknown) !== "string" || name === "")
      throw wrongArgument("embedder", "a name or a path", name);
    const known = shipped.get(name) ?? load(name);
    // What ships is loaded once; a folder may change between two calls.
    if (name === "static-en" || name === "hash") shipped.set(name, known);
    return known;
  });
}

/** Embedders that ship with the package, once they were asked for. */
const shipped = new Map<string, Embedder>();

function load(name: string): Embedder {
  if (name === "hash") return new CoreEmbedder(callNative((core) => core.NativeEmbedder.hash()));
  const folder = name === "static-en" ? STATIC_EN : name;
  if (!existsSync(folder)) {
    throw new SluiceError("MODEL_INVALID", "There is no embedder of that name and no folder at that path.", {
      field: "embedder",
      expected: "static-en, hash or the path of a model folder",
      path: folder,
    });
  }
  return new CoreEmbedder(callNative((core) => core.NativeEmbedder.load(folder)));
}

/** The native side of an embedder, when it has one; the key to embedding without leaving Rust. */
export function nativeHandleOf(embedder: Embedder): NativeHandle | undefined {
  return CoreEmbedder.handleOf(embedder);
}

/** Refuses what a caller without types may hand us. */
function requireOptions(options: unknown): void {
  if (typeof options !== "object" || options === null) throw wrongArgument("options", "object", options);
  const signal = "signal" in options ? options.signal : undefined;
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw wrongArgument("signal", "AbortSignal", signal);
}
