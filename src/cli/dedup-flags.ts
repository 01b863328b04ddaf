/**
 * The flags of `sluice dedup` and what they mean as options of the library.
 */
import type { Command } from "commander";
import type { DedupFileOptions } from "../dedup/dedup-file.js";
import { DEDUP_DEFAULTS as DEFAULTS, EMPTY_POLICIES, METHODS, NORMAL_FORMS } from "../dedup/options.js";
import type { Keep, Method, Shingles } from "../dedup/options.js";
import { GUARDS, type Guard } from "../guard/veto.js";
import { addFlags, flagsByOption, type Flag, type FlagsByOption } from "./command-flags.js";
import { checkOutputName, formatByName, RECORD_FORMATS, type RecordFormat } from "./file-name.js";
import {
  given,
  invalidOption,
  nonEmpty,
  readBytes,
  readChoice,
  readInteger,
  readList,
  readNumber,
} from "./option-values.js";

const METHOD_FLAGS = ["exact", "lexical", "semantic", "all"] as const;
const METHODS_BY_FLAG: Readonly<Record<(typeof METHOD_FLAGS)[number], readonly Method[]>> = {
  exact: ["exact", "normalized"],
  lexical: ["exact", "normalized", "lexical"],
  semantic: ["exact", "normalized", "semantic"],
  all: METHODS,
};

/** Similarities lie between 0 and 1. */
const SHARE = { least: 0, most: 1 };

/** What the user typed, as commander hands it over: every value is still text. */
export interface DedupFlags {
  readonly text?: string;
  readonly id?: string;
  readonly columns?: string;
  readonly method?: string;
  readonly threshold?: string;
  readonly jaccard?: string;
  readonly floor?: string;
  readonly normalize?: string;
  readonly empty?: string;
  readonly shingles?: string;
  readonly against?: string;
  readonly keep?: string;
  readonly guard?: string;
  readonly embedder?: string;
  readonly format?: string;
  readonly out?: string;
  readonly filtered?: string;
  readonly vetoed?: string;
  readonly report?: string;
  readonly memory?: string;
  readonly threads?: string;
  readonly profile?: string;
  readonly quiet?: boolean;
}

/** What `sluice dedup` is to do. */
export interface DedupTask {
  /** Path of the input, or `-` for standard input. */
  readonly input: string;
  readonly format: RecordFormat | undefined;
  /** Path of the reference. */
  readonly against: string | undefined;
  /** Where the chosen records go; `-` is standard output. */
  readonly out: string;
  readonly filtered: string | undefined;
  readonly vetoed: string | undefined;
  readonly report: string | undefined;
  readonly verbosity: "normal" | "quiet";
  /** Options of the library; input, format and reference are not among them. */
  readonly options: DedupFileOptions;
}

/** Every flag, in the order of the help. The one place that knows which flag stands for which option. */
const FLAGS: ReadonlyArray<Flag & { readonly option?: keyof DedupFileOptions }> = [
  {
    usage: "--text <field>",
    option: "columns",
    meaning: `field that holds the text (default: "${DEFAULTS.columns.join()}")`,
  },
  {
    usage: "--columns <a,b>",
    option: "columns",
    meaning: "several fields that make up the text; instead of --text",
  },
  {
    usage: "--id <field>",
    option: "id",
    meaning: `field that holds your own id (default: "${DEFAULTS.id}" where there is one)`,
  },
  {
    usage: "--method <method>",
    option: "methods",
    meaning: "exact, lexical, semantic or all; each includes exact and normalized (default: all)",
  },
  {
    usage: "--threshold <cosine>",
    option: "threshold",
    meaning: `semantic threshold, 0 to 1 (default: ${DEFAULTS.threshold})`,
  },
  {
    usage: "--jaccard <share>",
    option: "jaccard",
    meaning: `lexical threshold, above 0 to 1 (default: ${DEFAULTS.jaccard})`,
  },
  {
    usage: "--floor <cosine>",
    option: "floor",
    meaning:
      "kept records that score between this and the threshold are counted as near (default: the threshold)",
  },
  {
    usage: "--normalize <form>",
    option: "normalize",
    meaning: `none, space or case (default: ${DEFAULTS.normalize})`,
  },
  {
    usage: "--empty <policy>",
    option: "empty",
    meaning: `blank texts: keep, drop or collapse (default: ${DEFAULTS.empty})`,
  },
  {
    usage: "--shingles <unit:size>",
    option: "shingles",
    meaning: `word:3, character:5 and so on (default: ${DEFAULTS.shingles.unit}:${DEFAULTS.shingles.size})`,
  },
  {
    usage: "--against <file>",
    option: "against",
    meaning: "reference: copies of its records are dropped too",
  },
  {
    usage: "--keep <policy>",
    option: "keep",
    meaning: `first, longest, FIELD, FIELD:highest or FIELD:lowest (default: ${DEFAULTS.keep})`,
  },
  {
    usage: "--guard <list>",
    option: "guards",
    meaning: `vetoes: ${GUARDS.join(",")} or all (default: none)`,
  },
  {
    usage: "--embedder <model>",
    option: "embedder",
    meaning: `static-en, hash or a model folder (default: ${DEFAULTS.embedder})`,
  },
  {
    usage: "--format <format>",
    option: "format",
    meaning: "jsonl, csv, tsv, txt or parquet (default: by the name; jsonl for standard input)",
  },
  { usage: "--out <file>", meaning: "chosen records, unchanged and in order (default: standard output)" },
  {
    usage: "--filtered <file>",
    meaning: "one JSON line for each dropped record: reason, score and witness",
  },
  {
    usage: "--vetoed <file>",
    meaning: "one JSON line for each pair that a guard kept apart: guard, score and kept record",
  },
  { usage: "--report <file.json>", meaning: "the numbers of the run as one JSON object" },
  {
    usage: "--memory <size>",
    option: "memoryBytes",
    meaning: "most memory of the core, such as 2GiB (default: no bound)",
  },
  { usage: "--threads <n>", option: "threads", meaning: "threads (default: what the process may use)" },
  {
    usage: "--profile <name>",
    option: "profile",
    meaning: "document: exact and semantic copies, near-duplicates in the reference only",
  },
  { usage: "--quiet", meaning: "no progress and no table on standard error" },
];

