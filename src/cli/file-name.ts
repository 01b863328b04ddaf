/**
 * What the name of a file promises: the format of its records, and how they are packed.
 *
 * Inputs are read by it, and outputs are held to it: whoever opens `unique.jsonl.gz` later finds JSON lines in gzip, or the
 * file was never written. Endings that are not in the tables promise nothing.
 */
import { basename } from "node:path";
import { FILE_FORMATS } from "../dedup/dedup-file.js";
import { SluiceError } from "../errors.js";

/** Formats of input and output. */
export const RECORD_FORMATS = [...FILE_FORMATS, "parquet"] as const;

/** How the records of a file are written. */
export type RecordFormat = (typeof RECORD_FORMATS)[number];

/** What an output can hold: records, or the report. */
export type OutputContent = RecordFormat | "report";

/** What may stand in a file with this ending; the first one is what an input is read as. */
const ENDINGS: ReadonlyMap<string, readonly OutputContent[]> = new Map<string, readonly OutputContent[]>([
  ["jsonl", ["jsonl"]],
  ["ndjson", ["jsonl"]],
  ["csv", ["csv"]],
  ["tsv", ["tsv"]],
  ["txt", ["txt"]],
  ["parquet", ["parquet"]],
  // Lines, or one object: an input must say which.
  ["json", ["report", "jsonl"]],
]);

/** Endings of packed files. Inputs may be gzip or zstd; outputs are never packed. */
const PACKINGS: ReadonlySet<string> = new Set(["gz", "gzip", "zst", "zstd", "bz2", "xz", "br", "lz4", "zip"]);

const CONTENTS: Readonly<Record<OutputContent, string>> = {
  jsonl: "JSON lines",
  csv: "CSV",
  tsv: "TSV",
  txt: "lines of text",
  parquet: "Parquet",
  report: "one JSON object",
};

/** The format that a name tells, looking through `.gz` and the like. */
export function formatByName(path: string): RecordFormat | undefined {
  const [content] = ENDINGS.get(endingsOf(path).format) ?? [];
  return content === "report" ? undefined : content;
}

/**
 * `OPTION_INVALID` when the name of an output promises another format or packing than it will have. `contents` is what it may
 * turn out to hold.
 */
export function checkOutputName(flag: string, path: string, contents: readonly OutputContent[]): void {
  const { format, packing } = endingsOf(path);
  const promised = ENDINGS.get(format);
  if (packing === "" && (promised === undefined || contents.some((content) => promised.includes(content))))
    return;
  const written = contents.map((content) => CONTENTS[content]).join(" or ");
  const [promise, advice] =
    packing === ""
      ? [format, ""]
      : [
          packing,
          " Outputs are not packed: leave the flag out or give -, and pipe standard output into a packer.",
        ];
  throw new SluiceError(
    "OPTION_INVALID",
    `The name of ${flag} promises .${promise}, but ${written} would be written.${advice}`,
    { field: flag, path, expected: `a name that ends in ${contents.map(endingFor).join(" or ")}` },
  );
}

/** The endings of a name in lower case; empty where there is none. */
function endingsOf(path: string): { readonly format: string; readonly packing: string } {
  const [last = "", before = ""] = basename(path).toLowerCase().split(".").slice(1).reverse();
  return PACKINGS.has(last) ? { format: before, packing: last } : { format: last, packing: "" };
}

function endingFor(content: OutputContent): string {
  return content === "report" ? ".json" : `.${content}`;
}
