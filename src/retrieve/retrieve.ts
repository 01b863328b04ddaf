/**
 * Retrieval: from a query to the few passages that go into a prompt, and a line for everything that does not.
 *
 *     search (and words, fused) -> floor -> reranker -> near-duplicates -> topK -> budget
 *
 * Every step only takes away or puts in another order, and none looks ahead: the first five of twenty are the five. A hit
 * below the floor reaches no later step, so the floor holds whether the reranker answers or not.
 */
import { VERSION } from "../package.js";
import { rerankerName, scoreTexts } from "../rerank/reranker.js";
import type { RerankStatus } from "../rerank/reranker.js";
import type { StageReport } from "../report.js";
import { estimateTokens, fitBudget, requireCount } from "./budget.js";
import type { Counted } from "./budget.js";
import { findCandidates } from "./candidates.js";
import type { Candidate, Found } from "./candidates.js";
import { filterShape } from "./filter-shape.js";
import { dropNearDuplicates } from "./near-duplicates.js";
import type { Deduplicated } from "./near-duplicates.js";
import { planRetrieval } from "./options.js";
import type { Plan, RetrievalStore, RetrieveRequest } from "./options.js";
import type { Omitted, Retrieved, RetrieveResult } from "./result.js";
import { Stopwatch } from "./stopwatch.js";

/**
 * Retrieves from a collection. Errors: `OPTION_INVALID`, those of filters, the store and the embedder. A reranker that fails
 * is no error: see `rerank`.
 */
export async function retrieve(hub: RetrievalStore, request: RetrieveRequest): Promise<RetrieveResult> {
  const plan = planRetrieval(hub, request);
  plan.signal?.throwIfAborted();
  const watch = new Stopwatch();
  const isBlank = plan.query?.trim() === "";
  const found = isBlank || plan.topK === 0 ? NOTHING : await findCandidates(hub, plan, watch);

  const floor = takeBelowFloor(found.candidates, plan.minScore);
  const ranked = await watch.time("rerank", () => rerank(floor.kept, plan));
  const distinct = await watch.time("dedup", () =>
    plan.dedup === undefined
      ? { kept: ranked.candidates, omitted: [], notCompared: 0 }
      : dropNearDuplicates(ranked.candidates, plan.dedup, plan.signal),
  );
  const best = distinct.kept.slice(0, plan.topK);
  const beyond = distinct.kept
    .slice(plan.topK)
    .map(({ id, score }): Omitted => ({ id, score, reason: "beyond_top_k" }));
  const packed = pack(best, plan);

  const omitted = [...floor.omitted, ...distinct.omitted, ...beyond, ...packed.omitted];
  const run = { plan, found, isBlank, ranked, distinct, results: packed.results, omitted, watch };
  return {
    results: packed.results,
    omitted,
    rerank: ranked.status,
    tokens: packed.tokens,
    report: reportOf(run),
  };
}

const NOTHING: Found = { candidates: [], full: false, embedded: 0, byWordsOnly: 0, search: undefined };

function takeBelowFloor(
  candidates: readonly Candidate[],
  minScore: number | undefined,
): { readonly kept: readonly Candidate[]; readonly omitted: readonly Omitted[] } {
  if (minScore === undefined) return { kept: candidates, omitted: [] };
  return {
    kept: candidates.filter(({ score }) => score >= minScore),
    omitted: candidates
      .filter(({ score }) => score < minScore)
      .map(({ id, score }) => ({ id, score, reason: "below_floor" })),
  };
}

interface Ranked {
  readonly candidates: readonly Candidate[];
  readonly status: RerankStatus;
  readonly reranked: number;
  readonly withoutText: number;
}

/** Puts the pool in the order of the reranker. Ties, and what it did not see, stay in the order of the search. */
async function rerank(candidates: readonly Candidate[], plan: Plan): Promise<Ranked> {
  const { reranker, query, rerankPool, rerankTimeoutMs: timeoutMs, signal } = plan;
  const off: Ranked = { candidates, status: { status: "off" }, reranked: 0, withoutText: 0 };
  if (reranker === undefined || query === undefined) return off;
  const pool = candidates.slice(0, rerankPool);
  const seen = pool.flatMap((candidate) =>
    candidate.text === undefined ? [] : [{ candidate, text: candidate.text }],
  );
  const withoutText = pool.length - seen.length;
  const texts = seen.map(({ text }) => text);
  const { status, scores } = await scoreTexts(reranker, query, texts, { timeoutMs, signal });
  if (scores === undefined) return { ...off, status, withoutText };
  const scored = seen
    .map(({ candidate }, position) => ({ ...candidate, rerankScore: scores[position] ?? 0 }))
    .toSorted((left, right) => right.rerankScore - left.rerankScore);
  const rest = candidates.filter((candidate, rank) => rank >= rerankPool || candidate.text === undefined);
  return { candidates: [...scored, ...rest], status, reranked: scored.length, withoutText };
}

interface Packed {
  readonly results: readonly Retrieved[];
  readonly omitted: readonly Omitted[];
  readonly tokens: number;
}

