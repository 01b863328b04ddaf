/**
 * Where an interrupted ingest goes on.
 *
 * A small file that is replaced after every acknowledged batch: beside the store file, or for a server in the working folder.
 * It is believed only when the input is the same one, the settings are, and the last point it speaks of is in the collection:
 * a store that was thrown away, or lost its end in a power cut, is filled from the beginning. Records have the ids they had,
 * so doing a batch twice changes nothing.
 */
import { createHash } from "node:crypto";
import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { SluiceError } from "../errors.js";
import { fileState } from "../file-state.js";
import { parseStoreUrl } from "../stores/store-url.js";
import type { VectorStoreHub } from "../stores/vector-store-hub.js";
import { ioError } from "./atomic-output.js";
import type { IngestTask } from "./ingest-flags.js";
import { firstBytes } from "./ingest-lines.js";
import { CHECKPOINT_SUFFIX } from "./store-files.js";

const count = z.int().min(0);
const stateSchema = z.strictObject({
  /** Whether texts are embedded, or every record brings its vector. */
  vectors: z.enum(["embedded", "given"]),
  lines: count,
  bytes: count,
  records: count,
  written: count,
  /** Of `written`; absent where the store does not know. */
  unchanged: count.optional(),
  superseded: count,
  embedded: count,
  failed: count,
  failures: z.array(z.strictObject({ line: count, code: z.string(), message: z.string() })),
  ignored: z.array(z.string()),
  /** The last point that was acknowledged. */
  last: z.union([z.string(), z.number()]),
});
const fileSchema = z.strictObject({
  version: z.literal(2),
  input: z.string(),
  settings: z.string(),
  state: stateSchema,
});

/** What was done when a batch was acknowledged. */
export type IngestState = z.infer<typeof stateSchema>;

/** Bytes at the beginning of an input that it is known by, besides its size and time. */
const HEAD_BYTES = 65_536;

/** What tells one state of an input from another. */
export async function inputIdentity(path: string): Promise<string> {
  const head = createHash("sha256")
    .update(await firstBytes(path, HEAD_BYTES))
    .digest("hex");
  return `${fileState(await stat(path, { bigint: true }))}:${head}`;
}

/** The checkpoint of one input on its way into one collection. */
export class IngestCheckpoint {
  readonly path: string;
  readonly #input: string;
  readonly #settings: string;
  #damaged = false;

  /** @param input what `inputIdentity` gave. */
  constructor(task: IngestTask, input: string) {
    const location = parseStoreUrl(task.store);
    const key = createHash("sha256")
      .update(JSON.stringify([task.store, task.collection, resolve(task.input)]))
      .digest("hex")
      .slice(0, 12);
    this.path =
      location.kind === "embedded"
        ? `${location.path}${CHECKPOINT_SUFFIX}${key}`
        : resolve(`.sluice-ingest-${key}`);
    this.#input = input;
    const { text, id, embedder, metric } = task;
    this.#settings = JSON.stringify([text, id ?? null, embedder ?? null, metric]);
  }

  /** Whether `load` found a file that is not what was saved. */
  get isDamaged(): boolean {
    return this.#damaged;
  }

  /** Where to go on; undefined: at the beginning. */
  async load(hub: VectorStoreHub, collection: string, signal: AbortSignal): Promise<IngestState | undefined> {
    const text = await readFile(this.path, "utf8").catch(() => undefined);
    if (text === undefined) return undefined;
    const checkpoint = fileSchema.safeParse(unsealed(text)).data;
    this.#damaged = checkpoint === undefined;
    if (checkpoint?.input !== this.#input || checkpoint.settings !== this.#settings) return undefined;
    try {
      const { last } = checkpoint.state;
      const there = await hub.get(collection, [last], { withPayload: false, signal });
      return there.length === 1 ? checkpoint.state : undefined;
    } catch (error) {
      if (error instanceof SluiceError && error.code === "COLLECTION_MISSING") return undefined;
      throw error;
    }
  }

  /** Replaces the file. Not flushed to the disk: after a power cut `load` finds out whether it speaks the truth. */
  async save(state: IngestState): Promise<void> {
    const text = sealed(JSON.stringify({ version: 2, input: this.#input, settings: this.#settings, state }));
    try {
      await writeFile(`${this.path}.tmp`, text);
      await rename(`${this.path}.tmp`, this.path);
    } catch (cause) {
      throw ioError(this.path, "Writing the checkpoint", cause);
    }
  }

  /** Nothing is left to be done. */
  async remove(): Promise<void> {
    await rm(`${this.path}.tmp`, { force: true });
    await rm(this.path, { force: true });
  }
}

/** A text with its hash in front: a single wrong digit would pass over records, and nobody would be told. */
function sealed(text: string): string {
  return `${hashOf(text)}\n${text}`;
}

/** What was sealed; undefined for anything else. */
function unsealed(text: string): unknown {
  const [hash, ...rest] = text.split("\n");
  const content = rest.join("\n");
  try {
    return hash === hashOf(content) ? JSON.parse(content) : undefined;
  } catch {
    return undefined;
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
