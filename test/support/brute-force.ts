/**
 * Deduplication straight from ARCHITECTURE.md: quadratic, in plain JavaScript, without an index, a hash or a thread.
 *
 * What the product finds with joins and error bounds, this finds by comparing every pair. It shares nothing with the
 * product but the guard, which answers for two texts, and the embedder, which answers for one.
 */
import type { Embedder, Guard, Keep, Method, Reason, TextRecord } from "../../src/main.js";
import { DEDUP_DEFAULTS, veto } from "../../src/main.js";

/** The rules that the brute force understands: those of `DedupOptions`, with the same defaults. */
export interface BruteOptions {
  readonly methods?: readonly Method[];
  readonly normalize?: "none" | "space" | "case";
  readonly empty?: "keep" | "drop" | "collapse";
  readonly jaccard?: number;
  readonly shingles?: { readonly unit: "word" | "character"; readonly size: number };
  readonly threshold?: number;
  readonly guards?: readonly Guard[];
  readonly keep?: Keep;
  readonly duplicatesMax?: number;
  readonly columns?: readonly string[];
  readonly profile?: "document";
}

/** A kept record: a position of the input, or of the reference. */
export interface BruteWitness {
  readonly side: "reference" | "input";
  readonly position: number;
}

/** A witness and the score with it. */
export interface BrutePair {
  readonly witness: BruteWitness;
  readonly score: number;
}

/** A dropped record. */
export interface BruteFiltered {
  readonly position: number;
  readonly reason: Reason;
  readonly score: number;
  readonly witness: BruteWitness | null;
  readonly duplicates: readonly BrutePair[];
}

/** A pair that a guard kept apart. */
export interface BruteVeto extends BrutePair {
  readonly position: number;
  readonly guard: Guard;
}

/** The decision about every record. */
export interface BruteResult {
  readonly selected: readonly number[];
  readonly filtered: readonly BruteFiltered[];
  readonly vetoed: readonly BruteVeto[];
}

/** A class: records of one normal form. */
interface Class {
  readonly form: string;
  readonly positions: number[];
  /** What the lexical method and the guards see. */
  readonly text: string;
  readonly cells: readonly string[];
  /** Ascending numbers of shingles. */
  readonly shingles: readonly number[];
}

type Rules = ReturnType<typeof rulesOf>;

/** Deduplicates records, against a reference when there is one. */
export async function bruteForce(
  records: readonly TextRecord[],
  options: BruteOptions = {},
  embedder?: Embedder,
  against: readonly TextRecord[] = [],
): Promise<BruteResult> {
  const rules = rulesOf(options);
  const shingleNumbers = new Map<string, number>();
  const input = grouped(records, rules, shingleNumbers);
  const reference = grouped(against, rules, shingleNumbers);
  const semantic = embedder !== undefined && rules.methods.includes("semantic");
  const vectors = semantic
    ? await vectorsOf([...input, ...reference], embedder)
    : new Map<Class, undefined>();

  const better = preference(records, rules);
  const preferredOf = new Map(input.map((group) => [group, [...group.positions].sort(better)[0] ?? 0]));
  const preferred = (group: Class): number => preferredOf.get(group) ?? 0;
  const order = [...input].sort((a, b) => better(preferred(a), preferred(b)));
  const referenceByForm = new Map(reference.map((group) => [group.form, group]));
  const targets: Array<{ readonly group: Class; readonly witness: BruteWitness }> = reference.map(
    (group) => ({
      group,
      witness: { side: "reference", position: group.positions[0] ?? 0 },
    }),
  );

  const fates = new Map<Class, { readonly reason: Reason; readonly duplicates: readonly BrutePair[] }>();
  const vetoed: BruteVeto[] = [];
  for (const group of order) {
    if (referenceByForm.has(group.form)) continue;
    const near = (reason: Reason, score: (other: Class) => number | undefined, least: number): boolean => {
      const reached: Array<BrutePair & { readonly other: Class }> = [];
      for (const { group: other, witness } of targets) {
        const value = score(other);
        if (value !== undefined && value >= least) reached.push({ other, witness, score: value });
      }
      reached.sort((a, b) => b.score - a.score || bySide(a.witness, b.witness));
      const judged = reached.map(({ other, ...pair }) => ({
        ...pair,
        guard: rules.guards.length === 0 ? null : veto(group.text, other.text, rules.guards),
      }));
      vetoed.push(
        ...judged
          .flatMap((pair) =>
            pair.guard === null ? [] : [{ ...pair, guard: pair.guard, position: preferred(group) }],
          )
          .slice(0, rules.duplicatesMax),
      );
      const duplicates = judged
        .filter(({ guard }) => guard === null)
        .map(({ witness, score: value }) => ({ witness, score: value }))
        .slice(0, rules.duplicatesMax);
      if (duplicates.length > 0) fates.set(group, { reason, duplicates });
      return duplicates.length > 0;
    };
    if (rules.methods.includes("lexical")) {
      const least = group.shingles.length * rules.jaccard;
      const most = group.shingles.length / rules.jaccard;
      const score = (other: Class): number | undefined =>
        // Sets of too different sizes cannot reach the threshold; 1e-9 leaves rounding to the division below.
        other.shingles.length < least - 1e-9 || other.shingles.length > most + 1e-9
          ? undefined
          : jaccardOfSorted(group.shingles, other.shingles);
      if (near("lexical", score, rules.jaccard)) continue;
    }
    const vector = vectors.get(group);
    if (vector !== undefined) {
      const score = (other: Class): number | undefined => {
        const theirs = vectors.get(other);
        return theirs === undefined ? undefined : cosineOfUnits(vector, theirs);
      };
      if (near("semantic", score, rules.threshold)) continue;
    }
    if (!rules.referenceOnly) targets.push({ group, witness: { side: "input", position: preferred(group) } });
  }

  const classOf = new Map(input.flatMap((group) => group.positions.map((position) => [position, group])));
  const rawText = (record: TextRecord): string => JSON.stringify(cellsOf(record, rules));
  const referenceTexts = new Map<string, number>();
  against.forEach((record, position) => {
    if (!referenceTexts.has(rawText(record))) referenceTexts.set(rawText(record), position);
  });
  const selected: number[] = [];
  const filtered: BruteFiltered[] = [];
  const seen = new Set<string>();
  records.forEach((record, position) => {
    const group = classOf.get(position);
    if (group === undefined) {
      if (rules.empty === "keep") selected.push(position);
      else filtered.push({ position, reason: "empty", score: 0, witness: null, duplicates: [] });
      return;
    }
    const text = rawText(record);
    const first = preferred(group);
    const besidePreferred = text === rawText(records[first] ?? "");
    const copied = position !== first && (seen.has(text) || besidePreferred);
    seen.add(text);
    const asCopy = (reason: Reason, witness: BruteWitness): void => {
      filtered.push({ position, reason, score: 1, witness, duplicates: [{ witness, score: 1 }] });
    };
    const known = referenceByForm.get(group.form);
    if (known !== undefined) {
      const exact = referenceTexts.get(text);
      const at = exact ?? known.positions[0] ?? 0;
      asCopy(exact !== undefined || copied ? "exact" : "normalized", { side: "reference", position: at });
      return;
    }
    const copy = copied ? "exact" : "normalized";
    const fate = fates.get(group);
    if (fate !== undefined) {
      const reason = position === first ? fate.reason : copy;
      const { duplicates } = fate;
      const best = duplicates[0];
      if (best === undefined) throw new Error("A near class has a duplicate.");
      filtered.push({ position, reason, score: best.score, witness: best.witness, duplicates });
    } else if (position === first) {
      selected.push(position);
    } else {
      asCopy(copy, { side: "input", position: first });
    }
  });
  vetoed.sort((a, b) => a.position - b.position);
  return { selected, filtered, vetoed };
}

