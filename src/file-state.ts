/**
 * Whether a file is still the one that was read: a work in two passes must see the same bytes twice.
 *
 * The one idea: device, inode, size and time of the last change tell it without reading. Not a lock, and no protection
 * against one who sets the time back on purpose.
 */
import type { BigIntStats } from "node:fs";
import { SluiceError } from "./errors.js";

/** What identifies the content of a file; equal texts mean an unchanged file. */
export function fileState({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs].join(":");
}

/** `INPUT_CHANGED` for a file; `cause` is how the change was noticed, if not by its state. */
export function inputChanged(path: string, cause?: unknown): SluiceError {
  return new SluiceError("INPUT_CHANGED", "The input changed while it was read.", { path }, { cause });
}

/** Whether a failure is about what a file holds: such a failure on bytes that passed before means that they changed. */
export function blamesInput(error: unknown): error is SluiceError {
  return error instanceof SluiceError && /^(?:INPUT|COLUMN)_/.test(error.code);
}
