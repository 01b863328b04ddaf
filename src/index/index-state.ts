/**
 * All that a search looks at: rows in the core, items and positions by slot, and the backend that chooses among them.
 */
import type { NativeIndex } from "#native";
import { SluiceError } from "../errors.js";
import type { Metric } from "../metric.js";
import { callNative } from "../native.js";
import { CustomBackend } from "./custom-backend.js";
import { factoryOf } from "./index-backend.js";
import type { BackendSetup } from "./index-backend.js";

/** How the backend of an index was asked for. */
export interface Backend {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The backend, where it is a registered one; the core is exact then. */
  readonly custom: CustomBackend | undefined;
}

/** The state of an index. A rebuild puts another in its place, so that a running search keeps its own. */
export interface IndexState<T> {
  readonly native: NativeIndex;
  readonly backend: Backend;
  readonly metric: Metric;
  readonly dimension: number;
  readonly embedderId: string | undefined;
  /**
   * Items by slot; grows at its end, before the core has the rows: a search may meet a row as soon as it is there.
   * Removed ones stay until a rebuild, for searches that run.
   */
  readonly items: T[];
  /** Positions by slot, ascending. */
  readonly positions: number[];
}

/** Gives back what a state holds. */
export async function letGo({ native, backend }: IndexState<unknown>): Promise<void> {
  native.close();
  await backend.custom?.close();
}

/**
 * A registered backend, given all rows of the core, those of removed items too: slots must be the same. Where that
 * fails, neither is left open.
 */
export async function refilled(
  native: NativeIndex,
  asked: { readonly name: string; readonly args: Readonly<Record<string, unknown>> },
  { dimension, metric }: Omit<BackendSetup, "args">,
  signal: AbortSignal | undefined,
): Promise<Backend> {
  let custom: CustomBackend | undefined;
  try {
    const factory = factoryOf(asked.name);
    if (factory === undefined) {
      throw new SluiceError("INDEX_FILE", "The file names a backend of the core as a registered one.");
    }
    custom = await CustomBackend.make(factory, { dimension, metric, args: asked.args }, signal);
    const rows = callNative(() => native.allRows());
    await custom.add(rows, signal, signal);
    return { ...asked, custom };
  } catch (error) {
    native.close();
    // The first failure is told.
    custom?.close().catch(() => undefined);
    throw error;
  }
}

/** The slot of a position, or -1. */
export function slotAt(positions: readonly number[], position: number): number {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((positions[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return positions[low] === position ? low : -1;
}