/** Jaccard similarity of two texts, by the definition of the sets. */
export function jaccardOf(a: string, b: string, shingles = DEDUP_DEFAULTS.shingles): number {
  const numbers = new Map<string, number>();
  return jaccardOfSorted(shingleSet(a, shingles, numbers), shingleSet(b, shingles, numbers));
}

/** Cosine of any two vectors, summed in the order of their components. */
export function cosineOf(a: Float32Array, b: Float32Array): number {
  let [product, squareA, squareB] = [0, 0, 0];
  for (let index = 0; index < a.length; index += 1) {
    const [x, y] = [a[index] ?? 0, b[index] ?? 0];
    product += x * y;
    squareA += x * x;
    squareB += y * y;
  }
  return product / Math.sqrt(squareA * squareB);
}

/** The normal form of a text. */
export function normalFormOf(text: string, normalize: "none" | "space" | "case"): string {
  if (normalize === "none") return text;
  const spaced = text
    .replaceAll(/[\u00ad\u200b\u2060\ufeff]/g, "")
    .normalize("NFC")
    .replaceAll(/\p{White_Space}+/gu, " ")
    .replaceAll(/^ | $/g, "");
  return normalize === "space" ? spaced : spaced.toLowerCase().normalize("NFC");
}

/** The columns of a record, as texts. */
export function cellsOf(record: TextRecord, { columns }: Pick<Rules, "columns">): string[] {
  if (typeof record === "string") return columns.map(() => record);
  return columns.map((column) => String(fieldsOf(record)[column]));
}

/** An object may be asked for any key. */
function fieldsOf(record: object): Readonly<Record<string, unknown>> {
  return record as Readonly<Record<string, unknown>>;
}

function rulesOf(options: BruteOptions) {
  const methods: readonly Method[] = options.methods ?? DEDUP_DEFAULTS.methods;
  return {
    methods,
    normalize: methods.includes("normalized") ? (options.normalize ?? "space") : "none",
    empty: options.empty ?? "keep",
    jaccard: options.jaccard ?? 0.8,
    shingles: options.shingles ?? DEDUP_DEFAULTS.shingles,
    threshold: options.threshold ?? 0.9,
    guards: options.guards ?? [],
    keep: options.keep ?? "first",
    duplicatesMax: options.duplicatesMax ?? 100,
    columns: options.columns ?? ["text"],
    referenceOnly: options.profile === "document",
  } as const;
}

