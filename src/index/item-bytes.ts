/**
 * The items of an index as bytes of its file.
 *
 * In the format of `node:v8`, which holds whatever `structuredClone` does, and is read by every later Node.
 */
import { deserialize, serialize } from "node:v8";
import { z } from "zod";
import { SluiceError } from "../errors.js";
import { invalid } from "./options.js";

/** What a file keeps beside rows and payloads. */
export interface SavedItems {
  /** Items by slot. */
  readonly items: readonly unknown[];
  /** Positions by slot, ascending. */
  readonly positions: readonly number[];
  /** The position of the next item. */
  readonly next: number;
  /** The registered backend, where it is not one of the core. */
  readonly custom: { readonly name: string; readonly args: Readonly<Record<string, unknown>> } | undefined;
}

const savedItems = z.strictObject({
  items: z.array(z.unknown()),
  positions: z.array(z.int().min(0)),
  next: z.int().min(0),
  custom: z.strictObject({ name: z.string(), args: z.record(z.string(), z.unknown()) }).optional(),
});

/** Writes items; one that cannot be cloned is refused. */
export function itemsToBytes(saved: SavedItems): Buffer {
  try {
    return serialize(saved);
  } catch {
    throw invalid("items", "items that structuredClone can copy", "one that it cannot");
  }
}

/** Reads items; `slots` is the number of rows the file holds. */
export function itemsFromBytes(bytes: Buffer, slots: number, path: string): SavedItems {
  let value: unknown;
  try {
    value = deserialize(bytes);
  } catch {
    // What is no value at all is refused with what is another one.
  }
  const checked = savedItems.safeParse(value);
  const fits =
    checked.success && checked.data.items.length === slots && checked.data.positions.length === slots;
  if (fits) return { custom: undefined, ...checked.data };
  throw new SluiceError("INDEX_FILE", "The index file holds no items of ours.", {
    path,
    expected: `${slots} items`,
    received: checked.success ? `${checked.data.items.length} items` : "something else",
  });
}
