/**
 * The flags of `sluice retrieve`.
 */
import { RETRIEVE_DEFAULTS } from "../retrieve/options.js";
import type { Flag } from "./command-flags.js";
import { checkOutputName } from "./file-name.js";
import { nonEmpty, readInteger, readNumber } from "./option-values.js";
import { FILTER_FLAG, readFilter, required, STORE_FLAGS, storeFlagsByOption } from "./store-flags.js";

/** What the user typed. */
export interface RetrieveFlags {
  readonly store?: string;
  readonly collection?: string;
  readonly query?: string;
  readonly topK?: string;
  readonly filter?: string;
  readonly minScore?: string;
  readonly hybrid?: boolean;
  readonly dedup?: boolean;
  readonly budget?: string;
  readonly reranker?: string;
  readonly embedder?: string;
  readonly report?: string;
  readonly quiet?: boolean;
}

/** What `sluice retrieve` is to do. */
export interface RetrieveTask {
  readonly store: string;
  readonly collection: string;
  readonly query: string;
  readonly topK: number;
  readonly filter: Readonly<Record<string, unknown>> | undefined;
  readonly minScore: number | undefined;
  /** Steps that were asked for. */
  readonly steps: { readonly hybrid?: true; readonly dedup?: true };
  readonly budgetTokens: number | undefined;
  /** Folder of a cross-encoder. */
  readonly reranker: string | undefined;
  readonly embedder: string | undefined;
  readonly report: string | undefined;
  readonly verbosity: "normal" | "quiet";
}

/** Every flag, in the order of the help. */
export const RETRIEVE_FLAGS: readonly Flag[] = [
  ...STORE_FLAGS,
  { usage: "--query <text>", option: "query", meaning: "what to look for, in words (required)" },
  {
    usage: "--top-k <n>",
    option: "topK",
    meaning: `most results (default: ${RETRIEVE_DEFAULTS.topK}; with --reranker ${RETRIEVE_DEFAULTS.topKReranked})`,
  },
  FILTER_FLAG,
  {
    usage: "--min-score <score>",
    option: "minScore",
    meaning: "only passages whose vector scores at least this",
  },
  { usage: "--hybrid", option: "hybrid", meaning: "search by words as well, and fuse both orders" },
  { usage: "--dedup", option: "dedup", meaning: "drop near-duplicates of better passages" },
  { usage: "--budget <tokens>", option: "budgetTokens", meaning: "most tokens of all results (estimated)" },
  {
    usage: "--reranker <folder>",
    option: "reranker",
    meaning: "orders the candidates anew: the folder of an ONNX cross-encoder (needs onnxruntime-node)",
  },
  {
    usage: "--embedder <model>",
    option: "embedder",
    meaning: "static-en, hash or a model folder (default: the one of the collection)",
  },
  { usage: "--report <file.json>", meaning: "the numbers of the run as one JSON object" },
  { usage: "--quiet", meaning: "no omissions and no table on standard error" },
];

/** Which flags stand for an option. */
export const RETRIEVE_FLAGS_BY_OPTION = storeFlagsByOption(RETRIEVE_FLAGS);

/** Checks the flags before anything is opened. */
export function readRetrieveFlags(flags: RetrieveFlags): RetrieveTask {
  const { topK, filter, minScore, budget, reranker, embedder, report } = flags;
  const topKDefault = reranker === undefined ? RETRIEVE_DEFAULTS.topK : RETRIEVE_DEFAULTS.topKReranked;
  const task: RetrieveTask = {
    store: required("--store", flags.store),
    collection: required("--collection", flags.collection),
    query: required("--query", flags.query),
    topK: topK === undefined ? topKDefault : readInteger("--top-k", topK, { least: 1, most: 1_000 }),
    filter: filter === undefined ? undefined : readFilter(filter),
    minScore:
      minScore === undefined
        ? undefined
        : readNumber("--min-score", minScore, { least: -Number.MAX_VALUE, most: Number.MAX_VALUE }),
    steps: {
      ...(flags.hybrid === true ? { hybrid: true } : {}),
      ...(flags.dedup === true ? { dedup: true } : {}),
    },
    budgetTokens:
      budget === undefined
        ? undefined
        : readInteger("--budget", budget, { least: 0, most: Number.MAX_SAFE_INTEGER }),
    reranker: reranker === undefined ? undefined : nonEmpty("--reranker", reranker),
    embedder: embedder === undefined ? undefined : nonEmpty("--embedder", embedder),
    report: report === undefined ? undefined : nonEmpty("--report", report),
    verbosity: flags.quiet === true ? "quiet" : "normal",
  };
  if (task.report !== undefined) checkOutputName("--report", task.report, ["report"]);
  return task;
}
