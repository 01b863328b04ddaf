/**
 * What the calls of an index may be given, and the check of it.
 */
import type { Metric } from "../metric.js";
import type { Filter } from "../filter/filter.js";
import { z } from "zod";
import { checkAgainst, requireText, requireWhole, wrongArgument } from "../argument.js";
import { SluiceError } from "../errors.js";
import { defaultThreads } from "../native.js";

/** What every index is told, whatever its backend. */
export interface IndexArguments {
  /** Components of every vector. */
  readonly dimension: number;
  /** How vectors are compared. Default `"cosine"`. */
  readonly metric?: Metric | undefined;
  /** The embedder that made the vectors; kept in the file. */
  readonly embedderId?: string | undefined;
}

/** `flat` takes no arguments of its own: every vector is compared, exactly. */
export type FlatArguments = IndexArguments;

/** `hnsw`: a graph over bytes; what it finds is scored exactly, what it misses is not there. */
export interface HnswArguments extends IndexArguments {
  /** Links of an item, and twice as many on the lowest layer: 4 to 64, default 16. More finds more and costs memory. */
  readonly m?: number | undefined;
  /** Candidates while the graph is built: 8 to 4096, default 128. More finds more and builds slower. */
  readonly efConstruction?: number | undefined;
  /** Candidates while it is searched: 1 to 65,536, default 64. More finds more and answers slower. */
  readonly efSearch?: number | undefined;
  /** Decides the layers of items: 0 to 2^32 - 1, default 0. */
  readonly seed?: number | undefined;
}

/** A registered backend checks its own arguments. */
export type CustomArguments = IndexArguments & Readonly<Record<string, unknown>>;

/** The arguments of each backend of the core. */
export interface BackendArguments {
  readonly flat: FlatArguments;
  readonly hnsw: HnswArguments;
}

/** The arguments of a backend by its name. */
export type ArgumentsOf<Backend extends string> = Backend extends keyof BackendArguments
  ? BackendArguments[Backend]
  : CustomArguments;

/** How a call works. */
export interface IndexWork {
  /** Threads of the native core, 1 to 1024; never more than the process may use. Default: all it may use. */
  readonly threads?: number | undefined;
  /** Ends the call with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** How a query works, and what it may find. */
export interface QueryOptions extends IndexWork {
  /** Only items whose payload matches are found. Default: all. */
  readonly filter?: Filter | undefined;
}

/** Arguments, checked and taken apart. */
export interface ResolvedArguments {
  readonly dimension: number;
  readonly metric: Metric;
  readonly embedderId: string | undefined;
  /** The backend's own. */
  readonly own: Readonly<Record<string, unknown>>;
}

const DIMENSION_MAX = 65_536;
const K_MAX = 0xffff_ffff;
const THREADS_MAX = 1024;

const indexArguments = z.object({
  dimension: z.int().min(1).max(DIMENSION_MAX),
  metric: z.enum(["cosine", "dot", "l2"]).optional(),
  embedderId: z.string().min(1).optional(),
});
const work = {
  threads: z.int().min(1).max(THREADS_MAX).optional(),
  signal: z.instanceof(AbortSignal).optional(),
};
const workOptions = z.strictObject(work);
const queryOptions = z.strictObject({ ...work, filter: z.unknown().optional() });
const numbers = z.record(z.string(), z.number());

/** Checks the arguments of an index; those of its backend are left to the backend. */
export function resolveArguments(args: object): ResolvedArguments {
  requireArguments(args);
  checkAgainst(indexArguments, args);
  // Checked in the line above.
  const { dimension, metric = "cosine", embedderId, ...own } = args as IndexArguments;
  return { dimension, metric, embedderId, own: present(own) };
}

/** Refuses arguments of a backend that are no object. */
export function requireArguments(args: unknown): void {
  if (typeof args === "object" && args !== null && !Array.isArray(args)) return;
  throw invalid("args", "object", kindOf(args));
}

/** Arguments without those that are `undefined`. */
export function present(args: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}

/** The arguments of a backend of the core, which are numbers. */
export function numbersOf(args: Readonly<Record<string, unknown>>): Record<string, number> {
  checkAgainst(numbers, args);
  // Checked in the line above.
  return args as Record<string, number>;
}

export function checkWork(options: IndexWork): void {
  checkAgainst(workOptions, options);
}

export function checkQuery(options: QueryOptions): void {
  checkAgainst(queryOptions, options);
}

/** Checks the number of hits that is asked for. */
export function checkK(k: number): void {
  requireWhole("k", k, 0, K_MAX);
}

/** Checks a threshold: any number, infinity included. */
export function checkThreshold(threshold: number): void {
  if (typeof (threshold as unknown) === "number" && !Number.isNaN(threshold)) return;
  throw invalid("threshold", "a number", typeof threshold === "number" ? "NaN" : kindOf(threshold));
}

/** Checks a path. */
export function checkPath(path: string): void {
  requireText("path", path);
}

/** Items as a list of our own, which the caller cannot change while a call waits. */
export function itemList<T>(items: readonly T[]): readonly T[] {
  const given: unknown = items;
  if (!Array.isArray(given)) throw wrongArgument("items", "an array", given);
  return [...items];
}

/** Positions of items as a list of whole numbers. */
export function positionList(positions: Iterable<number>): readonly number[] {
  const given: unknown = positions;
  const isList = typeof given === "object" && given !== null && Symbol.iterator in given;
  if (!isList) throw wrongArgument("positions", "an iterable of positions", given);
  const list = [...positions];
  const wrong = list.findIndex((position) => !Number.isSafeInteger(position) || position < 0);
  if (wrong >= 0) requireWhole(`positions.${wrong}`, list[wrong], 0, Number.MAX_SAFE_INTEGER);
  return list;
}

/** Threads for so many pieces of work: never more than there are, nor than the process may use. */
export function threadsFor(options: IndexWork, pieces: number): number {
  return Math.max(1, Math.min(options.threads ?? defaultThreads(), defaultThreads(), pieces));
}

/** An argument or option that was refused. */
export function invalid(field: string, expected: string, received: string): SluiceError {
  return new SluiceError("OPTION_INVALID", `The option ${field} is not valid: expected ${expected}.`, {
    field,
    expected,
    received,
  });
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
