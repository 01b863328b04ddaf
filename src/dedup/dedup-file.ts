/**
 * Deduplication of a file without its records ever becoming JavaScript objects: Rust reads, decides and copies bytes.
 *
 * Two passes over the input: the first decides, the second copies the chosen records unchanged. An input that changed in
 * between is an error, never a wrong output.
 */
import { stat } from "node:fs/promises";
import type { NativeBatch, NativeRead, NativeReference, NativeSource } from "#native";
import { z } from "zod";
import { blamesInput, fileState, inputChanged } from "../file-state.js";
import { GUARDS, type Guard } from "../guard/veto.js";
import { callNative, runJob } from "../native.js";
import type { StageReport } from "../report.js";
import type { Embedded } from "./embed-classes.js";
import { embedClasses } from "./embed-classes.js";
import { checkAgainst, requireObject, requireText } from "../argument.js";
import type { DedupOptions, Reason } from "./options.js";
import type { Pair } from "./file-pairs.js";
import { idsOf, pairsOf } from "./file-pairs.js";
import type { FilteredLine, JsonLine, VetoedLine } from "./pair-lines.js";
import { filteredLine, jsonLine, vetoedLine } from "./pair-lines.js";
import type { BatchPlan } from "./plan.js";
import { nativeRules, planRun } from "./plan.js";
import { REASONS } from "./result.js";
import { missingField, missingId } from "./run.js";
import { dedupReport } from "./stage-report.js";
import type { ReferenceNumbers } from "./stage-report.js";

/** The formats that the native core reads. */
export const FILE_FORMATS = ["jsonl", "csv", "tsv", "txt"] as const;
/** The packings that it undoes. */
export const COMPRESSIONS = ["none", "gzip", "zstd"] as const;

/** How a file is read. */
export interface FileFormat {
  /** Format of the records. Default: by the name of the file. */
  readonly format?: (typeof FILE_FORMATS)[number] | undefined;
  /** Packing. Default: by the name, else by the first bytes. */
  readonly compression?: (typeof COMPRESSIONS)[number] | undefined;
}

/** Options of `dedupFile`. */
export interface DedupFileOptions extends Omit<DedupOptions, "embeddings">, FileFormat {
  /** A file whose records are compared with, in the same columns. */
  readonly against?: string | undefined;
}

const fileOptions = z.strictObject({
  format: z.enum(FILE_FORMATS).optional(),
  compression: z.enum(COMPRESSIONS).optional(),
  against: z.string().min(1).optional(),
});

/** The decision about a file. Holds native memory until `close`. */
export interface FileDedup extends AsyncDisposable {
  readonly report: StageReport;
  readonly threshold: number;
  readonly selectedCount: number;
  /**
   * The bytes of the chosen records, unchanged, in chunks of about 1 MiB; a CSV header comes first. `INPUT_CHANGED` when
   * the file is not the one any more that was decided on.
   */
  selected(): AsyncIterable<Uint8Array>;
  /** The dropped records, in input order. */
  filtered(): Iterable<FilteredLine>;
  /** The same as JSON, in which every id stands as the input has it, to the last digit. */
  filteredJson(): Iterable<JsonLine>;
  /** The pairs that a guard kept apart, by position, at most `duplicatesMax` for each record. */
  vetoed(): Iterable<VetoedLine>;
  /** The same as JSON, in which every id stands as the input has it. */
  vetoedJson(): Iterable<JsonLine>;
  /** Gives the native memory back. */
  close(): void;
}

