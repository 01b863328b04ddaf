/**
 * What goes into a memory and what is asked of it: types, defaults, and the one place that checks them.
 */
import { z } from "zod";
import { checkAgainst } from "../argument.js";
import type { Embedder } from "../embed/embedder.js";
import { SluiceError } from "../errors.js";
import type { Filter } from "../filter/filter.js";
import type { EntityScope } from "../filter/scope.js";
import { GUARDS } from "../guard/veto.js";
import type { Guard } from "../guard/veto.js";
import type { Reranker } from "../rerank/reranker.js";
import { anEmbedder, aReranker, hasFunctions } from "../retrieve/options.js";
import { checkPayload } from "../stores/payload-check.js";
import type { Payload, VectorStore } from "../stores/vector-store.js";
import { RECORD_FIELD, SCOPE_FIELDS } from "./record.js";
import type { MemorySearchEvent } from "./telemetry.js";

/** The part of a store that a memory needs; `VectorStoreHub` has it. */
export type MemoryStore = Omit<VectorStore, "health" | "close" | typeof Symbol.asyncDispose>;

/** What a memory is made of. It holds nothing of its own: whoever made the hub closes it. */
export interface MemoryConfig {
  readonly hub: MemoryStore;
  readonly embedder: Embedder;
  /** Asked by searches with `rerank: true`. Default none. */
  readonly reranker?: Reranker | undefined;
  /** Candidates that the reranker sees, 1 to 1,000. Default 50. */
  readonly rerankPool?: number | undefined;
  /** How long the reranker may take. Default 5,000. */
  readonly rerankTimeoutMs?: number | undefined;
  /** Collection of the memories; what is left of deleted ones goes to `<collection>.deleted`. Default `"memory"`. */
  readonly collection?: string | undefined;
  /**
   * Fields of the metadata that `icontains` may ask for where a store cannot compare without case, as Qdrant cannot; fixed
   * when the collection is made. The embedded store needs none. Default none.
   */
  readonly foldedFields?: readonly string[] | undefined;
  /** Milliseconds since 1970: the time that is written down, and by which memories expire. Default `Date.now`. */
  readonly clock?: (() => number) | undefined;
  /**
   * Makes the id of a new memory out of a text that no other memory has. A UUID is taken in lower case. An id that is taken is
   * never given again: it is asked for another one, and refused in the end. Default `contentId`: the same content in the same
   * scope gets the same id, so that an add that is tried again, or made twice at once, writes one memory.
   */
  readonly ids?: ((content: string) => string) | undefined;
  /**
   * Told about every search; nothing leaves the process by itself. If it throws, the search goes on, and its report says so
   * (`listener_failed`). Default none.
   */
  readonly onSearch?: ((event: MemorySearchEvent) => void) | undefined;
}

/** A memory to add. */
export interface MemoryInput {
  /** Not blank, at most 32 KiB. */
  readonly text: string;
  /** Fields that filters can ask for. `user_id`, `agent_id`, `run_id` and `_memory` are not yours. Default none. */
  readonly metadata?: Payload | undefined;
  /** From then on it is not found any more; a date to come. Default never. */
  readonly expiresAt?: Date | string | undefined;
  /**
   * Your own name for the fact, unique in the scope: another text under the same name replaces the former, and the fact is
   * never merged with one of another name. Default none.
   */
  readonly key?: string | undefined;
}

/** How a fact that is known in other words is recognized. Only within the very same scope, never across keys. */
export interface SemanticDedup {
  readonly method: "semantic";
  /** Least cosine, inclusive; belongs to the embedder. Default 0.9. */
  readonly threshold?: number | undefined;
  /** Differences that keep two facts apart. Default every guard. */
  readonly guards?: readonly Guard[] | undefined;
  /** Which text stays: the one that is there (`NONE`), or the new one (`UPDATE`). Default `"known"`. */
  readonly keep?: "known" | "new" | undefined;
}

