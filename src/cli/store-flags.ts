/**
 * What the commands that work on a store share: its flags, and the embedder that fits a collection.
 */
import { loadEmbedder } from "../embed/native-embedder.js";
import type { Embedder } from "../embed/embedder.js";
import { SluiceError, type ErrorCode } from "../errors.js";
import { parseStoreUrl } from "../stores/store-url.js";
import type { CollectionInfo } from "../stores/vector-store.js";
import type { VectorStoreHub } from "../stores/vector-store-hub.js";
import { flagsByOption, type Flag, type FlagsByOption } from "./command-flags.js";
import { API_KEY_VARIABLE, INSECURE_KEY_VARIABLE } from "./environment.js";
import { invalidOption, isJsonObject, nonEmpty, readJson } from "./option-values.js";

/** Embedders that a name stands for; the first is that of a new collection. */
export const SHIPPED_EMBEDDERS = ["static-en", "hash"] as const;

/** The flags that say which points a command is about. */
export const STORE_FLAGS: readonly Flag[] = [
  {
    usage: "--store <url>",
    option: "url",
    meaning: `file:./corpus.sluice, a path, or qdrant://host:6333 with its key in ${API_KEY_VARIABLE} (required)`,
  },
  { usage: "--collection <name>", option: "collection", meaning: "collection of the store (required)" },
];

/** Which flags of a command on a store, and which variables, stand for an option. */
export function storeFlagsByOption(table: readonly Flag[]): FlagsByOption {
  return new Map([
    ...flagsByOption(table),
    ["apiKey", [API_KEY_VARIABLE]],
    ["allowInsecureKey", [`${INSECURE_KEY_VARIABLE}=1`]],
  ]);
}

/** The flag that bounds a search by payloads. */
export const FILTER_FLAG: Flag = {
  usage: "--filter <json>",
  option: "filter",
  meaning: `only points whose payload matches, such as '{"lang": "en"}'`,
};

/** What to do about errors that mean something else to a user of the command line. */
export const STORE_ADVICE: Partial<Record<ErrorCode, string>> = {
  COLLECTION_MISSING: "There is no collection of that name; make it with `sluice ingest`.",
  DIMENSION_MISMATCH: "A vector has another dimension than its collection; embed with the same embedder.",
};

/** A flag that must be given. */
export function required(flag: string, text: string | undefined): string {
  if (text !== undefined) return nonEmpty(flag, text);
  throw new SluiceError("OPTION_INVALID", `The option ${flag} is missing.`, {
    field: flag,
    expected: "a value",
  });
}

/** The value of `--filter`. */
export function readFilter(text: string): Readonly<Record<string, unknown>> {
  return readJson("--filter", text, "a JSON object", isJsonObject);
}

/** Refuses a flag that only makes sense without another. */
export function refuseBoth(first: string, one: unknown, second: string, other: unknown): void {
  if (one !== undefined && other !== undefined)
    throw invalidOption(second, `either ${first} or ${second}`, "both");
}

/** The store for a command that only reads: beside one that writes, and without making a file where there is none. */
export function forReading(url: string): string {
  const location = parseStoreUrl(url);
  if (location.kind !== "embedded" || location.access !== undefined) return url;
  return `${url}${url.includes("?") ? "&" : "?"}access=read`;
}

/** The collection of that name; undefined where there is none. */
export async function findCollection(
  hub: VectorStoreHub,
  name: string,
  signal: AbortSignal,
): Promise<CollectionInfo | undefined> {
  return (await hub.collections({ signal })).find((collection) => collection.name === name);
}

/** The collection of that name; `COLLECTION_MISSING` where there is none. */
export async function requireCollection(
  hub: VectorStoreHub,
  name: string,
  signal: AbortSignal,
): Promise<CollectionInfo> {
  const found = await findCollection(hub, name, signal);
  if (found !== undefined) return found;
  throw new SluiceError("COLLECTION_MISSING", `There is no collection ${name}.`, { field: "--collection" });
}

/** Refuses to guess whose vectors a collection has: what another embedder makes of a query cannot be compared with them. */
export function requireKnownEmbedder(named: string | undefined, embedderId: string | undefined): void {
  if (named !== undefined || embedderId !== undefined) return;
  throw new SluiceError("EMBEDDER_MISMATCH", "Nothing records which embedder made the vectors there.", {
    field: "--embedder",
    expected: "the embedder that made them, by --embedder",
    received: "none",
  });
}

/**
 * The embedder for vectors of `embedderId`: the one that was named, else the shipped one with that id, else `static-en`.
 * Another than `embedderId` is `EMBEDDER_MISMATCH`.
 */
export async function embedderFor(
  named: string | undefined,
  embedderId: string | undefined,
  signal: AbortSignal,
): Promise<Embedder> {
  const names = named === undefined ? SHIPPED_EMBEDDERS : [named];
  const embedders: Embedder[] = [];
  for (const name of names) embedders.push(await loadEmbedder(name, { signal }));
  const fitting = embedders.find(({ id }) => embedderId === undefined || id === embedderId);
  if (fitting !== undefined) return fitting;
  throw new SluiceError("EMBEDDER_MISMATCH", "The vectors there were made by another embedder.", {
    field: "--embedder",
    expected: embedderId ?? "",
    received: embedders.map(({ id }) => id).join(" or "),
  });
}
