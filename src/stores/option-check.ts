/**
 * Options of a store as a caller gives them: unknown names, wrong types and values out of range are `OPTION_INVALID`.
 */
import { z } from "zod";
import { checkAgainst } from "../argument.js";
import { SluiceError } from "../errors.js";
import type { OpenCollection } from "./store-driver.js";
import type { CollectionOptions } from "./vector-store.js";

/** Defaults of stores, in one place. */
export const STORE_DEFAULTS = {
  dimension: 768,
  metric: "cosine",
  topK: 10,
  limit: 256,
  withPayload: true,
  withVector: false,
  onDisk: false,
  requestTimeoutMs: 30_000,
} as const;

/** Most components of a vector. */
const DIMENSION_MAX = 65_536;
/** Most hits of a search and points of a page. */
export const RESULTS_MAX = 10_000;

const signal = z.instanceof(AbortSignal).optional();
const callback = z.custom<unknown>((value) => typeof value === "function", "a function").optional();
const results = z.int().min(1).max(RESULTS_MAX).optional();
// What a filter may be is known where filters are read; here it only has a name.
const filter = z.unknown().optional();
const reading = { withPayload: z.boolean().optional(), withVector: z.boolean().optional(), signal };
/** A name that every store can have as the name of a collection, and that needs no escaping in a path. */
const collectionName = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/);
const fieldPath = z.string().regex(/^[^\s.]+(?:\.[^\s.]+)*$/);

const schemas = {
  collection: z.strictObject({
    dimension: z.int().min(1).max(DIMENSION_MAX).optional(),
    metric: z.enum(["cosine", "dot", "l2"]).optional(),
    embedderId: z.string().min(1).max(512).optional(),
    payloadIndexes: z.record(fieldPath, z.enum(["keyword", "float", "datetime", "bool"])).optional(),
    foldedFields: z.array(fieldPath).max(64).optional(),
    shards: z.int().min(1).max(4_096).optional(),
    replicationFactor: z.int().min(1).max(64).optional(),
    writeConsistencyFactor: z.int().min(1).max(64).optional(),
    onDisk: z.boolean().optional(),
    signal,
  }),
  write: z.strictObject({
    onBatch: callback,
    embedderId: z.string().min(1).optional(),
    signal,
  }),
  search: z.strictObject({
    topK: results,
    filter,
    scoreThreshold: z.number().optional(),
    embedderId: z.string().min(1).optional(),
    onSearch: callback,
    ...reading,
  }),
  textSearch: z.strictObject({ topK: results, filter, signal }),
  read: z.strictObject(reading),
  scroll: z.strictObject({ limit: results, filter, after: z.string().optional(), ...reading }),
  count: z.strictObject({ filter, signal }),
  rebuild: z.strictObject({ limit: results, after: z.string().optional(), signal }),
  abortable: z.strictObject({ signal }),
  deletion: z.union([
    z.strictObject({ ids: z.array(z.unknown()) }),
    z.strictObject({ filter: z.unknown(), allowUnscoped: z.boolean().optional() }),
  ]),
} as const;

/** Refuses options that are not those of a call. */
export function checkCall(call: keyof typeof schemas, options: object): void {
  checkAgainst(schemas[call], options);
}

/** Refuses what is not the name of a collection. */
export function checkCollectionName(name: unknown): asserts name is string {
  if (collectionName.safeParse(name).success) return;
  throw new SluiceError(
    "COLLECTION_NAME_INVALID",
    "The name of a collection must be letters, digits, `_`, `.` and `-`.",
    {
      field: "name",
      expected: "1 to 128 of A-Z a-z 0-9 _ . -, the first no dot or dash",
      received: typeof name === "string" ? `a text of ${name.length} characters` : typeof name,
    },
  );
}

/** Refuses a collection that is not what was asked for. */
export function requireSame(there: OpenCollection, wanted: CollectionOptions): void {
  const dimension = wanted.dimension ?? STORE_DEFAULTS.dimension;
  const metric = wanted.metric ?? STORE_DEFAULTS.metric;
  const unfolded = (wanted.foldedFields ?? []).find((field) => !there.foldedFields.includes(field));
  const differences: ReadonlyArray<readonly [string, string, string] | false | undefined> = [
    there.dimension !== dimension && ["dimension", String(dimension), String(there.dimension)],
    there.metric !== metric && ["metric", metric, there.metric],
    wanted.embedderId !== undefined &&
      there.embedderId !== undefined &&
      there.embedderId !== wanted.embedderId && ["embedderId", wanted.embedderId, there.embedderId],
    unfolded !== undefined && ["foldedFields", unfolded, there.foldedFields.join(", ") || "none"],
  ];
  for (const difference of differences) {
    if (difference === false || difference === undefined) continue;
    const [field, expected, received] = difference;
    throw new SluiceError(
      "COLLECTION_MISMATCH",
      `The collection ${there.name} has ${field} ${received}, not ${expected}.`,
      { field, expected, received },
    );
  }
}
