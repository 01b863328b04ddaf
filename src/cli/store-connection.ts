/**
 * The store that a command works on: its address is on the command line, a key in the environment.
 */
import { parseStoreUrl } from "../stores/store-url.js";
import { VectorStoreHub } from "../stores/vector-store-hub.js";
import { qdrantAccess } from "./environment.js";

/** A hub for the URL of a command. Nothing is opened yet. */
export function connectStore(url: string): VectorStoreHub {
  // A file has no key.
  const access = parseStoreUrl(url).kind === "qdrant" ? qdrantAccess() : undefined;
  return new VectorStoreHub({ store: url, ...access });
}