/** The flags that stand for each option of the library. */
export const FLAGS_BY_OPTION: FlagsByOption = flagsByOption(FLAGS);

/** Adds the flags to the command. */
export function addDedupFlags(command: Command): Command {
  return addFlags(command, FLAGS);
}

/** Checks the flags. Whatever is wrong is `OPTION_INVALID`, before any file is opened. */
export function readDedupFlags(input: string, flags: DedupFlags): DedupTask {
  const options = {
    ...columnsOf(flags),
    ...given("id", flags.id, (text) => nonEmpty("--id", text)),
    ...given("methods", flags.method, (text) => METHODS_BY_FLAG[readChoice("--method", text, METHOD_FLAGS)]),
    ...given("threshold", flags.threshold, (text) => readNumber("--threshold", text, SHARE)),
    ...given("jaccard", flags.jaccard, readJaccard),
    ...given("floor", flags.floor, (text) => readNumber("--floor", text, SHARE)),
    ...given("normalize", flags.normalize, (text) => readChoice("--normalize", text, NORMAL_FORMS)),
    ...given("empty", flags.empty, (text) => readChoice("--empty", text, EMPTY_POLICIES)),
    ...given("shingles", flags.shingles, readShingles),
    ...given("keep", flags.keep, readKeep),
    ...given("guards", flags.guard, readGuards),
    ...given("embedder", flags.embedder, (text) => nonEmpty("--embedder", text)),
    ...given("memoryBytes", flags.memory, (text) => readBytes("--memory", text)),
    ...given("threads", flags.threads, (text) => readInteger("--threads", text, { least: 1, most: 1024 })),
    ...given("profile", flags.profile, (text) => readChoice("--profile", text, ["document"] as const)),
  };
  const task: DedupTask = {
    input: nonEmpty("FILE", input),
    format: flags.format === undefined ? undefined : readChoice("--format", flags.format, RECORD_FORMATS),
    against: flags.against === undefined ? undefined : nonEmpty("--against", flags.against),
    out: flags.out === undefined ? "-" : nonEmpty("--out", flags.out),
    filtered: flags.filtered === undefined ? undefined : nonEmpty("--filtered", flags.filtered),
    vetoed: flags.vetoed === undefined ? undefined : nonEmpty("--vetoed", flags.vetoed),
    report: flags.report === undefined ? undefined : nonEmpty("--report", flags.report),
    verbosity: flags.quiet === true ? "quiet" : "normal",
    options,
  };
  if (flags.vetoed !== undefined && flags.guard === undefined)
    throw invalidOption("--vetoed", "--guard as well: without a guard there is no veto", flags.vetoed);
  checkOutputNames(task);
  return task;
}

function checkOutputNames({ input, format, out, filtered, vetoed, report }: DedupTask): void {
  checkOutputName("--out", out, contentsOfOut(formatByName(input), format));
  if (filtered !== undefined) checkOutputName("--filtered", filtered, ["jsonl"]);
  if (vetoed !== undefined) checkOutputName("--vetoed", vetoed, ["jsonl"]);
  if (report !== undefined) checkOutputName("--report", report, ["report"]);
}

/** What `--out` may turn out to hold, given the format that the input's name tells and the one that a flag tells. */
function contentsOfOut(
  named: RecordFormat | undefined,
  told: RecordFormat | undefined,
): readonly RecordFormat[] {
  // Lines stay what they are: those of a JSONL file that is read as text are JSON lines.
  if (told === "txt" && named === "jsonl") return ["txt", "jsonl"];
  const format = told ?? named;
  // What nothing tells is Parquet by its bytes, or JSON lines.
  return format === undefined ? ["jsonl", "parquet"] : [format];
}

function columnsOf({ text, columns }: DedupFlags): { columns?: readonly string[] } {
  if (text !== undefined && columns !== undefined)
    throw invalidOption("--columns", "either --text or --columns", columns);
  if (text !== undefined) return { columns: [nonEmpty("--text", text)] };
  return columns === undefined ? {} : { columns: readList("--columns", columns) };
}

function readJaccard(text: string): number {
  const value = readNumber("--jaccard", text, SHARE);
  if (value === 0) throw invalidOption("--jaccard", "a number above 0 and at most 1", text);
  return value;
}

function readShingles(text: string): Shingles {
  const [unit = "", size = "", ...rest] = text.split(":");
  if (rest.length > 0 || (unit !== "word" && unit !== "character")) {
    throw invalidOption("--shingles", "word:N or character:N", text);
  }
  return { unit, size: readInteger("--shingles", size, { least: 1, most: 64 }) };
}

/** What `--keep` says. */
export function readKeep(text: string): Keep {
  if (text === "first" || text === "longest") return text;
  const match = /^(.+?)(?::(highest|lowest))?$/s.exec(text);
  const field = match?.[1];
  if (field === undefined)
    throw invalidOption("--keep", "first, longest, FIELD, FIELD:highest or FIELD:lowest", text);
  return { field, prefer: match?.[2] === "lowest" ? "lowest" : "highest" };
}

function readGuards(text: string): readonly Guard[] {
  return text === "all"
    ? GUARDS
    : readList("--guard", text).map((name) => readChoice("--guard", name, GUARDS));
}
