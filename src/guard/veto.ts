/**
 * Asks the guard about a pair of texts: do they differ in a fact that no embedder sees?
 */
import { wrongArgument } from "../argument.js";
import { callNative } from "../native.js";

/** Every guard, in the order in which they are asked; the native core numbers them alike. */
export const GUARDS = ["numbers", "negation", "antonyms", "names", "order"] as const;

/** A difference in fact that may veto a near-duplicate. */
export type Guard = (typeof GUARDS)[number];

/**
 * The first guard by which two texts differ, or `null` when none does. Symmetric; takes microseconds on passages.
 * An unknown name is `OPTION_INVALID`. Example: `examples/what-an-embedder-sees/`.
 */
export function veto(a: string, b: string, guards: readonly Guard[] = GUARDS): Guard | null {
  // A caller without types may hand us anything.
  for (const [field, text] of Object.entries({ a, b })) requireString(field, text);
  requireNames(guards);
  // The core answers with one of the names it was given.
  return callNative((core) => core.veto(a, b, [...guards])) as Guard | null;
}

function requireNames(guards: unknown): void {
  if (!Array.isArray(guards)) throw wrongArgument("guards", "an array of names", guards);
  for (const name of guards as readonly unknown[]) requireString("guards", name);
}

function requireString(field: string, value: unknown): void {
  if (typeof value !== "string") throw wrongArgument(field, "string", value);
}
