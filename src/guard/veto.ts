/**
 * Asks the guard about a pair of texts: do they differ in a fact that no embedder sees?
 */
import { callNative } from "../native.js";

/** Every guard, in the order in which they are asked; the native core numbers them alike. */
export const GUARDS = ["numbers", "negation", "antonyms", "names", "order"] as const;

/** A difference in fact that may veto a near-duplicate. */
export type Guard = (typeof GUARDS)[number];

/**
 * The first guard by which two texts differ, or `null` when none does. Symmetric; takes microseconds on passages.
 * An unknown name is `OPTION_INVALID`.
 */
export function veto(a: string, b: string, guards: readonly Guard[] = GUARDS): Guard | null {
  // The core answers with one of the names it was given.
  return callNative((core) => core.veto(a, b, [...guards])) as Guard | null;
}
