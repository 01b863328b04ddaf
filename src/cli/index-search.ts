/**
 * One run of `sluice index search`: hits of an index file as JSON lines.
 */
import { embedChecked } from "../embed/embedder.js";
import { Index } from "../index/search-index.js";
import type { Filter } from "../filter/filter.js";
import type { SearchResult } from "../index/search-result.js";
import type { RunConnections } from "./run-connections.js";
import type { IndexItem } from "./index-build.js";
import type { IndexSearchTask } from "./index-flags.js";
import { writeResults } from "./result-lines.js";
import { embedderFor, requireKnownEmbedder } from "./store-flags.js";

/** Does the task. */
export async function searchIndex(
  task: IndexSearchTask,
  { signal, standardOutput, display }: RunConnections,
): Promise<void> {
  const index = await Index.load<IndexItem>(task.file, { signal });
  try {
    const query = await queryVector(task, index, signal);
    const { results, strategy, report } = await search(task, index, query, signal);
    const hits = results[0] ?? [];
    await writeResults(
      hits.map(({ item: { _id, _text, ...payload }, score }) => ({ id: _id, score, text: _text, payload })),
      standardOutput,
      signal,
    );
    display.table({
      ...report,
      stage: `search (${strategy})`,
      counts: { ...report.counts, hits: hits.length },
    });
  } finally {
    await index[Symbol.asyncDispose]();
  }
}

async function queryVector(
  task: IndexSearchTask,
  index: Index<IndexItem>,
  signal: AbortSignal,
): Promise<Float32Array> {
  switch (task.query.kind) {
    case "vector":
      return Float32Array.from(task.query.vector);
    case "text": {
      const { embedderId } = index.info();
      requireKnownEmbedder(task.embedder, embedderId);
      const embedder = await embedderFor(task.embedder, embedderId, signal);
      return embedChecked(embedder, [task.query.text], { signal });
    }
  }
}

/** With both bounds the best ones are asked for; those below the threshold go. */
async function search(
  { topK, threshold, filter }: IndexSearchTask,
  index: Index<IndexItem>,
  query: Float32Array,
  signal: AbortSignal,
): Promise<SearchResult<IndexItem>> {
  // The core checks filters: it knows what one is.
  const options = { signal, ...(filter === undefined ? {} : { filter: filter as Filter }) };
  if (topK === undefined) return index.queryThreshold(query, threshold ?? 0, options);
  const found = await index.queryTopK(query, topK, options);
  if (threshold === undefined) return found;
  return { ...found, results: found.results.map((hits) => hits.filter(({ score }) => score >= threshold)) };
}