function pack(candidates: readonly Candidate[], plan: Plan): Packed {
  const count = plan.countTokens ?? estimateTokens;
  const tokensOf = ({ text }: Candidate): number => (text === undefined ? 0 : count(text));
  const { included, omitted, tokens } =
    plan.budgetTokens === undefined
      ? countAll(candidates, tokensOf)
      : fitBudget(candidates, plan.budgetTokens, tokensOf);
  return {
    results: included.map(({ item, tokens: own }) => {
      // The vector was for finding duplicates.
      const { vector: _vector, ...hit } = item;
      return { ...hit, tokens: own };
    }),
    omitted: omitted.map(({ item: { id, score }, tokens: own }) => ({
      id,
      score,
      reason: "budget",
      tokens: own,
    })),
    tokens,
  };
}

function countAll<T>(
  items: readonly T[],
  tokensOf: (item: T) => number,
): { readonly included: ReadonlyArray<Counted<T>>; readonly omitted: []; readonly tokens: number } {
  const included = items.map((item, position) => ({
    position,
    item,
    tokens: requireCount(tokensOf(item), position),
  }));
  return { included, omitted: [], tokens: included.reduce((sum, { tokens }) => sum + tokens, 0) };
}

interface Run {
  readonly plan: Plan;
  readonly found: Found;
  readonly isBlank: boolean;
  readonly ranked: Ranked;
  readonly distinct: Deduplicated;
  readonly results: readonly Retrieved[];
  readonly omitted: readonly Omitted[];
  readonly watch: Stopwatch;
}

function reportOf(run: Run): StageReport {
  const { plan, found, ranked, results, omitted } = run;
  const omittedBy = (reason: Omitted["reason"]): number =>
    omitted.filter((candidate) => candidate.reason === reason).length;
  const bytes = results.reduce((sum, { text }) => sum + Buffer.byteLength(text ?? ""), 0);
  return {
    stage: "retrieve",
    ...(found.search === undefined ? {} : { strategy: found.search.strategy }),
    version: VERSION,
    options: { ...optionsOf(plan), ...(found.search === undefined ? {} : { index: found.search.index }) },
    counts: {
      embedded: found.embedded,
      ...(found.search === undefined
        ? {}
        : { matching: found.search.matching, caught_up: found.search.caughtUp }),
      candidates: found.candidates.length,
      by_words_only: found.byWordsOnly,
      below_floor: omittedBy("below_floor"),
      reranked: ranked.reranked,
      rerank_failed: ranked.status.status === "failed" ? 1 : 0,
      duplicates: omittedBy("duplicate"),
      beyond_top_k: omittedBy("beyond_top_k"),
      over_budget: omittedBy("budget"),
      results: results.length,
      tokens: results.reduce((sum, { tokens }) => sum + tokens, 0),
    },
    seconds: run.watch.read(),
    bytes: { results: bytes },
    limits: limitsOf(run),
  };
}

/** What was in force. Of the query and the filter's values nothing is said. */
function optionsOf(plan: Plan): Readonly<Record<string, unknown>> {
  const { collection, topK, minScore, hybrid, dedup, reranker, embedder, budgetTokens } = plan;
  const { rerankPool, rerankTimeoutMs } = plan;
  return {
    collection,
    topK,
    depth: plan.depth,
    ...(minScore === undefined ? {} : { minScore }),
    filter: filterShape(plan.filter),
    ...(embedder === undefined ? {} : { embedder: embedder.id }),
    ...(hybrid === undefined ? {} : { hybrid }),
    ...(reranker === undefined ? {} : { reranker: rerankerName(reranker), rerankPool, rerankTimeoutMs }),
    ...(dedup === undefined ? {} : { dedup }),
    ...(budgetTokens === undefined ? {} : { budgetTokens }),
    countTokens: plan.countTokens === undefined ? "estimate" : "given",
  };
}

function limitsOf({ plan, found, isBlank, ranked, distinct, results, omitted }: Run): string[] {
  const { topK, rerankPool, depth } = plan;
  const limits: string[] = [];
  if (isBlank) limits.push("The query is blank: nothing was embedded, and nobody was asked.");
  if (ranked.status.status === "failed") {
    limits.push("The reranker failed: the order is that of the search.");
  }
  const unseen = found.candidates.length - rerankPool;
  if (ranked.reranked > 0 && unseen > 0 && topK > rerankPool) {
    limits.push(`The reranker saw the first ${rerankPool} candidates; those behind them stay behind.`);
  }
  if (ranked.withoutText > 0) limits.push(`${ranked.withoutText} candidates have no text to rerank by.`);
  if (distinct.notCompared > 0) {
    limits.push(`${distinct.notCompared} candidates have no text or no direction; they count as no copies.`);
  }
  const isShort = distinct.kept.length < topK && distinct.omitted.length > 0;
  if (isShort && found.full && omitted.every(({ reason }) => reason !== "below_floor")) {
    limits.push(`Only the ${depth} nearest points were looked at for ${topK} distinct ones.`);
  }
  if (plan.countTokens === undefined && plan.budgetTokens !== undefined && results.length > 0) {
    limits.push("Tokens are an estimate, a third of the bytes; the model's own count may be larger.");
  }
  return limits;
}
