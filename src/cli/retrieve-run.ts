/**
 * One run of `sluice retrieve`: results as JSON lines, and a line for everything that is not among them.
 */
import type { Filter } from "../filter/filter.js";
import type { Omitted } from "../retrieve/result.js";
import { loadCrossEncoder, type CrossEncoder } from "../rerank/cross-encoder.js";
import { retrieve } from "../retrieve/retrieve.js";
import type { RunConnections } from "./run-connections.js";
import { OutputSet } from "./output-set.js";
import { reportJson } from "./report-file.js";
import { writeResults } from "./result-lines.js";
import type { RetrieveTask } from "./retrieve-flags.js";
import { connectStore } from "./store-connection.js";
import { requireApart } from "./store-files.js";
import { embedderFor, forReading, requireCollection, requireKnownEmbedder } from "./store-flags.js";

/** Does the task. `tell` takes the lines about what was left out. */
export async function runRetrieve(
  task: RetrieveTask,
  { signal, standardOutput, display }: RunConnections,
  tell: (line: string) => void,
): Promise<void> {
  const { collection, query, topK, filter, minScore, steps, budgetTokens } = task;
  await requireApart(new Map([["--report", task.report]]), task.store);
  const outputs = await OutputSet.open(
    new Map(task.report === undefined ? [] : [["report" as const, task.report]]),
    [],
    standardOutput,
    signal,
  );
  const hub = connectStore(forReading(task.store));
  let reranker: CrossEncoder | undefined;
  try {
    const { embedderId } = await requireCollection(hub, collection, signal);
    requireKnownEmbedder(task.embedder, embedderId);
    const embedder = await embedderFor(task.embedder, embedderId, signal);
    if (task.reranker !== undefined) reranker = await loadCrossEncoder(task.reranker, { signal });
    const { results, omitted, report } = await retrieve(hub, {
      collection,
      query,
      embedder,
      topK,
      // The core checks filters: it knows what one is.
      ...(filter === undefined ? {} : { filter: filter as Filter }),
      minScore,
      ...steps,
      ...(reranker === undefined ? {} : { reranker }),
      budgetTokens,
      signal,
    });
    await outputs.sink("report")?.write(Buffer.from(reportJson(report)));
    await outputs.commit();
    await writeResults(
      results.map(({ id, score, rerankScore, fusedScore, tokens, text, payload }) => ({
        id,
        score,
        rerank_score: rerankScore,
        fused_score: fusedScore,
        tokens,
        text,
        payload,
      })),
      standardOutput,
      signal,
    );
    if (task.verbosity === "normal") for (const one of omitted) tell(omissionLine(one));
    display.table(report);
  } finally {
    display.stop();
    await reranker?.close();
    await hub.close();
    await outputs.discard();
  }
}

/** A candidate that is not among the results, for people. */
function omissionLine(omitted: Omitted): string {
  const { id, score, reason } = omitted;
  const why =
    reason === "duplicate"
      ? `${omitted.by} copy of ${JSON.stringify(omitted.of)}, similarity ${omitted.similarity.toFixed(3)}`
      : reason === "budget"
        ? `${omitted.tokens} tokens`
        : "";
  return `omitted ${JSON.stringify(id)}: ${reason}, score ${score.toFixed(3)}${why === "" ? "" : ` (${why})`}\n`;
}
