/**
 * What the command line takes from the environment: secrets, which everybody on the machine could read among its arguments.
 * The one place where the environment is read.
 */
import { invalidOption } from "./option-values.js";

/** The key of a Qdrant server. */
export const API_KEY_VARIABLE = "SLUICE_QDRANT_API_KEY";
/** `1`: the key may go without TLS, as inside a private network. */
export const INSECURE_KEY_VARIABLE = "SLUICE_QDRANT_ALLOW_INSECURE_KEY";

/** How a Qdrant server is asked for its data. */
export interface QdrantAccess {
  readonly apiKey: string;
  readonly allowInsecureKey: boolean;
}

/** The key of a Qdrant server; undefined where the variable is not set, or empty. */
export function qdrantAccess(): QdrantAccess | undefined {
  // Files that keep secrets like to end in a line feed.
  const apiKey = process.env[API_KEY_VARIABLE]?.trim() ?? "";
  if (apiKey === "") return undefined;
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw invalidOption(API_KEY_VARIABLE, "visible ASCII characters", "something else");
  }
  return { apiKey, allowInsecureKey: process.env[INSECURE_KEY_VARIABLE] === "1" };
}
