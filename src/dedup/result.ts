/**
 * What deduplication gives back: both sides of the cut, each dropped record with its witness and a verified score.
 *
 * The columns come from the native core as typed arrays; the arrays of objects are made when first asked for, since a
 * caller who wants only positions should not pay for half a million objects.
 */
import { SluiceError } from "../errors.js";
import { GUARDS } from "../guard/veto.js";
import type { Guard } from "../guard/veto.js";
import type { StageReport } from "../report.js";
import { requireOneOf, requireWhole } from "../argument.js";
import { NEAR_REASONS } from "./options.js";
import type { NearReason, Reason } from "./options.js";

/** The kept record that a dropped one is a copy of. */
export interface Witness {
  /** Position in the input; `null` when the witness is a reference item. */
  readonly position: number | null;
  /** Position in the reference, when it is one. */
  readonly referencePosition?: number;
  /** The caller's id of a record of the input. */
  readonly id?: string;
  /** The caller's id of a reference item. */
  readonly referenceId?: string;
}

/** A record and how similar it is. */
export interface Scored<T> {
  readonly record: T;
  /**
   * Jaccard (lexical) or cosine (semantic), higher is more similar; 1 for exact and normalized copies of the witness. A copy
   * of a record that was itself dropped has the score of that record with the witness.
   */
  readonly score: number;
}

/** A dropped record. */
export interface Filtered<T> {
  /** Position in the input, from 0. */
  readonly position: number;
  /** The caller's id, if the record has one. */
  readonly id?: string;
  readonly record: T;
  readonly reason: Reason;
  /** Whether the reason is `exact`. */
  readonly exact: boolean;
  /** Verified similarity to the witness. */
  readonly score: number;
  /** The witness; `null` only for the reason `empty`. */
  readonly duplicateOf: Witness | null;
  /** Every kept record that reached the threshold, best first, at most `duplicatesMax`. */
  readonly duplicates: ReadonlyArray<Scored<T>>;
  /** Guards that kept the record apart from other kept ones that reached the threshold, if any did. */
  readonly vetoes?: readonly Guard[];
}

/** A pair that reached a threshold and that a guard kept apart. */
export interface Vetoed<T> {
  readonly position: number;
  readonly id?: string;
  readonly record: T;
  /** The kept record it was compared with. */
  readonly comparedWith: Witness;
  readonly score: number;
  readonly guard: Guard;
}

/** A bin of `histogram`: `from` inclusive, `to` exclusive but for the last bin. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** The decision by position, as it comes from the native core. Arrays of one group have the same length. */
export interface OutcomeColumns {
  readonly selected: Uint32Array;
  readonly filtered: Uint32Array;
  readonly reasons: Uint8Array;
  readonly scores: Float64Array;
  /** Position in the input or in the reference; `NO_WITNESS` when there is none. */
  readonly witnesses: Uint32Array;
  /** 1 where the witness is a reference item. */
  readonly witnessSides: Uint8Array;
  /** Where the duplicates of a dropped record begin; one longer than `filtered`. */
  readonly duplicateOffsets: Uint32Array;
  readonly duplicateWitnesses: Uint32Array;
  readonly duplicateSides: Uint8Array;
  readonly duplicateScores: Float64Array;
  readonly vetoPositions: Uint32Array;
  readonly vetoWitnesses: Uint32Array;
  readonly vetoSides: Uint8Array;
  readonly vetoScores: Float64Array;
  readonly vetoGuards: Uint8Array;
  /** Kept records whose best cosine lies between floor and threshold. */
  readonly nearPositions: Uint32Array;
  readonly nearScores: Float64Array;
}

/** Most bins of a histogram. */
const BINS_MAX = 10_000;
/** Stands in `witnesses` for "none". */
export const NO_WITNESS = 0xffff_ffff;

/** Reasons by their number in `OutcomeColumns.reasons`. */
export const REASONS: readonly Reason[] = ["exact", "normalized", "lexical", "semantic", "empty"];

/** Records by position, with the caller's ids. */
export interface RecordList<T> {
  readonly records: readonly T[];
  /** The caller's id of a record, if it has one. */
  idOf(position: number): string | undefined;
}

/** What a result is made of. */
export interface ResultParts<T> {
  readonly input: RecordList<T>;
  readonly reference: RecordList<T> | null;
  readonly columns: OutcomeColumns;
  readonly threshold: number;
  readonly floor: number;
  /** The lexical threshold. */
  readonly jaccard: number;
  readonly columnNames: readonly string[];
  readonly report: StageReport;
  /** Walks again with another threshold, over what is in memory. */
  readonly rewalk: (threshold: number) => DedupResult<T>;
  /** Gives back what a second walk needs. */
  readonly close: () => void;
}

/**
 * The result of deduplication. Survives `structuredClone` and `JSON.stringify` as plain data (without its methods).
 *
 * It holds native memory, for `rethreshold`, until it is closed or no longer used. Example: `examples/audit-a-threshold/`.
 */
