/**
 * Deduplication of a file without its records ever becoming JavaScript objects: Rust reads, decides and copies bytes.
 *
 * Two passes over the input: the first decides, the second copies the chosen records unchanged. An input that changed in
 * between is an error, never a wrong output.
 */
import { stat } from "node:fs/promises";
import type { NativeBatch, NativeRead, NativeReference, NativeSource } from "#native";
import { z } from "zod";
import { SluiceError } from "../errors.js";
import { blamesInput, fileState, inputChanged } from "../file-state.js";
import { GUARDS } from "../guard/veto.js";
import type { Guard } from "../guard/veto.js";
import { callNative, runJob } from "../native.js";
import type { StageReport } from "../report.js";
import type { Embedded } from "./embed-classes.js";
import { embedClasses } from "./embed-classes.js";
import { checkAgainst, requireObject, requireText } from "./options.js";
import type { DedupOptions, Reason } from "./options.js";
import type { BatchPlan } from "./plan.js";
import { nativeRules, planRun } from "./plan.js";
import { at, NO_WITNESS, REASONS } from "./result.js";
import { missingField } from "./run.js";
import { dedupReport } from "./stage-report.js";

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

/** A record of a file. */
export interface RecordLine {
  readonly position: number;
  /** The record's own id, or `null`. A number that JavaScript cannot hold, like 9007199254740993, is its digits as text. */
  readonly id: unknown;
}

/** A kept record of the file, or a record of the reference. */
export type WitnessLine = RecordLine | { readonly reference: RecordLine };

/** A dropped record of a file, as `--filtered` writes it. */
export interface FilteredLine extends RecordLine {
  readonly reason: Reason;
  readonly score: number;
  /** `null` only for the reason `empty`. */
  readonly duplicate_of: WitnessLine | null;
}

/** A pair that reached a threshold and that a guard kept apart, as `--vetoed` writes it. */
export interface VetoedLine extends RecordLine {
  readonly guard: Guard;
  readonly score: number;
  readonly compared_with: WitnessLine;
}

/** A record as one line of JSON, without a line end. */
export interface JsonLine {
  readonly position: number;
  readonly json: string;
}

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
    reference?.close();
  };
  try {
    const { read, embedded, seconds } = await readFile(source, batch, rules, plan);
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
    const ids = idsOf(batch, reference);
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
      selected: () => unchangedBytes(selectedBytes(source, outcome.selected, read, plan), path, state),
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
    seconds: { ...seconds, ...(embedded === undefined ? {} : { embed: embedded.seconds }) },
  };
}

/** Fits a file as a reference, which takes over what its batch holds. */
async function fitFile(source: NativeSource, rules: DedupOptions, plan: BatchPlan): Promise<NativeReference> {
  const batch = callNative((core) => new core.NativeBatch(plan.native));
  try {
    await readFile(source, batch, rules, plan);
    const { value } = await runJob(
      (core, control) => core.NativeReference.fit(batch, nativeRules(plan.rules), plan.threads, control),
      plan,
    );
    return value;
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

/** A record and its id, as the JSON text of the input; empty where it has none. */
interface Named {
  readonly position: number;
  readonly id: string;
}

/** Two records with what was said about them. */
interface Pair<Kind extends Reason | Guard> extends Named {
  readonly kind: Kind;
  readonly score: number;
  readonly witness: (Named & { readonly inReference: boolean }) | null;
}

/** Pairs as they come from the core, all of one length. */
interface PairColumns {
  readonly positions: Uint32Array;
  /** What was said, as a number. */
  readonly kinds: Uint8Array;
  readonly scores: Float64Array;
  readonly witnesses: Uint32Array;
  /** 1 where the witness is a record of the reference. */
  readonly sides: Uint8Array;
}

/** The ids of records of the input and of the reference, in blocks: each call crosses into the core. */
interface Ids {
  input(positions: Uint32Array): readonly string[];
  reference(positions: Uint32Array): readonly string[];
}

function idsOf(batch: NativeBatch, reference: NativeReference | undefined): Ids {
  return {
    input: (positions) => callNative(() => batch.ids(positions)),
    reference: (positions) => callNative(() => reference?.ids(positions) ?? []),
  };
}

/** Pairs whose ids are asked for in one call. */
const PAIRS_PER_CALL = 1024;

function* pairsOf<Kind extends Reason | Guard>(
  columns: PairColumns,
  kinds: readonly Kind[],
  ids: Ids,
): Generator<Pair<Kind>> {
  for (let start = 0; start < columns.positions.length; start += PAIRS_PER_CALL) {
    const positions = columns.positions.subarray(start, start + PAIRS_PER_CALL);
    const witnesses = columns.witnesses.subarray(start, start + PAIRS_PER_CALL);
    const sides = columns.sides.subarray(start, start + PAIRS_PER_CALL);
    const own = ids.input(positions);
    // A position that is none, or one of the other side, has no id there; it is not looked at.
    const inInput = sides.includes(0) ? ids.input(witnesses) : [];
    const inReference = sides.includes(1) ? ids.reference(witnesses) : [];
    for (const [index, position] of positions.entries()) {
      const witness = at(witnesses, index);
      const isReference = at(sides, index) === 1;
      yield {
        position,
        id: at(own, index),
        kind: at(kinds, at(columns.kinds, start + index)),
        score: at(columns.scores, start + index),
        witness:
          witness === NO_WITNESS
            ? null
            : {
                position: witness,
                id: at(isReference ? inReference : inInput, index),
                inReference: isReference,
              },
      };
    }
  }
}

function filteredLine({ position, id, kind, score, witness }: Pair<Reason>): FilteredLine {
  const duplicateOf = witness === null ? null : witnessLine(witness);
  return { position, id: valueOf(id), reason: kind, score, duplicate_of: duplicateOf };
}

function vetoedLine({ position, id, kind, score, witness }: Pair<Guard>): VetoedLine {
  if (witness === null) throw new SluiceError("INTERNAL", "A vetoed pair has one record only.");
  return { position, id: valueOf(id), guard: kind, score, compared_with: witnessLine(witness) };
}

function witnessLine({ position, id, inReference }: Named & { readonly inReference: boolean }): WitnessLine {
  const record = { position, id: valueOf(id) };
  return inReference ? { reference: record } : record;
}

/** Writes ids as they came; the rest holds numbers and names of ours. */
function jsonLine(
  { position, id, kind, score, witness }: Pair<Reason | Guard>,
  kindKey: "reason" | "guard",
  witnessKey: "duplicate_of" | "compared_with",
): JsonLine {
  const kept = witness === null ? "null" : `{"position":${witness.position},"id":${witness.id || "null"}}`;
  const other = witness?.inReference === true ? `{"reference":${kept}}` : kept;
  const json = `{"position":${position},"id":${id || "null"},"${kindKey}":"${kind}","score":${score},"${witnessKey}":${other}}`;
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
