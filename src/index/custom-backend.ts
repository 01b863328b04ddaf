/**
 * A registered backend under the same rules as those of the core.
 *
 * The core holds the rows, the payloads and the live slots; the backend chooses candidates among them. What it throws,
 * and slots that were never there, become `BACKEND_FAILED`.
 */
import type { NativeIndex } from "#native";
import { untilAborted } from "../abort.js";
import { SluiceError } from "../errors.js";
import { callNative } from "../native.js";
import type { BackendFactory, BackendSetup, IndexBackend, SlotList, SlotSet } from "./index-backend.js";
import type { FoundColumns } from "./search-result.js";

/** What a search asks for: one of the two, as the core takes it. */
export type Want = { readonly k: number } | { readonly threshold: number };

/** A registered backend, and how it was made. */
export class CustomBackend {
  readonly #backend: IndexBackend;

  private constructor(backend: IndexBackend) {
    this.#backend = backend;
  }

  /** Makes one without rows. */
  static async make(
    factory: BackendFactory,
    setup: BackendSetup,
    signal: AbortSignal | undefined,
  ): Promise<CustomBackend> {
    return new CustomBackend(await contained(() => factory(setup), signal));
  }

  /** Adds prepared rows at the next slots. */
  async add(rows: Float32Array, signal: AbortSignal | undefined): Promise<void> {
    await contained(() => this.#backend.add(rows, { signal }), signal);
  }

  /** Searches for every query, rows end to end as the caller gave them, among the slots that match. */
  async search(
    native: NativeIndex,
    queries: Float32Array,
    dimension: number,
    want: Want,
    among: SlotSet,
    signal: AbortSignal | undefined,
  ): Promise<FoundColumns> {
    const all: { slots: number[]; scores: number[]; ends: number[] } = { slots: [], scores: [], ends: [] };
    const prepared = callNative(() => native.prepare(queries));
    for (let begin = 0; begin < queries.length; begin += dimension) {
      const query = queries.subarray(begin, begin + dimension);
      const asked = prepared.slice(begin, begin + dimension);
      const chosen = candidates(await this.#choose(asked, want, among, signal), among);
      // Too few of the best is a defect that the caller must not see: all are scored then.
      const short = "k" in want && chosen.length < Math.min(want.k, among.size);
      const found = callNative(() => native.score(query, short ? among.slots : chosen, want));
      all.slots.push(...found.slots);
      all.scores.push(...found.scores);
      all.ends.push(all.slots.length);
    }
    return {
      slots: Uint32Array.from(all.slots),
      scores: Float64Array.from(all.scores),
      ends: Uint32Array.from(all.ends),
      strategy: "custom",
      matching: among.size,
    };
  }

  async close(): Promise<void> {
    await contained(() => this.#backend.close?.(), undefined);
  }

  #choose(
    query: Float32Array,
    want: Want,
    among: SlotSet,
    signal: AbortSignal | undefined,
  ): Promise<SlotList> {
    return contained(
      () =>
        "k" in want
          ? this.#backend.topK(query, want.k, among, { signal })
          : this.#backend.atLeast(query, want.threshold, among, { signal }),
      signal,
    );
  }
}

/** A set of ascending slots. */
export function slotSet(slots: Uint32Array): SlotSet {
  return {
    size: slots.length,
    slots,
    has(slot) {
      let [low, high] = [0, slots.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((slots[middle] ?? 0) < slot) low = middle + 1;
        else high = middle;
      }
      return slots[low] === slot;
    },
  };
}

/** The slots that a backend chose, each once; one that may not be found is a broken contract. */
function candidates(chosen: SlotList, among: SlotSet): Uint32Array {
  const slots = new Set(chosen);
  for (const slot of slots) {
    if (among.has(slot)) continue;
    throw new SluiceError("BACKEND_FAILED", "The index backend gave a slot that may not be found.", {
      expected: `one of ${among.size} slots`,
      received: typeof slot === "number" ? String(slot) : typeof slot,
    });
  }
  return Uint32Array.from(slots);
}

/** Runs code of the backend: what it throws is told as such, an abort with the caller's own reason. */
async function contained<R>(work: () => R | Promise<R>, signal: AbortSignal | undefined): Promise<R> {
  try {
    // A factory may throw before it gives a promise.
    return await untilAborted(async () => work(), signal);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof SluiceError) throw cause;
    throw new SluiceError("BACKEND_FAILED", "The index backend failed.", {}, { cause });
  }
}