export class DedupResult<T> {
  readonly #parts: ResultParts<T>;
  /** The kept records, in input order. */
  declare readonly selected: readonly T[];
  /** Positions of the kept records, ascending. */
  readonly selectedPositions: Uint32Array;
  /** The dropped records, in input order. */
  declare readonly filtered: ReadonlyArray<Filtered<T>>;
  /** Pairs that a guard kept apart. */
  declare readonly vetoed: ReadonlyArray<Vetoed<T>>;
  /** The semantic threshold of this result. */
  readonly threshold: number;
  /** The columns that were compared. */
  readonly columns: readonly string[];
  /** The numbers of the stage. */
  readonly report: StageReport;
  /** Share of the input that was dropped; 0 for an empty input. */
  readonly duplicateRatio: number;
  /** Share of the input that was dropped as an exact copy; 0 for an empty input. */
  readonly exactDuplicateRatio: number;

  /** @internal */
  constructor(parts: ResultParts<T>) {
    this.#parts = parts;
    const { columns, report, input } = parts;
    // A copy: what a caller does to it must not change the records.
    this.selectedPositions = columns.selected.slice();
    this.threshold = parts.threshold;
    this.columns = parts.columnNames;
    this.report = report;
    const records = columns.selected.length + columns.filtered.length;
    this.duplicateRatio = records === 0 ? 0 : columns.filtered.length / records;
    this.exactDuplicateRatio = records === 0 ? 0 : (report.counts["exact"] ?? 0) / records;
    lazily(this, "selected", () => Array.from(columns.selected, (position) => at(input.records, position)));
    lazily(this, "filtered", () => Array.from(columns.filtered, (_, index) => filteredAt(parts, index)));
    lazily(this, "vetoed", () => Array.from(columns.vetoPositions, (_, index) => vetoedAt(parts, index)));
  }

  /**
   * The same records at another semantic threshold, upwards or down to the floor. Nothing is read, hashed or embedded
   * again; the cost is one walk. Below the floor: `THRESHOLD_BELOW_FLOOR`; after the reference has grown: `RESULT_STALE`.
   */
  rethreshold(threshold: number): DedupResult<T> {
    // A caller without types may hand us anything; some of it cannot even be compared.
    const isShare = typeof (threshold as unknown) === "number" && threshold >= 0 && threshold <= 1;
    if (!isShare) {
      throw new SluiceError("OPTION_INVALID", "The threshold must lie between 0 and 1.", {
        field: "threshold",
        expected: "0 to 1",
        received: typeof (threshold as unknown) === "number" ? String(threshold) : typeof threshold,
      });
    }
    if (threshold < this.#parts.floor) {
      throw new SluiceError(
        "THRESHOLD_BELOW_FLOOR",
        `The threshold ${threshold} lies below the floor ${this.#parts.floor}.`,
        { field: "threshold", expected: `at least ${this.#parts.floor}`, received: String(threshold) },
      );
    }
    return this.#parts.rewalk(threshold);
  }

  /**
   * Gives the native memory back. What the result holds stays readable; `rethreshold`, also that of results which it gave,
   * is `CLOSED`.
   */
  close(): void {
    this.#parts.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.close();
    return Promise.resolve();
  }

  /** What `JSON.stringify` writes: the same data, positions as a list. */
  toJSON(): object {
    return { ...Object.fromEntries(Object.entries(this)), selectedPositions: [...this.selectedPositions] };
  }

  /**
   * The `n` near-duplicates with the lowest scores, ties by position. Name the reason whose threshold you audit: without one
   * both come, and a Jaccard below a cosine does not mean that its pair is less alike.
   */
  leastSimilar(n: number, reason?: NearReason): Array<Filtered<T>> {
    requireWhole("n", n, 0, Number.MAX_SAFE_INTEGER);
    if (reason !== undefined) requireOneOf("reason", reason, NEAR_REASONS);
    const wanted: readonly Reason[] = reason === undefined ? NEAR_REASONS : [reason];
    return this.filtered
      .filter((dropped) => wanted.includes(dropped.reason))
      .sort((a, b) => a.score - b.score || a.position - b.position)
      .slice(0, n);
  }

  /** The kept records, each with everything that was dropped because of it. Reference items are not listed. */
  selectedWithDuplicates(): Array<{ record: T; duplicates: Array<Scored<T>> }> {
    const { columns, input } = this.#parts;
    const groups = new Map<number, { record: T; duplicates: Array<Scored<T>> }>();
    for (const position of columns.selected) {
      groups.set(position, { record: at(input.records, position), duplicates: [] });
    }
    columns.filtered.forEach((position, index) => {
      if (columns.witnessSides[index] === 1) return;
      groups.get(at(columns.witnesses, index))?.duplicates.push({
        record: at(input.records, position),
        score: at(columns.scores, index),
      });
    });
    return [...groups.values()];
  }

