/**
 * The three ways to hits: at once on the calling thread, by a job of the core, or over a registered backend.
 */
import { callNative, runJob } from "../native.js";
import type { CustomBackend, Want } from "./custom-backend.js";
import type { IndexState } from "./index-state.js";
import { threadsFor } from "./options.js";
import type { IndexWork } from "./options.js";
import type { FoundColumns } from "./search-result.js";
import { AllowedSlots } from "./slot-set.js";

/** Hits where that takes less time than a job, and nobody changes the index; nothing otherwise. */
export function foundAtOnce(
  { native, backend }: IndexState<unknown>,
  rows: Float32Array,
  want: Want,
  filter: string | undefined,
): FoundColumns | undefined {
  if (backend.custom !== undefined) return undefined;
  return callNative(() => native.searchAtOnce(rows, want, filter)) ?? undefined;
}

/** Hits by a job of the core, which looks at one state of the index from its begin to its end. */
export async function findInCore(
  { native, dimension }: IndexState<unknown>,
  rows: Float32Array,
  want: Want,
  filter: string | undefined,
  options: IndexWork,
): Promise<FoundColumns> {
  const threads = threadsFor(options, rows.length / dimension);
  const { value } = await runJob((_, control) => native.search(rows, want, filter, threads, control), {
    signal: options.signal,
  });
  return value;
}

/** Hits among what a registered backend chooses of the slots that the filter leaves now. */
export async function findByCustom(
  { native, dimension }: IndexState<unknown>,
  custom: CustomBackend,
  rows: Float32Array,
  want: Want,
  filter: string | undefined,
  signal: AbortSignal,
): Promise<FoundColumns> {
  const { value } = await runJob(() => native.select(filter), { signal });
  return custom.search(native, rows, dimension, want, new AllowedSlots(value), signal);
}
