/**
 * The flags of `sluice index build` and `sluice index search`.
 */
import { flagsByOption, type Flag } from "./command-flags.js";
import {
  invalidOption,
  isNumbers,
  nonEmpty,
  readChoice,
  readInteger,
  readJson,
  readNumber,
} from "./option-values.js";
import {
  FILTER_FLAG,
  readFilter,
  refuseBoth,
  required,
  STORE_FLAGS,
  storeFlagsByOption,
} from "./store-flags.js";

const BACKENDS = ["flat", "hnsw"] as const;
const TOP_K_DEFAULT = 10;

/** What the user typed behind `index build`. */
export interface IndexBuildFlags {
  readonly store?: string;
  readonly collection?: string;
  readonly backend?: string;
  readonly out?: string;
  readonly quiet?: boolean;
}

/** What the user typed behind `index search`. */
export interface IndexSearchFlags {
  readonly query?: string;
  readonly vector?: string;
  readonly topK?: string;
  readonly filter?: string;
  readonly threshold?: string;
  readonly embedder?: string;
  readonly quiet?: boolean;
}

/** What `sluice index build` is to do. */
export interface IndexBuildTask {
  readonly store: string;
  readonly collection: string;
  readonly backend: (typeof BACKENDS)[number];
  readonly out: string;
  readonly verbosity: "normal" | "quiet";
}

/** What `sluice index search` is to do. */
export interface IndexSearchTask {
  readonly file: string;
  readonly query:
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "vector"; readonly vector: readonly number[] };
  /** Most hits; undefined: all that reach the threshold. */
  readonly topK: number | undefined;
  readonly filter: Readonly<Record<string, unknown>> | undefined;
  readonly threshold: number | undefined;
  readonly embedder: string | undefined;
  readonly verbosity: "normal" | "quiet";
}

/** Every flag of `index build`, in the order of the help. */
export const INDEX_BUILD_FLAGS: readonly Flag[] = [
  ...STORE_FLAGS,
  { usage: "--backend <name>", option: "backend", meaning: "flat (exact) or hnsw (a graph) (default: flat)" },
  { usage: "--out <file.index>", option: "path", meaning: "where the index goes (required)" },
  { usage: "--quiet", meaning: "no table on standard error" },
];

/** Every flag of `index search`, in the order of the help. */
export const INDEX_SEARCH_FLAGS: readonly Flag[] = [
  { usage: "--query <text>", option: "query", meaning: "what to look for, in words" },
  {
    usage: "--vector <json>",
    option: "queries",
    meaning: "what to look for, as a list of numbers; instead of --query",
  },
  {
    usage: "--top-k <n>",
    option: "topK",
    meaning: `most hits (default: ${TOP_K_DEFAULT}; with --threshold, all)`,
  },
  FILTER_FLAG,
  { usage: "--threshold <score>", option: "threshold", meaning: "only hits that score at least this" },
  {
    usage: "--embedder <model>",
    meaning: "static-en, hash or a model folder (default: the one of the file)",
  },
  { usage: "--quiet", meaning: "no table on standard error" },
];

/** Which flags stand for an option of `index build`. */
export const INDEX_BUILD_FLAGS_BY_OPTION = storeFlagsByOption(INDEX_BUILD_FLAGS);
/** Which flags stand for an option of `index search`. */
export const INDEX_SEARCH_FLAGS_BY_OPTION = flagsByOption(INDEX_SEARCH_FLAGS);

/** Checks the flags before anything is opened. */
export function readIndexBuildFlags(flags: IndexBuildFlags): IndexBuildTask {
  return {
    store: required("--store", flags.store),
    collection: required("--collection", flags.collection),
    backend: readChoice("--backend", flags.backend ?? "flat", BACKENDS),
    out: required("--out", flags.out),
    verbosity: flags.quiet === true ? "quiet" : "normal",
  };
}

/** Checks the flags before anything is opened. */
export function readIndexSearchFlags(file: string, flags: IndexSearchFlags): IndexSearchTask {
  const { query, vector, topK, filter, threshold, embedder } = flags;
  refuseBoth("--query", query, "--vector", vector);
  refuseBoth("--vector", vector, "--embedder", embedder);
  const most = { least: 1, most: 1_000_000 };
  return {
    file: nonEmpty("FILE", file),
    query: queryOf(query, vector),
    topK:
      topK !== undefined
        ? readInteger("--top-k", topK, most)
        : threshold === undefined
          ? TOP_K_DEFAULT
          : undefined,
    filter: filter === undefined ? undefined : readFilter(filter),
    threshold:
      threshold === undefined
        ? undefined
        : readNumber("--threshold", threshold, { least: -Number.MAX_VALUE, most: Number.MAX_VALUE }),
    embedder: embedder === undefined ? undefined : nonEmpty("--embedder", embedder),
    verbosity: flags.quiet === true ? "quiet" : "normal",
  };
}

function queryOf(query: string | undefined, vector: string | undefined): IndexSearchTask["query"] {
  if (vector !== undefined) {
    return { kind: "vector", vector: readJson("--vector", vector, "a list of numbers", isNumbers) };
  }
  const text = required("--query or --vector", query);
  if (text.trim() === "") throw invalidOption("--query", "words", text);
  return { kind: "text", text };
}
