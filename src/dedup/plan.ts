/**
 * From options to the settings of one run: what the native batch must keep, and how a walk is asked for.
 */
import type { NativeBatchOptions, NativeRules } from "#native";
import { defaultThreads } from "../native.js";
import type { Progress } from "../report.js";
import { checkOptions, DEDUP_DEFAULTS, resolveRules } from "./options.js";
import type { DedupOptions, Method, ResolvedRules } from "./options.js";

/** Everything that one run needs to know. */
export interface BatchPlan {
  readonly rules: ResolvedRules;
  readonly columns: readonly string[];
  readonly id: string;
  /** The field of ids that was asked for, where one was. */
  readonly idAsked?: string;
  /** Never more than the process may use: more would only get in each other's way. */
  readonly threads: number;
  /** Threads that were asked for, where they were more. */
  readonly threadsAsked?: number;
  readonly memoryBytes: number | undefined;
  readonly native: NativeBatchOptions;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** What the plan is for: a batch compared with itself alone, a reference to be fitted, a batch against a reference. */
export type Purpose = "alone" | "reference" | "against";

/** Checks the options and lays out the run. */
export function planRun(options: DedupOptions, purpose: Purpose): BatchPlan {
  checkOptions(options);
  const rules = resolveRules(options, purpose === "against");
  const columns = options.columns ?? DEDUP_DEFAULTS.columns;
  const uses = (method: Method): boolean => rules.methods.includes(method);
  const available = defaultThreads();
  const asked = options.threads ?? available;
  const near = uses("lexical") || uses("semantic");
  return {
    rules,
    columns,
    id: options.id ?? DEDUP_DEFAULTS.id,
    ...(options.id === undefined ? {} : { idAsked: options.id }),
    threads: Math.min(asked, available),
    ...(asked > available ? { threadsAsked: asked } : {}),
    memoryBytes: options.memoryBytes,
    signal: options.signal,
    onProgress: options.onProgress,
    native: {
      columns: columns.length,
      normalize: rules.normalize,
      empty: rules.empty,
      // Without near stages the caller's own strings confirm a copy, and only keys stay in the core.
      verifyBytes: near || uses("normalized") || purpose !== "alone",
      ...(uses("lexical") ? { shingleUnit: rules.shingles.unit, shingleSize: rules.shingles.size } : {}),
      // Guards and `keep` may change from batch to batch: a reference is ready for all of them.
      keepTexts: uses("semantic") || rules.guards.length > 0 || purpose !== "alone",
      keepLengths: rules.keep === "longest" || purpose !== "alone",
      ...(options.memoryBytes === undefined ? {} : { memoryBytes: options.memoryBytes }),
    },
  };
}

/** The rules as the native walk takes them. */
export function nativeRules(rules: ResolvedRules, threshold = rules.threshold): NativeRules {
  const uses = (method: Method): boolean => rules.methods.includes(method);
  return {
    keep: typeof rules.keep === "string" ? rules.keep : rules.keep.prefer,
    referenceOnly: rules.referenceOnly,
    ...(uses("lexical") ? { jaccard: rules.jaccard } : {}),
    ...(uses("semantic") ? { cosine: threshold, floor: Math.min(rules.floor, threshold) } : {}),
    guards: [...rules.guards],
    duplicatesMax: rules.duplicatesMax,
  };
}
