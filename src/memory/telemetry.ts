/**
 * What a listener is told about a search: its shape, never its words or whose it was.
 */
import { createHash } from "node:crypto";
import type { ScopeFields } from "../filter/scope.js";
import type { RerankStatus } from "../rerank/reranker.js";

/** A search, as plain data. */
export interface MemorySearchEvent {
  /** Version of the package. */
  readonly version: string;
  /** The `topK` in force. */
  readonly limit: number;
  readonly threshold: number;
  /** Fields of the caller's filter, sorted. */
  readonly filterKeys: readonly string[];
  /** Whether the filter does more than compare fields with a value each. */
  readonly advanced: boolean;
  /** The ids of the scope, each as a hash: enough to count users, and a pseudonym, not anonymity. */
  readonly scope: ScopeFields;
  readonly rerank: RerankStatus["status"];
  readonly results: number;
  readonly seconds: number;
}

/** A scope with its ids hashed: the first 16 hex digits of SHA-256 over field and id. */
export function hashedScope(scope: ScopeFields): ScopeFields {
  return Object.fromEntries(
    Object.entries(scope as Readonly<Record<string, string>>).map(([field, id]) => [
      field,
      createHash("sha256").update(`${field}\0${id}`, "utf8").digest("hex").slice(0, 16),
    ]),
  );
}

/** Tells a listener; gives whether it threw, which is no reason for a search to fail. What it returns is not waited for. */
export function tell(
  listener: (event: MemorySearchEvent) => unknown,
  event: MemorySearchEvent,
): "told" | "failed" {
  try {
    const returned: unknown = listener(event);
    // A promise that rejects later must not end the process.
    Promise.resolve(returned).catch(() => undefined);
    return "told";
  } catch {
    return "failed";
  }
}
