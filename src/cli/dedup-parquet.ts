/**
 * Parquet in, Parquet out: the core decides on the text columns, then the chosen rows are copied with their schema.
 *
 * Loaded only when a Parquet file comes along.
 */
import { dedupFile, type DedupFileOptions } from "../dedup/dedup-file.js";
import { DEDUP_DEFAULTS } from "../dedup/options.js";
import type { StageReport } from "../report.js";
import { ParquetFile } from "../parquet/parquet-file.js";
import { writeParquetSelection } from "../parquet/parquet-sink.js";
import { isPlainColumn } from "../parquet/parquet-source.js";
import { spoolParquet } from "../parquet/parquet-spool.js";
import { RowSelection } from "../parquet/row-selection.js";
import { completed, secondsSince, writeLines, type Run } from "./dedup-outputs.js";
import type { ReadableInput } from "./input-file.js";

/** Drops the copies in a Parquet file. `INPUT_PARQUET` when it is damaged or could not be written again. */
export async function dedupParquet(
  run: Run,
  input: ReadableInput,
  options: DedupFileOptions,
): Promise<StageReport> {
  const file = await ParquetFile.open(input.path);
  try {
    return await file.whileUnchanged(() => decideAndWrite(run, file, input, options));
  } finally {
    await file.close();
  }
}

async function decideAndWrite(
  run: Run,
  file: ParquetFile,
  input: ReadableInput,
  options: DedupFileOptions,
): Promise<StageReport> {
  const { signal, onProgress, outputs } = run;
  const began = performance.now();
  const texts = await spoolTexts(run, file, input, "input-texts.jsonl");
  const unpack = secondsSince(began);
  const result = await dedupFile(texts, { ...options, format: "jsonl", signal, onProgress });
  try {
    const started = performance.now();
    const selection = new RowSelection(file.rows);
    await writeLines(result.filteredJson(), outputs.sink("filtered"), signal, (position) => {
      selection.drop(position);
    });
    await writeLines(result.vetoedJson(), outputs.sink("vetoed"), signal);
    const out = outputs.sink("out");
    await writeParquetSelection(file, selection, {
      write: async (bytes) => out?.write(bytes),
      signal,
      onProgress: (done) => {
        onProgress({ step: "write", done: Math.round(done * file.rows), total: file.rows });
      },
    });
    const { report } = result;
    // The core has read the spooled texts; the user's input is the Parquet file.
    const bytes = { ...report.bytes, input: file.bytes };
    return completed({ ...report, bytes }, { unpack, write: secondsSince(started) });
  } finally {
    result.close();
  }
}

/** The texts of a Parquet reference as a path that the core can read. */
export async function spoolReference(run: Run, input: ReadableInput): Promise<string> {
  const file = await ParquetFile.open(input.path);
  try {
    return await file.whileUnchanged(() => spoolTexts(run, file, input, "reference-texts.jsonl"));
  } finally {
    await file.close();
  }
}

/** Copies what the decision needs of a Parquet file to JSON lines. */
async function spoolTexts(run: Run, file: ParquetFile, input: ReadableInput, name: string): Promise<string> {
  const { folder, origins, signal, onProgress } = run;
  const { columns = DEDUP_DEFAULTS.columns, id, keep } = run.task.options;
  const others = [
    ...(id !== undefined ? [id] : isPlainColumn(file, DEDUP_DEFAULTS.id) ? [DEDUP_DEFAULTS.id] : []),
    ...(typeof keep === "object" ? [keep.field] : []),
  ];
  const path = await folder.file(name);
  origins.set(path, { name: input.name, lines: "rows" });
  await spoolParquet(file, { texts: columns, others }, path, { signal, onProgress });
  return path;
}
