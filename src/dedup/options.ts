/**
 * The options of deduplication: their types, their defaults, and the one place that checks them.
 */
import { z } from "zod";
import type { Embedder } from "../embed/embedder.js";
import { checkAgainst, isFloat32Array } from "../argument.js";
import { SluiceError } from "../errors.js";
import { GUARDS } from "../guard/veto.js";
import type { Guard } from "../guard/veto.js";
import type { Progress } from "../report.js";

/** Why a record was dropped. `empty` only when blank texts are dropped by option. */
export type Reason = "exact" | "normalized" | "lexical" | "semantic" | "empty";

/** The reasons that have a score of their own: the Jaccard of shingles, and the cosine of vectors. */
export const NEAR_REASONS = ["lexical", "semantic"] as const;
/** A reason whose scores can be compared with each other, and with no other reason's. */
export type NearReason = (typeof NEAR_REASONS)[number];

/** The ways of finding copies, in the order in which they are asked. */
export const METHODS = ["exact", "normalized", "lexical", "semantic"] as const;
/** A way of finding copies. `exact` always runs first. */
export type Method = (typeof METHODS)[number];

/** The normal forms, from the weakest. */
export const NORMAL_FORMS = ["none", "space", "case"] as const;
/** What the reason `normalized` looks past: nothing, white space, or white space and case. */
export type NormalForm = (typeof NORMAL_FORMS)[number];

/** What may become of blank texts. */
export const EMPTY_POLICIES = ["keep", "drop", "collapse"] as const;
/** What becomes of blank texts: keep each, drop each, or keep one. */
export type EmptyPolicy = (typeof EMPTY_POLICIES)[number];

/** What shingles are made of. */
export const SHINGLE_UNITS = ["word", "character"] as const;
/** So many words or characters in a row. */
export interface Shingles {
  readonly unit: (typeof SHINGLE_UNITS)[number];
  readonly size: number;
}

/** Orders by position and length, which need no field. */
export const KEEP_POLICIES = ["first", "longest"] as const;
/** Which end of a field is preferred. */
export const PREFERENCES = ["highest", "lowest"] as const;

/** Which record of a group stays. */
export type Keep =
  (typeof KEEP_POLICIES)[number] | { readonly field: string; readonly prefer: (typeof PREFERENCES)[number] };

/**
 * A record: a text, or an object with text columns. Any object: that of an interface or a class has no index signature, which
 * a `Record` would ask for.
 */
export type TextRecord = string | object;

/** What decides whether two records are copies. Every field has a default: see `DEDUP_DEFAULTS`. */
export interface DedupRules {
  /** Ways of finding copies; `"all"` is every one. Cost rises from exact to semantic. Default `"all"`. */
  readonly methods?: "all" | readonly Method[] | undefined;
  /** The normal form behind the reason `normalized`; all near stages see it too. Default `"space"`. */
  readonly normalize?: NormalForm | undefined;
  /** What becomes of blank texts: keep each, drop each, or keep one. Default `"keep"`. */
  readonly empty?: EmptyPolicy | undefined;
  /** Lexical threshold: Jaccard similarity of the sets of shingles, 0 to 1, inclusive. Default 0.8. */
  readonly jaccard?: number | undefined;
  /** Shingles: so many words or characters. Characters suit scripts without spaces. Default 3 words. */
  readonly shingles?: Shingles | undefined;
  /**
   * Semantic threshold: cosine similarity, 0 to 1, inclusive. Belongs to the embedder. A cosine within 2.4e-7 of 1 counts as
   * 1, which is what rounding to 32 bits may cost equal directions. Default 0.9.
   */
  readonly threshold?: number | undefined;
  /** Lowest cosine that is stored and that `rethreshold` may go down to. Default: `threshold`. */
  readonly floor?: number | undefined;
  /** Differences that veto a near-duplicate. Default none. */
  readonly guards?: readonly Guard[] | undefined;
  /**
   * Which record of a group stays; ties go to the first. `"longest"` counts the characters (code points) of all columns.
   * Default `"first"`.
   */
  readonly keep?: Keep | undefined;
  /** How many witnesses are listed for a dropped record. Default 100. */
  readonly duplicatesMax?: number | undefined;
  /**
   * `"document"`: as the source document has it. Exact and semantic only, no normal form; where there is a reference,
   * near-duplicates are looked for there and not inside the batch. Default none.
   */
  readonly profile?: "document" | undefined;
}