/**
 * Deduplicates a file by path. Time and memory as for `dedup`; texts are held once each, records not at all. Errors: those
 * of `dedup`, `INPUT_*`, `COLUMN_*` with position and line.
 * Example: `examples/from-a-file/`.
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

  const state = await stateAt(path);
  const reference =
    against === undefined ? undefined : await fitFile({ path: against, ...fields }, rules, plan);
  const batch = callNative((core) => new core.NativeBatch(plan.native));
  const close = (): void => {
    batch.close();
    reference?.native.close();
  };
  try {
    const { read, embedded, missingId, seconds } = await readFile(source, batch, rules, plan);
    const { value: outcome } = await runJob(
      (_, control) => batch.walk(nativeRules(plan.rules), reference?.native, plan.threads, control),
      plan,
    );
    const report = dedupReport(outcome, {
      plan,
      threshold: plan.rules.threshold,
      embedded,
      missingField: missingField(batch, plan),
      missingId,
      reference: reference?.numbers,
      seconds: { ...(reference === undefined ? {} : { reference: reference.seconds }), ...seconds },
      bytes: {
        input: read.inputBytes,
        unpacked: read.bytes,
        batch: batch.bytes(),
        ...(reference === undefined ? {} : { reference: reference.native.bytes() }),
      },
    });
    const ids = idsOf(batch, reference?.native);
    const dropped = (): Iterable<Pair<Reason>> =>
      pairsOf(
        {
          positions: outcome.filtered,
          kinds: outcome.reasons,
          scores: outcome.scores,
          witnesses: outcome.witnesses,
          sides: outcome.witnessSides,
        },
        REASONS,
        ids,
      );
    const vetoes = (): Iterable<Pair<Guard>> =>
      pairsOf(
        {
          positions: outcome.vetoPositions,
          kinds: outcome.vetoGuards,
          scores: outcome.vetoScores,
          witnesses: outcome.vetoWitnesses,
          sides: outcome.vetoSides,
        },
        GUARDS,
        ids,
      );
    return {
      report,
      threshold: plan.rules.threshold,
      selectedCount: outcome.selected.length,
      selected: () => {
        // As the lists of pairs: the ids that those need are gone after the end.
        callNative(() => batch.bytes());
        return unchangedBytes(selectedBytes(source, outcome.selected, read, plan), path, state);
      },
      *filtered() {
        for (const pair of dropped()) yield filteredLine(pair);
      },
      *filteredJson() {
        for (const pair of dropped()) yield jsonLine(pair, "reason", "duplicate_of");
      },
      *vetoed() {
        for (const pair of vetoes()) yield vetoedLine(pair);
      },
      *vetoedJson() {
        for (const pair of vetoes()) yield jsonLine(pair, "guard", "compared_with");
      },
      close,
      [Symbol.asyncDispose]: () => {
        close();
        return Promise.resolve();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Reads a file into a batch and gives it vectors where the rules ask for them. */
async function readFile(source: NativeSource, batch: NativeBatch, rules: DedupOptions, plan: BatchPlan) {
  const { value: read, seconds } = await runJob(
    (_, control) => batch.readFile(source, plan.threads, control),
    plan,
  );
  const embedded: Embedded | undefined = plan.rules.methods.includes("semantic")
    ? await embedClasses(batch, read.records, rules, plan)
    : undefined;
  return {
    read,
    embedded,
    missingId: callNative(() => batch.hasIds()) ? undefined : missingId(read.records, plan),
    seconds: { ...seconds, ...(embedded === undefined ? {} : { embed: embedded.seconds }) },
  };
}

/** A file that was fitted as a reference. */
interface FittedFile {
  readonly native: NativeReference;
  readonly numbers: ReferenceNumbers;
  readonly seconds: number;
}

/** Fits a file as a reference, which takes over what its batch holds. */
async function fitFile(source: NativeSource, rules: DedupOptions, plan: BatchPlan): Promise<FittedFile> {
  const began = performance.now();
  const batch = callNative((core) => new core.NativeBatch(plan.native));
  try {
    const { read, embedded, missingId } = await readFile(source, batch, rules, plan);
    const { value } = await runJob(
      (core, control) => core.NativeReference.fit(batch, nativeRules(plan.rules), plan.threads, control),
      plan,
    );
    const numbers = {
      records: read.records,
      coverage: embedded?.coverage,
      withoutVector: callNative(() => value.withoutVector()) ?? undefined,
      missingId,
    };
    return { native: value, numbers, seconds: (performance.now() - began) / 1000 };
  } catch (error) {
    batch.close();
    throw error;
  }
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

/** Passes the bytes of a second pass on. The first pass has read the whole file: what is wrong with it now has changed. */
async function* unchangedBytes(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
  before: string | undefined,
): AsyncGenerator<Uint8Array> {
  const check = async (): Promise<void> => {
    if ((await stateAt(path)) !== before) throw inputChanged(path);
  };
  await check();
  try {
    yield* bytes;
  } catch (error) {
    throw blamesInput(error) ? inputChanged(path, error) : error;
  }
  await check();
}

/** The state of a file; `undefined` when there is none to be seen, which reading it will explain. */
async function stateAt(path: string): Promise<string | undefined> {
  return stat(path, { bigint: true }).then(fileState, () => undefined);
}