  /**
   * How the verified scores of one reason are spread. `"semantic"`, the default: cosines from the floor to 1, those of the
   * records that were dropped for it and the best of each kept record that came between floor and threshold. `"lexical"`:
   * Jaccards of the records that were dropped for it, from `jaccard` to 1. `bins` is a whole number from 1 to 10,000.
   */
  histogram(bins = 10, reason: NearReason = "semantic"): Bin[] {
    requireWhole("bins", bins, 1, BINS_MAX);
    requireOneOf("reason", reason, NEAR_REASONS);
    const { columns, floor, jaccard } = this.#parts;
    const dropped = columns.scores.filter((_, index) => REASONS[at(columns.reasons, index)] === reason);
    const scores = reason === "lexical" ? [...dropped] : [...dropped, ...columns.nearScores];
    const from = reason === "lexical" ? jaccard : floor;
    const width = (1 - from) / bins;
    const result = Array.from({ length: bins }, (_, bin) => ({
      from: from + bin * width,
      to: bin === bins - 1 ? 1 : from + (bin + 1) * width,
      count: 0,
    }));
    for (const score of scores) {
      const bin = width === 0 ? bins - 1 : Math.min(bins - 1, Math.floor((score - from) / width));
      at(result, bin).count += 1;
    }
    return result;
  }
}

function filteredAt<T>(parts: ResultParts<T>, index: number): Filtered<T> {
  const { columns, input } = parts;
  const position = at(columns.filtered, index);
  const reason = at(REASONS, at(columns.reasons, index));
  const duplicates: Array<Scored<T>> = [];
  const end = at(columns.duplicateOffsets, index + 1);
  for (let entry = at(columns.duplicateOffsets, index); entry < end; entry += 1) {
    duplicates.push({
      record: recordOf(parts, at(columns.duplicateWitnesses, entry), at(columns.duplicateSides, entry)),
      score: at(columns.duplicateScores, entry),
    });
  }
  const witness = at(columns.witnesses, index);
  const vetoes = vetoesOf(columns, position);
  return {
    position,
    ...present("id", input.idOf(position)),
    record: at(input.records, position),
    reason,
    exact: reason === "exact",
    score: at(columns.scores, index),
    duplicateOf: witness === NO_WITNESS ? null : witnessOf(parts, witness, at(columns.witnessSides, index)),
    duplicates,
    ...(vetoes.length > 0 ? { vetoes } : {}),
  };
}

function vetoedAt<T>(parts: ResultParts<T>, index: number): Vetoed<T> {
  const { columns, input } = parts;
  const position = at(columns.vetoPositions, index);
  return {
    position,
    ...present("id", input.idOf(position)),
    record: at(input.records, position),
    comparedWith: witnessOf(parts, at(columns.vetoWitnesses, index), at(columns.vetoSides, index)),
    score: at(columns.vetoScores, index),
    guard: at(GUARDS, at(columns.vetoGuards, index)),
  };
}

function vetoesOf(columns: OutcomeColumns, position: number): Guard[] {
  // Vetoes are sorted by position; asked for each dropped record, a scan of them would be quadratic.
  const guards = new Set<Guard>();
  let low = 0;
  let high = columns.vetoPositions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(columns.vetoPositions, middle) < position) low = middle + 1;
    else high = middle;
  }
  for (; columns.vetoPositions[low] === position; low += 1) {
    guards.add(at(GUARDS, at(columns.vetoGuards, low)));
  }
  return [...guards];
}

function witnessOf<T>(parts: ResultParts<T>, witness: number, side: number): Witness {
  return side === 1
    ? {
        position: null,
        referencePosition: witness,
        ...present("referenceId", parts.reference?.idOf(witness)),
      }
    : { position: witness, ...present("id", parts.input.idOf(witness)) };
}

function recordOf<T>(parts: ResultParts<T>, witness: number, side: number): T {
  const list = side === 1 ? parts.reference : parts.input;
  if (list === null) throw new SluiceError("INTERNAL", "A witness lies in a reference that is not there.");
  return at(list.records, witness);
}

/** An object with one property, or with none when there is no value. */
function present<K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> {
  // A computed key widens to `{ [x: string]: string }`.
  return value === undefined ? {} : ({ [key]: value } as Record<K, string>);
}

/** An element that is there by construction. */
export function at<E>(list: ArrayLike<E>, index: number): E {
  const element = list[index];
  if (element === undefined) throw new SluiceError("INTERNAL", `Position ${index} is out of range.`);
  return element;
}

/** Defines an own, enumerable property that is computed once, when first read. */
function lazily(target: object, key: string, compute: () => unknown): void {
  Object.defineProperty(target, key, {
    enumerable: true,
    configurable: true,
    get: () => {
      const value = compute();
      Object.defineProperty(target, key, { enumerable: true, configurable: false, value });
      return value;
    },
  });
}