/** How to add. */
export interface MemoryAddOptions {
  /** Which items are known already. `"exact"`: the same text in the very same scope. Default `"exact"`. */
  readonly dedup?: "exact" | SemanticDedup | undefined;
  /** Aborts the work; what was written by then stays, and the same call again completes it. */
  readonly signal?: AbortSignal | undefined;
}

/** A filter in mem0's form: the scope stands at its top level. */
export type ScopedFilter = Filter &
  (
    | { readonly user_id: string | number }
    | { readonly agent_id: string | number }
    | { readonly run_id: string | number }
  );

/** How to search, whatever the scope. */
export interface MemorySearchSettings {
  /** Most results, 0 to 1,000. Default 20. */
  readonly topK?: number | undefined;
  /** Keeps memories with a cosine of at least so much, -1 to 1. Default 0.1. */
  readonly threshold?: number | undefined;
  /** Asks the reranker, if there is one. Default false. */
  readonly rerank?: boolean | undefined;
  /** Adds to every result what its place comes from. Default false. */
  readonly explain?: boolean | undefined;
  /** Aborts the search. */
  readonly signal?: AbortSignal | undefined;
}

/** How to search. A search without a scope does not compile. */
export type MemorySearchOptions = MemorySearchSettings &
  (
    | { readonly scope: EntityScope; readonly filters?: Filter | undefined }
    | { readonly scope?: undefined; readonly filters: ScopedFilter }
  );

/** What to change of a memory; what is not named stays. */
export interface MemoryChange {
  readonly text?: string | undefined;
  /** Replaces all metadata. */
  readonly metadata?: Payload | undefined;
  /** `null`: never. */
  readonly expiresAt?: Date | string | null | undefined;
}

/** The defaults, in one place. */
export const MEMORY_DEFAULTS = {
  collection: "memory",
  topK: 20,
  threshold: 0.1,
  semanticThreshold: 0.9,
  dedup: "exact",
  rerank: false,
  explain: false,
} as const;

/** Most bytes of the text of a memory. */
const TEXT_BYTES_MAX = 32_768;
/** Most items of one call. */
const ITEMS_MAX = 10_000;

const signal = z.instanceof(AbortSignal).optional();
const callback = z.custom<unknown>((value) => typeof value === "function", "a function").optional();
/** What of a store every memory calls. */
const HUB_METHODS = [
  "ensureCollection",
  "storeVectors",
  "searchVectors",
  "get",
  "scroll",
  "count",
  "deletePoints",
] as const;

const schemas = {
  config: z.strictObject({
    hub: z.custom<unknown>(
      (value) => hasFunctions(value, HUB_METHODS),
      `a store with ${HUB_METHODS.join(", ")}, such as a VectorStoreHub`,
    ),
    embedder: anEmbedder,
    reranker: aReranker.optional(),
    rerankPool: z.int().min(1).max(1_000).optional(),
    rerankTimeoutMs: z.int().min(1).max(600_000).optional(),
    // Leaves room for the name of the collection beside it.
    collection: z.string().min(1).max(120).optional(),
    foldedFields: z.array(z.string().min(1)).optional(),
    clock: callback,
    ids: callback,
    onSearch: callback,
  }),
  add: z.strictObject({
    dedup: z
      .union([
        z.literal("exact"),
        z.strictObject({
          method: z.literal("semantic"),
          threshold: z.number().min(0).max(1).optional(),
          guards: z.array(z.enum(GUARDS)).optional(),
          keep: z.enum(["known", "new"]).optional(),
        }),
      ])
      .optional(),
    signal,
  }),
  search: z.strictObject({
    // Both are read by the core.
    scope: z.unknown().optional(),
    filters: z.custom<unknown>((value) => typeof value === "object" && value !== null, "a filter").optional(),
    topK: z.int().min(0).max(1_000).optional(),
    threshold: z.number().min(-1).max(1).optional(),
    rerank: z.boolean().optional(),
    explain: z.boolean().optional(),
    signal,
  }),
  call: z.strictObject({ signal }),
  change: z.strictObject({
    text: z.unknown().optional(),
    metadata: z.unknown().optional(),
    expiresAt: z.unknown().optional(),
  }),
  item: z.strictObject({
    text: z.unknown(),
    metadata: z.unknown().optional(),
    expiresAt: z.unknown().optional(),
    key: z.string().min(1).max(1_024).optional(),
  }),
} as const;