/** How the work is done; none of it changes the result. */
export interface DedupWork {
  /** Threads of the native core; more than the available parallelism, which is the default, are clamped and reported. */
  readonly threads?: number | undefined;
  /**
   * Refuse work that takes more than so many bytes: keys, texts, shingles and vectors of the records, and what comparing
   * them adds. A fitted reference has the bound of its fit. Default: no bound.
   */
  readonly memoryBytes?: number | undefined;
  /** Aborts the work; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called some ten times a second while the work goes on. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** How the semantic method gets its vectors. */
export interface DedupVectors {
  /** Embedder of the semantic method: a name, a folder, or your own. Default `"static-en"`. */
  readonly embedder?: Embedder | "static-en" | "hash" | (string & {}) | undefined;
  /**
   * Vectors you already have, one row a record, in the order of the records. `data` is read while the call runs and must stay
   * as it is until the call ends.
   */
  readonly embeddings?: { readonly data: Float32Array; readonly dimension: number } | undefined;
}

/** Where the texts of a record are. */
export interface DedupColumns {
  /** Columns that make up the text of a record. Default `["text"]`. */
  readonly columns?: readonly string[] | undefined;
  /** Field of your own id; positions are always there. Default `"id"` where a record has one. */
  readonly id?: string | undefined;
}

/** Options of `dedup`. */
export interface DedupOptions extends DedupRules, DedupWork, DedupVectors, DedupColumns {}

/** The rules after defaults, as they appear in the report. */
export interface ResolvedRules {
  readonly methods: readonly Method[];
  readonly normalize: NormalForm;
  readonly empty: EmptyPolicy;
  readonly jaccard: number;
  readonly shingles: Shingles;
  readonly threshold: number;
  readonly floor: number;
  readonly guards: readonly Guard[];
  readonly keep: Keep;
  readonly duplicatesMax: number;
  readonly referenceOnly: boolean;
}

/** The defaults, in one place. */
export const DEDUP_DEFAULTS = {
  methods: METHODS,
  normalize: "space",
  empty: "keep",
  jaccard: 0.8,
  shingles: { unit: "word", size: 3 },
  threshold: 0.9,
  guards: [],
  keep: "first",
  duplicatesMax: 100,
  columns: ["text"],
  id: "id",
  embedder: "static-en",
} as const;

/** Most components of a vector. */
const DIMENSION_MAX = 65_536;
/** A number from 0 to 1. */
export const share = z.number().min(0).max(1);
const fieldName = z.string().min(1);

const schema = z.strictObject({
  methods: z.union([z.literal("all"), z.array(z.enum(METHODS))]).optional(),
  normalize: z.enum(NORMAL_FORMS).optional(),
  empty: z.enum(EMPTY_POLICIES).optional(),
  jaccard: share.gt(0).optional(),
  shingles: z.strictObject({ unit: z.enum(SHINGLE_UNITS), size: z.int().min(1).max(64) }).optional(),
  threshold: share.optional(),
  floor: share.optional(),
  guards: z.array(z.enum(GUARDS)).optional(),
  keep: z
    .union([z.enum(KEEP_POLICIES), z.strictObject({ field: fieldName, prefer: z.enum(PREFERENCES) })], {
      error: `${KEEP_POLICIES.join(", ")} or { field, prefer: ${PREFERENCES.join(" or ")} }`,
    })
    .optional(),
  duplicatesMax: z.int().min(1).max(1_000_000).optional(),
  profile: z.literal("document").optional(),
  threads: z.int().min(1).max(1024).optional(),
  memoryBytes: z.number().positive().optional(),
  columns: z.array(fieldName).min(1).max(256).optional(),
  id: fieldName.optional(),
  signal: z.instanceof(AbortSignal).optional(),
  onProgress: z
    .custom<(progress: Progress) => void>((value) => typeof value === "function", "function")
    .optional(),
  embedder: z
    .union([z.string().min(1), z.custom<Embedder>((value) => lackOf(value) === undefined)], {
      error: ({ input }) => lackOf(input),
    })
    .optional(),
  embeddings: z
    .strictObject({
      data: z.custom<Float32Array>(isFloat32Array, "Float32Array"),
      dimension: z.int().min(1).max(DIMENSION_MAX),
    })
    .optional(),
});

/** Checks options as given by a caller; unknown names, wrong types and values out of range are `OPTION_INVALID`. */
export function checkOptions(options: object): void {
  checkAgainst(schema, options);
}

/** Fills in the defaults. Call `checkOptions` first. `against`: whether there is a reference to compare with. */
export function resolveRules(options: DedupRules, against: boolean): ResolvedRules {
  const document = options.profile === "document";
  const chosen = options.methods ?? (document ? (["semantic"] as const) : "all");
  const wanted = chosen === "all" ? DEDUP_DEFAULTS.methods : chosen;
  const normalize = options.normalize ?? (document ? "none" : DEDUP_DEFAULTS.normalize);
  const threshold = options.threshold ?? DEDUP_DEFAULTS.threshold;
  const floor = options.floor ?? threshold;
  if (floor > threshold) {
    throw new SluiceError("OPTION_INVALID", "The option floor must not lie above threshold.", {
      field: "floor",
      expected: `at most ${threshold}`,
      received: String(floor),
    });
  }
  const methods = DEDUP_DEFAULTS.methods.filter(
    (name) => name === "exact" || (wanted.includes(name) && (name !== "normalized" || normalize !== "none")),
  );
  return {
    methods,
    // Without the reason `normalized` every stage sees the text as it is.
    normalize: methods.includes("normalized") ? normalize : "none",
    empty: options.empty ?? DEDUP_DEFAULTS.empty,
    jaccard: options.jaccard ?? DEDUP_DEFAULTS.jaccard,
    shingles: options.shingles ?? DEDUP_DEFAULTS.shingles,
    threshold,
    floor,
    guards: options.guards ?? DEDUP_DEFAULTS.guards,
    keep: options.keep ?? DEDUP_DEFAULTS.keep,
    duplicatesMax: options.duplicatesMax ?? DEDUP_DEFAULTS.duplicatesMax,
    referenceOnly: document && against,
  };
}

/** What a value lacks to be an embedder; `undefined` for one. */
function lackOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null)
    return "a name, a folder or an embedder { id, dimension, embed }";
  // An object may be asked for any key.
  const { id, dimension, embed } = value as Partial<Record<keyof Embedder, unknown>>;
  if (typeof id !== "string") return "an embedder whose id is a text";
  if (
    typeof dimension !== "number" ||
    !Number.isInteger(dimension) ||
    dimension < 1 ||
    dimension > DIMENSION_MAX
  )
    return `an embedder whose dimension is a whole number from 1 to ${DIMENSION_MAX}`;
  return typeof embed === "function" ? undefined : "an embedder whose embed is a function";
}
