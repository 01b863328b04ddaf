/**
 * A registered backend under the same rules as those of the core.
 *
 * The core holds the rows, the payloads and the live slots; the backend chooses candidates among them. Whatever it does
 * outside its contract - it throws, answers something else than a list, names slots that may not be found - becomes
 * `BACKEND_FAILED`.
 */
import type { NativeIndex } from "#native";
import { untilAborted } from "../abort.js";
import { SluiceError } from "../errors.js";
import { callNative } from "../native.js";
import type { BackendFactory, BackendSetup, IndexBackend, SlotList, SlotSet } from "./index-backend.js";
import type { FoundColumns } from "./search-result.js";
import type { AllowedSlots } from "./slot-set.js";

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
    // A copy: what the backend does to it is not what the index says and saves of itself.
    const own = { ...setup, args: { ...setup.args } };
    const make = async (): Promise<IndexBackend> => {
      const backend = await factory(own);
      // Nobody waits any more for one that comes late.
      if (signal?.aborted === true) await backend.close?.();
      return backend;
    };
    return new CustomBackend(await contained(make, signal));
  }

  /**
   * Adds prepared rows at the next slots. The backend is told by `signal` to stop; only `abandon` ends the wait for it,
   * since nobody would know then whether it has the rows.
   */
  async add(
    rows: Float32Array,
    signal: AbortSignal | undefined,
    abandon: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    try {
      await contained(() => this.#backend.add(rows, { signal }), abandon);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  /**
   * Searches for every query, rows end to end as the caller gave them, among the slots that match. Items that are removed
   * meanwhile are found: the answer is that of the moment when `among` was chosen.
   */
  async search(
    native: NativeIndex,
    queries: Float32Array,
    dimension: number,
    want: Want,
    among: AllowedSlots,
    signal: AbortSignal | undefined,
  ): Promise<FoundColumns> {
    const all: { slots: number[]; scores: number[]; ends: number[] } = { slots: [], scores: [], ends: [] };
    const prepared = callNative(() => native.prepare(queries));
    for (let begin = 0; begin < queries.length; begin += dimension) {
      const query = queries.subarray(begin, begin + dimension);
      const asked = prepared.slice(begin, begin + dimension);
      const chosen = await contained(
        async () => among.chosen(await this.#choose(asked, want, among.view(), signal)),
        signal,
      );
      // Too few of the best is a defect that the caller must not see: all are scored then.
      const short = "k" in want && chosen.length < Math.min(want.k, among.slots.length);
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
      matching: among.slots.length,
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
  ): SlotList | Promise<SlotList> {
    return "k" in want
      ? this.#backend.topK(query, want.k, among, { signal })
      : this.#backend.atLeast(query, want.threshold, among, { signal });
  }
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
