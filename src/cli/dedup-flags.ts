/**
 * The flags of `sluice dedup` and what they mean as options of the library.
 */
import { Option, type Command } from "commander";
import type { DedupFileOptions } from "../dedup/dedup-file.js";
import type { Keep, Method } from "../dedup/options.js";
import { GUARDS, type Guard } from "../guard/veto.js";
import { invalidOption, readBytes, readChoice, readInteger, readList, readNumber } from "./option-values.js";

/** Formats of input and output. */
export const FORMATS = ["jsonl", "csv", "txt", "parquet"] as const;

/** A format of input and output. */
export type FileFormat = (typeof FORMATS)[number];

const METHODS: Readonly<Record<"exact" | "lexical" | "semantic" | "all", readonly Method[]>> = {
  exact: ["exact", "normalized"],
  lexical: ["exact", "normalized", "lexical"],
  semantic: ["exact", "normalized", "semantic"],
  all: ["exact", "normalized", "lexical", "semantic"],
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
  readonly format: FileFormat | undefined;
  /** Path of the reference. */
  readonly against: string | undefined;
  /** Where the chosen records go; `-` is standard output. */
  readonly out: string;
  readonly filtered: string | undefined;
  readonly report: string | undefined;
  readonly verbosity: "normal" | "quiet";
  /** Options of the library; input, format and reference are not among them. */
  readonly options: DedupFileOptions;
}

/** Adds the flags to the command. */
export function addDedupFlags(command: Command): Command {
  const flags: ReadonlyArray<readonly [flag: string, meaning: string]> = [
    ["--text <field>", 'field that holds the text (default: "text")'],
    ["--columns <a,b>", "several fields that make up the text; instead of --text"],
    ["--id <field>", 'field that holds your own id (default: "id" where there is one)'],
    [
      "--method <method>",
      "exact, lexical, semantic or all; each includes exact and normalized (default: all)",
    ],
    ["--threshold <cosine>", "semantic threshold, 0 to 1 (default: 0.9)"],
    ["--jaccard <share>", "lexical threshold, 0 to 1 (default: 0.8)"],
    ["--floor <cosine>", "lowest semantic score that is counted in the report (default: the threshold)"],
    ["--normalize <form>", "none, space or case (default: space)"],
    ["--empty <policy>", "blank texts: keep, drop or collapse (default: keep)"],
    ["--shingles <unit:size>", "word:3, character:5 and so on (default: word:3)"],
    ["--against <file>", "reference: copies of its records are dropped too"],
    ["--keep <policy>", "first, longest, FIELD, FIELD:highest or FIELD:lowest (default: first)"],
    ["--guard <list>", "vetoes: numbers,negation,antonyms,names,order or all (default: none)"],
    ["--embedder <model>", "static-en, hash or a model folder (default: static-en)"],
    ["--format <format>", "jsonl, csv, txt or parquet (default: by the name; jsonl for standard input)"],
    ["--out <file>", "chosen records, unchanged and in order (default: standard output)"],
    ["--filtered <file>", "one JSON line for each dropped record: reason, score and witness"],
    ["--report <file.json>", "the numbers of the run as one JSON object"],
    ["--memory <size>", "most memory of the core, such as 2GiB (default: no bound)"],
    ["--threads <n>", "threads (default: what the process may use)"],
    ["--profile <name>", "document: near-duplicates are looked for in the reference only"],
    ["--quiet", "no progress and no table on standard error"],
  ];
  for (const [flag, meaning] of flags) command.addOption(new Option(flag, meaning));
  return command;
}

/** Checks the flags. Whatever is wrong is `OPTION_INVALID`, before any file is opened. */
export function readDedupFlags(input: string, flags: DedupFlags): DedupTask {
  const options = {
    ...columnsOf(flags),
    ...given("id", flags.id, (text) => nonEmpty("--id", text)),
    ...given("methods", flags.method, (text) => METHODS[readChoice("--method", text, methodNames())]),
    ...given("threshold", flags.threshold, (text) => readNumber("--threshold", text, SHARE)),
    ...given("jaccard", flags.jaccard, readJaccard),
    ...given("floor", flags.floor, (text) => readNumber("--floor", text, SHARE)),
    ...given("normalize", flags.normalize, (text) =>
      readChoice("--normalize", text, ["none", "space", "case"] as const),
    ),
    ...given("empty", flags.empty, (text) =>
      readChoice("--empty", text, ["keep", "drop", "collapse"] as const),
    ),
    ...given("shingles", flags.shingles, readShingles),
    ...given("keep", flags.keep, readKeep),
    ...given("guards", flags.guard, readGuards),
    ...given("embedder", flags.embedder, (text) => nonEmpty("--embedder", text)),
    ...given("memoryBytes", flags.memory, (text) => readBytes("--memory", text)),
    ...given("threads", flags.threads, (text) => readInteger("--threads", text, { least: 1, most: 1024 })),
    ...given("profile", flags.profile, (text) => readChoice("--profile", text, ["document"] as const)),
  };
  return {
    input: nonEmpty("FILE", input),
    format: flags.format === undefined ? undefined : readChoice("--format", flags.format, FORMATS),
    against: flags.against === undefined ? undefined : nonEmpty("--against", flags.against),
    out: flags.out === undefined ? "-" : nonEmpty("--out", flags.out),
    filtered: flags.filtered === undefined ? undefined : nonEmpty("--filtered", flags.filtered),
    report: flags.report === undefined ? undefined : nonEmpty("--report", flags.report),
    verbosity: flags.quiet === true ? "quiet" : "normal",
    options,
  };
}

/** An object with one property when the flag was given, with none otherwise. */
function given<K extends string, V>(
  key: K,
  text: string | undefined,
  read: (text: string) => V,
): Partial<Record<K, V>> {
  // A computed key widens to `{ [x: string]: V }`.
  return text === undefined ? {} : ({ [key]: read(text) } as Record<K, V>);
}

function nonEmpty(option: string, text: string): string {
  if (text === "") throw invalidOption(option, "a name", text);
  return text;
}

function columnsOf({ text, columns }: DedupFlags): { columns?: readonly string[] } {
  if (text !== undefined && columns !== undefined)
    throw invalidOption("--columns", "either --text or --columns", columns);
  if (text !== undefined) return { columns: [nonEmpty("--text", text)] };
  return columns === undefined ? {} : { columns: readList("--columns", columns) };
}

function methodNames(): Array<keyof typeof METHODS> {
  return ["exact", "lexical", "semantic", "all"];
}

function readJaccard(text: string): number {
  const value = readNumber("--jaccard", text, SHARE);
  if (value === 0) throw invalidOption("--jaccard", "a number above 0 and at most 1", text);
  return value;
}

function readShingles(text: string): { unit: "word" | "character"; size: number } {
  const [unit = "", size = "", ...rest] = text.split(":");
  if (rest.length > 0 || (unit !== "word" && unit !== "character")) {
    throw invalidOption("--shingles", "word:N or character:N", text);
  }
  return { unit, size: readInteger("--shingles", size, { least: 1, most: 64 }) };
}

function readKeep(text: string): Keep {
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