function grouped(records: readonly TextRecord[], rules: Rules, numbers: Map<string, number>): Class[] {
  const classes = new Map<string, Class>();
  records.forEach((record, position) => {
    const cells = cellsOf(record, rules);
    const isBlank = cells.every((cell) => normalFormOf(cell, "space") === "");
    if (isBlank && rules.empty !== "collapse") return;
    const normal = isBlank ? cells.map(() => "") : cells.map((cell) => normalFormOf(cell, rules.normalize));
    const form = JSON.stringify(normal);
    const known = classes.get(form);
    if (known !== undefined) {
      known.positions.push(position);
      return;
    }
    const text = normal.join("\n");
    const shingles = rules.methods.includes("lexical") ? shingleSet(text, rules.shingles, numbers) : [];
    classes.set(form, { form, positions: [position], text, cells: normal, shingles });
  });
  return [...classes.values()];
}

/** Which of two positions is preferred: negative when the first is. */
function preference(
  records: readonly TextRecord[],
  { keep, columns }: Rules,
): (a: number, b: number) => number {
  if (keep === "first") return (a, b) => a - b;
  const record = (position: number): TextRecord => records[position] ?? "";
  if (keep === "longest") {
    const length = (position: number): number =>
      Array.from(cellsOf(record(position), { columns }).join("")).length;
    return (a, b) => length(b) - length(a) || a - b;
  }
  const sign = keep.prefer === "highest" ? -1 : 1;
  const value = (position: number): number => {
    const one = record(position);
    const priority = typeof one === "string" ? undefined : fieldsOf(one)[keep.field];
    return typeof priority === "number" ? sign * priority : Number.POSITIVE_INFINITY;
  };
  // Two records without a priority give NaN, which is as good as equal.
  return (a, b) => value(a) - value(b) || a - b;
}

function bySide(a: BruteWitness, b: BruteWitness): number {
  return Number(a.side === "input") - Number(b.side === "input") || a.position - b.position;
}

function shingleSet(
  text: string,
  { unit, size }: { readonly unit: string; readonly size: number },
  numbers: Map<string, number>,
): number[] {
  const lowered = text.toLowerCase();
  const units = unit === "word" ? (lowered.match(/[\p{L}\p{N}_]+/gu) ?? []) : Array.from(lowered);
  const width = Math.min(size, units.length);
  const found = new Set<number>();
  for (let start = 0; start + width <= units.length; start += 1) {
    const shingle =
      width === 0 ? lowered : units.slice(start, start + width).join(unit === "word" ? " " : "");
    let number = numbers.get(shingle);
    if (number === undefined) numbers.set(shingle, (number = numbers.size));
    found.add(number);
  }
  return [...found].sort((a, b) => a - b);
}

function jaccardOfSorted(a: readonly number[], b: readonly number[]): number {
  let [shared, left, right] = [0, 0, 0];
  while (left < a.length && right < b.length) {
    const difference = (a[left] ?? 0) - (b[right] ?? 0);
    if (difference === 0) shared += 1;
    if (difference <= 0) left += 1;
    if (difference >= 0) right += 1;
  }
  return shared / (a.length + b.length - shared);
}

/** One vector a class: its columns side by side, of length one. A class without a direction has none. */
async function vectorsOf(classes: readonly Class[], embedder: Embedder): Promise<Map<Class, Float32Array>> {
  const texts = [...new Set(classes.flatMap(({ cells }) => cells))];
  const rows = await embedder.embed(texts);
  const width = embedder.dimension;
  const rowOf = new Map(texts.map((text, row) => [text, rows.subarray(row * width, (row + 1) * width)]));
  const vectors = new Map<Class, Float32Array>();
  for (const group of classes) {
    const vector = new Float32Array(width * group.cells.length);
    group.cells.forEach((cell, column) => {
      vector.set(rowOf.get(cell) ?? [], column * width);
    });
    const length = Math.sqrt(dot(vector, vector));
    if (length === 0) continue;
    vectors.set(group, group.cells.length === 1 ? vector : vector.map((component) => component / length));
  }
  return vectors;
}

function cosineOfUnits(a: Float32Array, b: Float32Array): number {
  const product = dot(a, b);
  // Within the rounding of unit rows, a cosine is 1.
  return product >= 1 - 2 ** -22 ? 1 : product;
}

const lanes = new Float64Array(16);

/** The dot product with the order of additions that `crates/vector/src/dot.rs` writes down, so that bits can be compared. */
function dot(a: Float32Array, b: Float32Array): number {
  for (let lane = 0; lane < 16; lane += 1) {
    let sum = 0;
    for (let index = lane; index < a.length; index += 16) sum += (a[index] ?? 0) * (b[index] ?? 0);
    lanes[lane] = sum;
  }
  for (let width = 8; width > 0; width >>= 1) {
    for (let lane = 0; lane < width; lane += 1) {
      lanes[lane] = (lanes[lane] ?? 0) + (lanes[lane + width] ?? 0);
    }
  }
  return lanes[0] ?? 0;
}
