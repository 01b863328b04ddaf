/**
 * One run: records that were collected, embedded if need be, walked, and turned into a result.
 */
import type { NativeBatch, NativeOutcome } from "#native";
import { callNative, runJob } from "../native.js";
import type { Collected } from "./collect.js";
import { collect } from "./collect.js";
import type { Embedded } from "./embed-classes.js";
import { embedClasses } from "./embed-classes.js";
import type { FittedReference } from "./fitted-reference.js";
import type { DedupVectors, TextRecord } from "./options.js";
import type { BatchPlan } from "./plan.js";
import { nativeRules } from "./plan.js";
import { priorityField, textAt } from "./record-fields.js";
import type { RecordList } from "./result.js";
import { DedupResult } from "./result.js";
import { SecondWalk } from "./second-walk.js";
import { dedupReport } from "./stage-report.js";
import type { ReferenceNumbers } from "./stage-report.js";

/** A batch with everything a walk needs. */
export interface PreparedBatch<T> {
  readonly collected: Collected<T>;
  readonly embedded: Embedded | undefined;
  /** A field with ids that was asked for and that no record has. */
  readonly missingId: string | undefined;
  readonly seconds: Readonly<Record<string, number>>;
}

/** Collects records and gives them vectors where the rules ask for them. */
export async function prepareBatch<T extends TextRecord>(
  records: Iterable<T> | AsyncIterable<T>,
  vectors: DedupVectors,
  plan: BatchPlan,
): Promise<PreparedBatch<T>> {
  const started = performance.now();
  const collected = await collectConfirmed(records, plan);
  const read = (performance.now() - started) / 1000;
  const embedded = plan.rules.methods.includes("semantic")
    ? await embedClasses(collected.batch, collected.records.length, vectors, plan)
    : undefined;
  return {
    collected,
    embedded,
    missingId: collected.records.some((record) => collected.idOfRecord(record) !== undefined)
      ? undefined
      : missingId(collected.records.length, plan),
    seconds: { read, ...(embedded === undefined ? {} : { embed: embedded.seconds }) },
  };
}

/**
 * Collects records; where the core keeps keys only, confirms with the caller's own strings that equal keys are equal
 * texts. They differ only if somebody made them to: then the records are collected again with their bytes.
 */
async function collectConfirmed<T extends TextRecord>(
  records: Iterable<T> | AsyncIterable<T>,
  plan: BatchPlan,
): Promise<Collected<T>> {
  const collected = await collect(records, plan);
  if (plan.native.verifyBytes || keysAreTrue(collected, plan.columns)) return collected;
  collected.batch.close();
  return collect(collected.records, { ...plan, native: { ...plan.native, verifyBytes: true } });
}

function keysAreTrue<T extends TextRecord>(
  { batch, records }: Collected<T>,
  columns: readonly string[],
): boolean {
  const firsts = callNative(() => batch.copies());
  return records.every((record, position) => {
    const first = records[firsts[position] ?? position];
    return (
      first === record ||
      (first !== undefined && columns.every((column) => textAt(first, column) === textAt(record, column)))
    );
  });
}

/**
 * Walks a prepared batch. The result can be walked again at another threshold; `release` gives back what it needs for that
 * besides the batch, when the result is closed.
 */
export async function walkBatch<T extends TextRecord>(
  prepared: PreparedBatch<T>,
  reference: FittedReference<T> | null,
  plan: BatchPlan,
  release: () => void = () => undefined,
): Promise<DedupResult<T>> {
  const { collected, embedded, missingId, seconds } = prepared;
  const { batch } = collected;
  const requireUnchanged = reference?.unchangedFromNow();
  const { value } = await runJob(
    (_, control) => batch.walk(nativeRules(plan.rules), reference?.native, plan.threads, control),
    plan,
  );
  return resultOf(value, {
    input: collected,
    reference,
    plan,
    threshold: plan.rules.threshold,
    embedded,
    missingField: missingField(batch, plan),
    missingId,
    numbers: reference?.numbers(),
    seconds,
    bytes: () => ({
      batch: callNative(() => batch.bytes()),
      ...(reference === null ? {} : { reference: reference.bytes() }),
    }),
    secondWalk: new SecondWalk(
      (threshold) => {
        requireUnchanged?.();
        return callNative(() =>
          batch.walkNow(nativeRules(plan.rules, threshold), reference?.native, plan.threads),
        );
      },
      () => {
        batch.close();
        release();
      },
    ),
  });
}

/** The field that records were to be preferred by, when not one of them has it: most likely a misspelt name. */
export function missingField(batch: NativeBatch, plan: BatchPlan): string | undefined {
  const field = priorityField(plan.rules.keep);
  return field === undefined || callNative(() => batch.hasPriorities()) ? undefined : field;
}

/** The field that ids were to be found in, when there are records and not one of them has it. */
export function missingId(records: number, { idAsked }: BatchPlan): string | undefined {
  return records === 0 ? undefined : idAsked;
}

/** What a result is made of besides the outcome of a walk. */
export interface WalkedRun<T> {
  readonly input: RecordList<T>;
  readonly reference: RecordList<T> | null;
  readonly plan: BatchPlan;
  readonly threshold: number;
  readonly embedded: Omit<Embedded, "seconds"> | undefined;
  /** A field to prefer records by that none has. */
  readonly missingField?: string | undefined;
  /** A field with ids that was asked for and that none has. */
  readonly missingId?: string | undefined;
  /** What is known of the reference. */
  readonly numbers?: ReferenceNumbers | undefined;
  /** Seconds of the steps before the walk. */
  readonly seconds: Readonly<Record<string, number>>;
  readonly bytes: () => Readonly<Record<string, number>>;
  readonly secondWalk: SecondWalk;
}

/** Turns the outcome of a walk into the caller's result. */
export function resultOf<T extends TextRecord>(outcome: NativeOutcome, run: WalkedRun<T>): DedupResult<T> {
  const { plan, threshold, embedded, missingField, missingId, seconds, secondWalk } = run;
  return new DedupResult<T>({
    input: run.input,
    reference: run.reference,
    columns: outcome,
    threshold,
    floor: plan.rules.floor,
    jaccard: plan.rules.jaccard,
    columnNames: plan.columns,
    report: dedupReport(outcome, {
      plan,
      threshold,
      embedded,
      missingField,
      missingId,
      reference: run.numbers,
      seconds,
      bytes: run.bytes(),
    }),
    // Nothing was read or embedded for it: its time is that of the second walk.
    rewalk: (next) => resultOf(secondWalk.at(next), { ...run, threshold: next, seconds: {} }),
    close: () => {
      secondWalk.close();
    },
  });
}
