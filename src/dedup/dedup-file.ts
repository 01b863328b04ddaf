/**
 * Deduplication of a file without its records ever becoming JavaScript objects: Rust reads, decides and copies bytes.
 *
 * Two passes over the input: the first decides, the second copies the chosen records unchanged. An input that changed in
 * between is an error, never a wrong output.
 */
import type { NativeRead, NativeSource } from "#native";
import { callNative, runJob } from "../native.js";
import type { StageReport } from "../report.js";
import type { Embedded } from "./embed-classes.js";
import { embedClasses } from "./embed-classes.js";
import { requireObject } from "./options.js";
import type { DedupOptions } from "./options.js";
import type { BatchPlan } from "./plan.js";
import { nativeRules, planRun } from "./plan.js";
import { NO_WITNESS, REASONS } from "./result.js";
import { dedupReport } from "./stage-report.js";

/** How a file is read. */
export interface FileFormat {
  /** Format of the records. Default: by the name of the file. */
  readonly format?: "jsonl" | "csv" | "tsv" | "txt" | undefined;
  /** Packing. Default: by the name, else by the first bytes. */
  readonly compression?: "none" | "gzip" | "zstd" | undefined;
}

/** Options of `dedupFile`. */
export interface DedupFileOptions extends Omit<DedupOptions, "embeddings">, FileFormat {
  /** A file whose records are compared with, in the same columns. */
  readonly against?: string | undefined;
}

/** A dropped record of a file, as `--filtered` writes it. */
export interface FilteredLine {
  readonly position: number;
  /** The record's own id, or `null`. */
  readonly id: unknown;
  readonly reason: string;
  readonly score: number;
  readonly duplicate_of: WitnessLine | { readonly reference: WitnessLine } | null;
}

/** A kept record of a file. */
export interface WitnessLine {
  readonly position: number;
  readonly id: unknown;
}

/** The decision about a file. Holds native memory until `close`. */
export interface FileDedup {
  readonly report: StageReport;
  readonly threshold: number;
  readonly selectedCount: number;
  /** The bytes of the chosen records, unchanged, in chunks of about 1 MiB; a CSV header comes first. */
  selected(): AsyncIterable<Uint8Array>;
  /** The dropped records, in input order. */
  filtered(): Iterable<FilteredLine>;
  /** Gives the native memory back. */
  close(): void;
}

/**
 * Deduplicates a file by path. Time and memory as for `dedup`; texts are held once each, records not at all. Errors: those
 * of `dedup`, `INPUT_*`, `COLUMN_*` with position and line.
 */
export async function dedupFile(path: string, options: DedupFileOptions = {}): Promise<FileDedup> {
  requireObject(options);
  const { format, compression, against, ...rules } = options;
  const plan = planRun(rules, against === undefined ? "alone" : "against");
  const sourceOf = (file: string): NativeSource => ({
    path: file,
    columns: [...plan.columns],
    ...(format === undefined ? {} : { format }),
    ...(compression === undefined ? {} : { compression }),
    ...(options.id === undefined ? {} : { id: options.id }),
    ...(typeof plan.rules.keep === "object" ? { priority: plan.rules.keep.field } : {}),
  });
  const source = sourceOf(path);

  const reference =
    against === undefined
      ? undefined
      : await fitFile({ path: against, columns: source.columns }, rules, plan);
  const { batch, read, embedded, seconds } = await readFile(source, rules, plan);
  const { value: outcome } = await runJob(
    (_, control) => batch.walk(nativeRules(plan.rules), reference, plan.threads, control),
    plan,
  );
  const report = dedupReport(outcome, {
    plan,
    threshold: plan.rules.threshold,
    embedded,
    seconds,
    bytes: {
      input: read.inputBytes,
      unpacked: read.bytes,
      batch: batch.bytes(),
      ...(reference === undefined ? {} : { reference: reference.bytes() }),
    },
  });

  const line = (index: number): FilteredLine => {
    const position = outcome.filtered[index] ?? 0;
    const witness = outcome.witnesses[index] ?? NO_WITNESS;
    const inReference = outcome.witnessSides[index] === 1;
    const from = inReference ? reference : batch;
    const kept = (): WitnessLine => ({ position: witness, id: idOf(from?.ids(Uint32Array.of(witness))[0]) });
    return {
      position,
      id: idOf(batch.ids(Uint32Array.of(position))[0]),
      reason: REASONS[outcome.reasons[index] ?? 0] ?? "exact",
      score: outcome.scores[index] ?? 0,
      duplicate_of: witness === NO_WITNESS ? null : inReference ? { reference: kept() } : kept(),
    };
  };

  return {
    report,
    threshold: plan.rules.threshold,
    selectedCount: outcome.selected.length,
    selected: () => selectedBytes(source, outcome.selected, read, plan),
    *filtered() {
      for (let index = 0; index < outcome.filtered.length; index += 1) yield line(index);
    },
    close: () => {
      batch.close();
      reference?.close();
    },
  };
}

/** Reads a file into a batch and gives it vectors where the rules ask for them. */
async function readFile(source: NativeSource, rules: DedupOptions, plan: BatchPlan) {
  const batch = callNative((core) => new core.NativeBatch(plan.native));
  const { value: read, seconds } = await runJob(
    (_, control) => batch.readFile(source, plan.threads, control),
    plan,
  );
  const embedded: Embedded | undefined = plan.rules.methods.includes("semantic")
    ? await embedClasses(batch, read.records, rules, plan)
    : undefined;
  return {
    batch,
    read,
    embedded,
    seconds: { ...seconds, ...(embedded === undefined ? {} : { embed: embedded.seconds }) },
  };
}

async function fitFile(source: NativeSource, rules: DedupOptions, plan: BatchPlan) {
  const { batch } = await readFile(source, rules, plan);
  const { value } = await runJob(
    (core, control) => core.NativeReference.fit(batch, nativeRules(plan.rules), plan.threads, control),
    plan,
  );
  return value;
}

async function* selectedBytes(
  source: NativeSource,
  positions: Uint32Array,
  read: NativeRead,
  plan: BatchPlan,
): AsyncGenerator<Uint8Array> {
  const { signal } = plan;
  const core = callNative((loaded) => loaded);
  const control = new core.NativeControl();
  const copy = callNative(() => new core.NativeSelectedCopy(source, positions, read, control));
  for (;;) {
    const { value: chunk } = await runJob(() => copy.next(), { signal });
    if (chunk.length === 0) return;
    yield chunk;
  }
}

/** An id as the input has it. Ids cross as JSON, so that 7 and "7" stay different. */
function idOf(json: string | undefined): unknown {
  return json === undefined || json === "" ? null : (JSON.parse(json) as unknown);
}
