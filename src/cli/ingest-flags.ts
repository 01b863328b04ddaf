/**
 * The flags of `sluice ingest`.
 */
import type { Metric } from "../metric.js";
import type { Flag } from "./command-flags.js";
import { checkOutputName } from "./file-name.js";
import { nonEmpty, readChoice, readInteger } from "./option-values.js";
import { required, STORE_FLAGS, storeFlagsByOption } from "./store-flags.js";

const METRICS: readonly Metric[] = ["cosine", "dot", "l2"];

/** The defaults. */
export const INGEST_DEFAULTS = { text: "text", id: "id", metric: "cosine", batch: 512 } as const;

/** What the user typed. */
export interface IngestFlags {
  readonly store?: string;
  readonly collection?: string;
  readonly text?: string;
  readonly id?: string;
  readonly embedder?: string;
  readonly metric?: string;
  readonly batch?: string;
  readonly report?: string;
  readonly quiet?: boolean;
}

/** What `sluice ingest` is to do. */
export interface IngestTask {
  readonly input: string;
  readonly store: string;
  readonly collection: string;
  /** Field that holds the text. */
  readonly text: string;
  /** Field that holds the id; undefined: `id`, where there is one. */
  readonly id: string | undefined;
  /** Undefined: `static-en`, unless the first record has a vector. */
  readonly embedder: string | undefined;
  readonly metric: Metric;
  readonly batch: number;
  readonly report: string | undefined;
  readonly verbosity: "normal" | "quiet";
}

/** Every flag, in the order of the help. */
export const INGEST_FLAGS: readonly Flag[] = [
  ...STORE_FLAGS,
  {
    usage: "--text <field>",
    option: "text",
    meaning: `field that holds the text (default: "${INGEST_DEFAULTS.text}")`,
  },
  {
    usage: "--id <field>",
    option: "id",
    meaning: `field that holds your own id (default: "${INGEST_DEFAULTS.id}" where there is one, else made from the text)`,
  },
  {
    usage: "--embedder <model>",
    option: "embedderId",
    meaning:
      "static-en, hash or a model folder (default: static-en; none when the first record has a vector)",
  },
  {
    usage: "--metric <metric>",
    option: "metric",
    meaning: `cosine, dot or l2 (default: ${INGEST_DEFAULTS.metric})`,
  },
  {
    usage: "--batch <n>",
    meaning: `records embedded, stored and acknowledged together (default: ${INGEST_DEFAULTS.batch})`,
  },
  { usage: "--report <file.json>", meaning: "the numbers of the run as one JSON object" },
  { usage: "--quiet", meaning: "no progress and no table on standard error" },
];

/** Which flags stand for an option. */
export const INGEST_FLAGS_BY_OPTION = storeFlagsByOption(INGEST_FLAGS);

/** Checks the flags before anything is opened. */
export function readIngestFlags(input: string, flags: IngestFlags): IngestTask {
  const task: IngestTask = {
    input: nonEmpty("FILE", input),
    store: required("--store", flags.store),
    collection: required("--collection", flags.collection),
    text: nonEmpty("--text", flags.text ?? INGEST_DEFAULTS.text),
    id: flags.id === undefined ? undefined : nonEmpty("--id", flags.id),
    embedder: flags.embedder === undefined ? undefined : nonEmpty("--embedder", flags.embedder),
    metric: readChoice("--metric", flags.metric ?? INGEST_DEFAULTS.metric, METRICS),
    batch: readInteger("--batch", flags.batch ?? String(INGEST_DEFAULTS.batch), { least: 1, most: 10_000 }),
    report: flags.report === undefined ? undefined : nonEmpty("--report", flags.report),
    verbosity: flags.quiet === true ? "quiet" : "normal",
  };
  if (task.report !== undefined) checkOutputName("--report", task.report, ["report"]);
  return task;
}
