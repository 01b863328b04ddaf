/**
 * What the calls of an index may be given, and the check of it.
 */
import type { Metric } from "../metric.js";
import type { Filter } from "../filter/filter.js";
import { z } from "zod";
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
  /** Threads of the native core. Default: all the process may use. */
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

const indexArguments = z.object({
  dimension: z.int().min(1).max(DIMENSION_MAX),
  metric: z.enum(["cosine", "dot", "l2"]).optional(),
  embedderId: z.string().min(1).optional(),
});
const work = { threads: z.int().min(1).optional(), signal: z.instanceof(AbortSignal).optional() };
const workOptions = z.strictObject(work);
const queryOptions = z.strictObject({ ...work, filter: z.unknown().optional() });
// Made once: zod compiles a schema on its first use.
const numbers = z.record(z.string(), z.number());
const wantedCount = z.object({ k: z.int().min(0).max(0xffff_ffff) });
const wantedPath = z.object({ path: z.string().min(1) });
const wantedPositions = z.object({ positions: z.array(z.int().min(0)) });

/** Checks the arguments of an index; those of its backend are left to the backend. */
export function resolveArguments(args: object): ResolvedArguments {
  const { dimension, metric, embedderId } = check(indexArguments, args);
  const { dimension: _d, metric: _m, embedderId: _e, ...own } = args as Partial<IndexArguments>;
  return { dimension, metric: metric ?? "cosine", embedderId, own: present(own) };
}

/** Arguments without those that are `undefined`. */
export function present(args: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}

/** The arguments of a backend of the core, which are numbers. */
export function numbersOf(args: Readonly<Record<string, unknown>>): Record<string, number> {
  return check(numbers, args);
}

export function checkWork(options: IndexWork): void {
  check(workOptions, options);
}

export function checkQuery(options: QueryOptions): void {
  check(queryOptions, options);
}

/** Checks the number of hits that is asked for. */
export function checkK(k: number): void {
  check(wantedCount, { k });
}

/** Checks a threshold: any number, infinity included. */
export function checkThreshold(threshold: number): void {
  if (typeof (threshold as unknown) === "number" && !Number.isNaN(threshold)) return;
  throw invalid("threshold", "a number", typeof threshold === "number" ? "NaN" : typeof threshold);
}

/** Checks a path. */
export function checkPath(path: string): void {
  check(wantedPath, { path });
}

/** Checks positions of items: whole numbers. */
export function checkPositions(positions: Iterable<number>): readonly number[] {
  return check(wantedPositions, { positions: [...positions] }).positions;
}

/** Threads for so many queries: never more than there are queries. */
export function threadsFor(options: IndexWork, pieces: number): number {
  return Math.max(1, Math.min(options.threads ?? defaultThreads(), defaultThreads(), pieces));
}

/** An argument or option that was refused. */
export function invalid(field: string, expected: string, received: string): SluiceError {
  return new SluiceError("OPTION_INVALID", `The option ${field} is not valid.`, {
    field,
    expected,
    received,
  });
}

function check<T>(schema: z.ZodType<T>, given: unknown): T {
  const checked = schema.safeParse(given);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  const path = issue?.path.map(String) ?? [];
  const field = issue?.code === "unrecognized_keys" ? issue.keys.join(", ") : path.join(".");
  throw invalid(
    field === "" ? "options" : field,
    issue?.message ?? "a documented option",
    kindAt(given, path),
  );
}

/** What stands at a path: a number or the name of a type, never a text of the caller. */
function kindAt(given: unknown, path: readonly string[]): string {
  let value = given;
  // Whatever is no object answers `undefined` to every key.
  for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key];
  return typeof value === "number" || typeof value === "boolean" ? String(value) : typeof value;
}