/** Refuses options that are not those of a call. */
export function checkCall(call: keyof typeof schemas, options: object): void {
  checkAgainst(schemas[call], options);
}

/** A checked item: a copy, so that what a caller does to its own changes nothing. */
export interface CheckedInput {
  readonly position: number;
  readonly text: string;
  readonly metadata: Payload;
  readonly expiresAt: string | undefined;
  readonly key: string | undefined;
}

/** Checks all items before anything is spent on one. */
export function checkInputs(items: unknown, nowMs: number): readonly CheckedInput[] {
  if (!Array.isArray(items) || items.length > ITEMS_MAX) {
    throw new SluiceError("OPTION_INVALID", "The items must be a list.", {
      field: "items",
      expected: `an array of at most ${ITEMS_MAX}`,
      received: Array.isArray(items) ? `${items.length} items` : typeof items,
    });
  }
  return (items as readonly unknown[]).map((given, position) => {
    const item = typeof given === "string" ? { text: given } : given;
    if (typeof item !== "object" || item === null) {
      throw refused(position, "items", "a text or an object with one", kindOf(item));
    }
    checkCall("item", item);
    // Each field is checked below.
    const { text, metadata, expiresAt, key } = item as Partial<Record<keyof MemoryInput, unknown>>;
    return {
      position,
      text: checkText(text, position),
      metadata: checkMetadata(metadata ?? {}, position),
      expiresAt: expiresAt === undefined ? undefined : checkExpiry(expiresAt, nowMs, position),
      // A text, by the schema.
      key: key as string | undefined,
    };
  });
}

/** The text of a memory. */
export function checkText(text: unknown, position: number): string {
  if (typeof text !== "string" || text.trim() === "" || !text.isWellFormed()) {
    throw refused(position, "text", "a well-formed text that is not blank", kindOf(text));
  }
  const bytes = Buffer.byteLength(text);
  if (bytes > TEXT_BYTES_MAX) {
    throw refused(position, "text", `at most ${TEXT_BYTES_MAX} bytes`, `${bytes} bytes`);
  }
  return text;
}

/** The metadata of a memory, copied. */
export function checkMetadata(metadata: unknown, position: number): Payload {
  const json = checkPayload(metadata, position);
  // It was an object a moment ago.
  const copy = JSON.parse(json) as Payload;
  const taken = [...SCOPE_FIELDS, RECORD_FIELD].find((field) => Object.hasOwn(copy, field));
  if (taken === undefined) return copy;
  throw refused(
    position,
    `metadata.${taken}`,
    "a field that the memory does not write itself",
    kindOf(copy[taken]),
  );
}

/** When a memory expires, as an instant in UTC. */
export function checkExpiry(expiresAt: unknown, nowMs: number, position: number): string {
  const ms =
    expiresAt instanceof Date
      ? expiresAt.getTime()
      : typeof expiresAt === "string" && ISO_DATE.test(expiresAt)
        ? Date.parse(expiresAt)
        : Number.NaN;
  if (Number.isNaN(ms) || ms <= nowMs) {
    throw refused(
      position,
      "expiresAt",
      "a date to come, as a Date or in ISO form with a zone",
      kindOf(expiresAt),
    );
  }
  return new Date(ms).toISOString();
}

/** A day (in UTC), or a time with its zone: without one it would mean another instant on every machine. */
const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

function refused(position: number, field: string, expected: string, received: string): SluiceError {
  return new SluiceError("OPTION_INVALID", `The ${field} of a memory must be ${expected}.`, {
    position,
    field,
    expected,
    received,
  });
}

function kindOf(value: unknown): string {
  if (typeof value === "string" && value.trim() === "") return "a blank text";
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
