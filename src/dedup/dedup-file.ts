/**
 * Deduplication of a file without its records ever becoming JavaScript objects: Rust reads, decides and copies bytes.
 *
 * Two passes over the input: the first decides, the second copies the chosen records unchanged. An input that changed in
 * between is an error, never a wrong output.
 */
import type { NativeBatch, NativeOutcome, NativeRead, NativeReference, NativeSource } from "#native";
import { z } from "zod";
import { callNative, runJob } from "../native.js";
import type { StageReport } from "../report.js";
import type { Embedded } from "./embed-classes.js";
import { embedClasses } from "./embed-classes.js";
import { checkAgainst, requireObject, requireText } from "./options.js";
import type { DedupOptions } from "./options.js";
import type { BatchPlan } from "./plan.js";
import { nativeRules, planRun } from "./plan.js";
import { NO_WITNESS, REASONS } from "./result.js";
import { missingField } from "./run.js";
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

const fileOptions = z.strictObject({
  format: z.enum(["jsonl", "csv", "tsv", "txt"]).optional(),
  compression: z.enum(["none", "gzip", "zstd"]).optional(),
  against: z.string().min(1).optional(),
});

/** A dropped record of a file, as `--filtered` writes it. */
export interface FilteredLine {
  readonly position: number;
  /** The record's own id, or `null`. A number that JavaScript cannot hold, like 9007199254740993, is its digits as text. */
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

/** A dropped record of a file as one line of JSON, without a line end. */
export interface FilteredJson {
  readonly position: number;
  readonly json: string;
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
  /** The same as JSON, in which every id stands as the input has it, to the last digit. */
  filteredJson(): Iterable<FilteredJson>;
  /** Gives the native memory back. */
  close(): void;
}

/**
 * Deduplicates a file by path. Time and memory as for `dedup`; texts are held once each, records not at all. Errors: those
 * of `dedup`, `INPUT_*`, `COLUMN_*` with position and line.
 */
export async function dedupFile(path: string, options: DedupFileOptions = {}): Promise<FileDedup> {
  requireText("path", path);
  requireObject(options);
  const { format, compression, against, ...rules } = options;
  checkAgainst(fileOptions, { format, compression, against });
  const plan = planRun(rules, against === undefined ? "alone" : "against");
  const fields = { columns: [...plan.columns], ...(options.id === undefined ? {} : { id: options.id }) };
  const source: NativeSource = {
    path,
    ...fields,
    ...(format === undefined ? {} : { format }),
    ...(compression === undefined ? {} : { compression }),
    ...(typeof plan.rules.keep === "object" ? { priority: plan.rules.keep.field } : {}),
  };

  const reference =
    against === undefined ? undefined : await fitFile({ path: against, ...fields }, rules, plan);
  const { batch, read, embedded, seconds } = await readFile(source, rules, plan);
  const { value: outcome } = await runJob(
    (_, control) => batch.walk(nativeRules(plan.rules), reference, plan.threads, control),
    plan,
  );
  const report = dedupReport(outcome, {
    plan,
    threshold: plan.rules.threshold,
    embedded,
    missingField: missingField(batch, plan),
    seconds,
    bytes: {
      input: read.inputBytes,
      unpacked: read.bytes,
      batch: batch.bytes(),
      ...(reference === undefined ? {} : { reference: reference.bytes() }),
    },
  });

  const dropped = (index: number): Dropped => droppedAt(outcome, index, batch, reference);

  return {
    report,
    threshold: plan.rules.threshold,
    selectedCount: outcome.selected.length,
    selected: () => selectedBytes(source, outcome.selected, read, plan),
    *filtered() {
      for (let index = 0; index < outcome.filtered.length; index += 1) yield lineOf(dropped(index));
    },
    *filteredJson() {
      for (let index = 0; index < outcome.filtered.length; index += 1) yield jsonOf(dropped(index));
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
    const { value: chunk } = await runJob(() => copy.next(), { signal, control });
    if (chunk.length === 0) return;
    yield chunk;
  }
}

/** A record and its id, as the JSON text of the input; empty where it has none. */
interface Named {
  readonly position: number;
  readonly id: string;
}

/** A dropped record, before it is written or handed over. */
interface Dropped extends Named {
  readonly reason: string;
  readonly score: number;
  readonly witness: (Named & { readonly inReference: boolean }) | null;
}

function droppedAt(
  outcome: NativeOutcome,
  index: number,
  batch: NativeBatch,
  reference: NativeReference | undefined,
): Dropped {
  const named = (list: NativeBatch | NativeReference | undefined, position: number): Named => ({
    position,
    id: callNative(() => list?.ids(Uint32Array.of(position))[0] ?? ""),
  });
  const witness = outcome.witnesses[index] ?? NO_WITNESS;
  const inReference = outcome.witnessSides[index] === 1;
  return {
    ...named(batch, outcome.filtered[index] ?? 0),
    reason: REASONS[outcome.reasons[index] ?? 0] ?? "exact",
    score: outcome.scores[index] ?? 0,
    witness:
      witness === NO_WITNESS ? null : { ...named(inReference ? reference : batch, witness), inReference },
  };
}

function lineOf({ position, id, reason, score, witness }: Dropped): FilteredLine {
  const kept = witness && { position: witness.position, id: valueOf(witness.id) };
  return {
    position,
    id: valueOf(id),
    reason,
    score,
    duplicate_of: witness?.inReference === true && kept !== null ? { reference: kept } : kept,
  };
}

/** Writes ids as they came; the rest holds numbers and names of ours. */
function jsonOf({ position, id, reason, score, witness }: Dropped): FilteredJson {
  const kept = witness === null ? "null" : `{"position":${witness.position},"id":${witness.id || "null"}}`;
  const duplicateOf = witness?.inReference === true ? `{"reference":${kept}}` : kept;
  const json = `{"position":${position},"id":${id || "null"},"reason":"${reason}","score":${score},"duplicate_of":${duplicateOf}}`;
  return { position, json };
}

/** An id as a value. Ids cross as JSON, so that 7 and "7" stay different. */
function valueOf(json: string): unknown {
  if (json === "") return null;
  const value: unknown = JSON.parse(json);
  const isRounded =
    typeof value === "number" &&
    (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)));
  return isRounded ? json : value;
}
