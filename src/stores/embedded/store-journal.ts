/**
 * A retry journal in a store file: what a server did not confirm survives a restart of the process.
 *
 * Which points wait is known in memory as well, so that the batches that are confirmed, which are nearly all, cost nothing
 * here.
 */
import { z } from "zod";
import { SluiceError } from "../../errors.js";
import { runJob } from "../../native.js";
import type { NativeCore } from "../../native.js";
import { parseWireText, wireText } from "../point-id.js";
import type { WireId } from "../point-id.js";
import type { RetryJournal } from "../retry-journal.js";
import type { CheckedPoint } from "../store-driver.js";
import { parseStoreUrl } from "../store-url.js";
import type { Abortable } from "../vector-store.js";

type Store = InstanceType<NativeCore["NativeStore"]>;
type Control = InstanceType<NativeCore["NativeControl"]>;

const NAMESPACE = "journal";
/** Keys read at once. */
const KEYS_AT_ONCE = 1_000;

/** A point as it lies in the file. */
const entrySchema = z.strictObject({
  order: z.int(),
  index: z.int(),
  id: z.union([z.string(), z.number()]),
  payload: z.string(),
  text: z.string().optional(),
  /** Base64 of 32-bit floats. */
  vector: z.base64(),
});
type Entry = z.infer<typeof entrySchema>;

/** A journal in a file; the file may be a store as well. One process at a time has it. */
export class StoreJournal implements RetryJournal {
  readonly #store: Store;
  /** When each point was kept first, by collection and wire id. */
  readonly #orders = new Map<string, Map<string, number>>();
  #nextOrder = 0;

  private constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Opens the journal, and makes the file where there is none; `STORE_LOCKED` where another process has it.
   *
   * @param url `file:./journal.sluice`, or a path.
   */
  static async open(url: string, { signal }: Abortable = {}): Promise<StoreJournal> {
    const location = parseStoreUrl(url);
    if (location.kind !== "embedded" || location.access === "read") {
      throw new SluiceError("OPTION_INVALID", "A journal is a file that can be written to.", {
        field: "url",
        expected: "file:",
        received: location.kind === "embedded" ? "access=read" : `${location.kind}:`,
      });
    }
    const { value: store } = await runJob(
      (core) => core.NativeStore.open(location.path, "write", location.durability ?? "process"),
      { signal },
    );
    const journal = new StoreJournal(store);
    try {
      await journal.#load(signal);
    } catch (error) {
      await store.close();
      throw error;
    }
    return journal;
  }

  async put(collection: string, points: readonly CheckedPoint[]): Promise<void> {
    for (const point of points) {
      const wire = wireText(point.wire);
      const order = this.#orders.get(collection)?.get(wire) ?? this.#nextOrder;
      const bytes = Buffer.from(JSON.stringify(entryOf(point, order)));
      await this.#run((store, control) => store.putValue(NAMESPACE, keyOf(collection, wire), bytes, control));
      this.#remember(collection, wire, order);
    }
  }

  async remove(collection: string, ids: readonly WireId[]): Promise<void> {
    const kept = this.#orders.get(collection);
    for (const wire of ids.map(wireText)) {
      if (kept?.has(wire) !== true) continue;
      await this.#run((store, control) => store.deleteValue(NAMESPACE, keyOf(collection, wire), control));
      kept.delete(wire);
    }
    if (kept?.size === 0) this.#orders.delete(collection);
  }

  async pending(collection: string): Promise<readonly CheckedPoint[]> {
    const kept = [...(this.#orders.get(collection) ?? [])].toSorted(([, left], [, right]) => left - right);
    const points: CheckedPoint[] = [];
    for (const [wire] of kept) {
      const entry = await this.#entry(collection, wire, undefined);
      if (entry !== undefined) points.push(pointOf(entry, wire));
    }
    return points;
  }

  collections(): Promise<readonly string[]> {
    return Promise.resolve([...this.#orders.keys()].toSorted());
  }

  /** Lets go of the file. What waits in it waits on. */
  async close(): Promise<void> {
    await this.#store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #load(signal: AbortSignal | undefined): Promise<void> {
    let after: string | undefined;
    for (;;) {
      const from = after;
      const keys = await this.#run(
        (store, control) => store.valueKeys(NAMESPACE, from, KEYS_AT_ONCE, control),
        signal,
      );
      for (const key of keys) {
        const [collection, wire] = partsOf(key);
        const entry = await this.#entry(collection, wire, signal);
        if (entry !== undefined) this.#remember(collection, wire, entry.order);
      }
      after = keys.at(-1);
      if (after === undefined) return;
    }
  }

  #remember(collection: string, wire: string, order: number): void {
    const kept = this.#orders.get(collection) ?? new Map<string, number>();
    this.#orders.set(collection, kept.set(wire, order));
    this.#nextOrder = Math.max(this.#nextOrder, order + 1);
  }

  async #entry(
    collection: string,
    wire: string,
    signal: AbortSignal | undefined,
  ): Promise<Entry | undefined> {
    const bytes = await this.#run(
      (store, control) => store.getValue(NAMESPACE, keyOf(collection, wire), control),
      signal,
    );
    if (bytes === null) return undefined;
    const entry = entrySchema.safeParse(JSON.parse(bytes.toString()));
    if (entry.success) return entry.data;
    throw new SluiceError("STORE_VERSION", "The journal was written by another version of Sluice.", {
      field: entry.error.issues[0]?.path.join(".") ?? "entry",
    });
  }

  async #run<T>(work: (store: Store, control: Control) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return (await runJob((_core, control) => work(this.#store, control), { signal })).value;
  }
}

/** No name of a collection has a slash in it. */
function keyOf(collection: string, wire: string): string {
  return `${collection}/${wire}`;
}

function partsOf(key: string): readonly [collection: string, wire: string] {
  const at = key.lastIndexOf("/");
  return [key.slice(0, at), key.slice(at + 1)];
}

function entryOf({ index, id, payloadJson, text, vector }: CheckedPoint, order: number): Entry {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return { order, index, id, payload: payloadJson, text, vector: bytes.toString("base64") };
}

function pointOf({ index, id, payload, text, vector }: Entry, wire: string): CheckedPoint {
  // Copied to where 32-bit numbers may begin.
  const bytes = Uint8Array.from(Buffer.from(vector, "base64"));
  return {
    index,
    id,
    wire: parseWireText(wire, "journal"),
    vector: new Float32Array(bytes.buffer),
    // It was made from a payload that passed every check.
    payload: JSON.parse(payload) as CheckedPoint["payload"],
    payloadJson: payload,
    text,
  };
}
