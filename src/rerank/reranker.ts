/**
 * What a reranker is to every stage, and the one way to call it: checked, bounded in time, and never fatal.
 *
 * A reranker improves an order that is there already. So its failure gives the order that was there, and says so; only the
 * caller's own abort ends the call.
 */
import { untilAborted } from "../abort.js";

/** Options of one call of a reranker. */
export interface RerankOptions {
  /** Aborts when the caller does, and when the time is up. */
  readonly signal?: AbortSignal | undefined;
}

/** Says how well texts answer a query. Implement it to bring your own model or service. */
export interface Reranker {
  /** Name of the model; goes into reports. */
  readonly id: string;
  /** One finite score a text, in the order of the texts; higher is better, on any scale. */
  rerank(query: string, texts: readonly string[], options?: RerankOptions): Promise<readonly number[]>;
}

/** Whether a result was reranked. `failed`: its order is the one without a reranker. */
export type RerankStatus =
  | { readonly status: "off" }
  | { readonly status: "ok"; readonly seconds: number }
  | { readonly status: "failed"; readonly error: string; readonly seconds: number };

/** What a reranker made of texts: a score each, or none where it failed or was not asked. */
export interface Reranking {
  readonly status: RerankStatus;
  readonly scores: readonly number[] | undefined;
}

/** How long to wait, and for whom. */
export interface RerankBounds {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Asks a reranker. Without texts nobody is asked. Rejects only with the reason of the caller's signal. */
export async function scoreTexts(
  reranker: Reranker,
  query: string,
  texts: readonly string[],
  { timeoutMs, signal }: RerankBounds,
): Promise<Reranking> {
  signal?.throwIfAborted();
  if (texts.length === 0) return { status: { status: "off" }, scores: undefined };
  const timeUp = new AbortController();
  const timer = setTimeout(() => {
    timeUp.abort(new Error(`no answer within ${timeoutMs} ms`));
  }, timeoutMs);
  const either = signal === undefined ? timeUp.signal : AbortSignal.any([signal, timeUp.signal]);
  const startedMs = performance.now();
  try {
    const given = await untilAborted(() => reranker.rerank(query, texts, { signal: either }), either);
    const scores = scoresOf(given, texts.length);
    return { status: { status: "ok", seconds: secondsSince(startedMs) }, scores };
  } catch (reason) {
    signal?.throwIfAborted();
    const error = `${rerankerName(reranker)}: ${wordsOf(reason)}`;
    return {
      status: { status: "failed", error, seconds: secondsSince(startedMs) },
      scores: undefined,
    };
  } finally {
    clearTimeout(timer);
  }
}

/** The name of a reranker for reports; one that has none, or throws when it is asked, is no reason to fail. */
export function rerankerName(reranker: Reranker): string {
  try {
    const { id } = reranker;
    // The type says what it is, but a caller may use plain JavaScript.
    return typeof id === "string" && id !== "" ? id : UNNAMED;
  } catch {
    return UNNAMED;
  }
}

const UNNAMED = "a reranker without a name";

/** What was thrown, in words: anything can be, also what cannot be made a text. */
function wordsOf(reason: unknown): string {
  try {
    // The message of an error can be replaced by anything, too.
    return String(reason instanceof Error ? reason.message : reason);
  } catch {
    return "it threw something that has no words";
  }
}

/** The scores as a list of our own; throws why something is not one finite score a text. */
function scoresOf(scores: unknown, texts: number): readonly number[] {
  if (!Array.isArray(scores) && !(scores instanceof Float32Array) && !(scores instanceof Float64Array)) {
    throw new Error(`${texts} scores were expected, but it gave ${scores === null ? "null" : typeof scores}`);
  }
  if (scores.length !== texts) {
    throw new Error(`${texts} scores were expected, but it gave ${scores.length}`);
  }
  return Array.from<unknown, number>(scores, (score, position) => {
    if (typeof score === "number" && Number.isFinite(score)) return score;
    throw new Error(`the score at position ${position} is not a finite number`);
  });
}

function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1000;
}
