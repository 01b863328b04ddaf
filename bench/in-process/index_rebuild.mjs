/**
 * An index made again from the embedded store, without embedding anything.
 *
 *   node bench/in-process/index_rebuild.mjs CORPUS.jsonl [--embed-again]
 *
 * Texts go through an embedder that counts them into a store in one file; then `rebuildIndex` hands the points to an index,
 * which changes its backend by name, and the store itself is opened over the other backend. What was embedded in between is
 * counted. Every 401st text is a query and not stored. `--embed-again` embeds a page of texts while rebuilding: how the check
 * proves itself.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { Index, VectorStoreHub, loadEmbedder } from "../../dist/main.js";
import { readTexts } from "../peers/passages.mjs";
import { startWatch } from "../peers/stopwatch.mjs";

const QUERY_EVERY = 401;
const COLLECTION = "passages";
const K = 10;
/** Points that are embedded and stored in one go. */
const PAGE = 1_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "embed-again": { type: "boolean", default: false } },
});
const texts = readTexts(positionals[0] ?? "");
const isQuery = (/** @type {number} */ at) => at % QUERY_EVERY === QUERY_EVERY - 1;
const stored = texts.filter((_, at) => !isQuery(at));

const embedder = await loadEmbedder("static-en");
const { dimension } = embedder;
let embedded = 0;
/** @param {readonly string[]} page */
const embed = async (page) => {
  embedded += page.length;
  const vectors = await embedder.embed(page);
  return page.map((_, at) => vectors.slice(at * dimension, (at + 1) * dimension));
};
const queries = await embed(texts.filter((_, at) => isQuery(at)));

const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
try {
  const path = join(folder, "store.sluice");
  const ingesting = startWatch();
  const hub = new VectorStoreHub(`file:${path}`);
  await hub.ensureCollection(COLLECTION, { dimension, embedderId: embedder.id });
  const { written } = await hub.storeVectors(COLLECTION, points());
  const ingested = ingesting();

  const embeddedBefore = embedded;
  const rebuilding = startWatch();
  const index = await Index.fromVectorsAndItems(
    new Float32Array(),
    /** @type {{id: string | number}[]} */ ([]),
    "flat",
    { dimension, embedderId: embedder.id },
  );
  const rebuilt = await hub.rebuildIndex(COLLECTION, async (page) => {
    const vectors = new Float32Array(page.length * dimension);
    page.forEach(({ vector }, at) => vectors.set(vector ?? [], at * dimension));
    if (values["embed-again"]) await embed(page.map(({ text }) => text ?? ""));
    await index.add(
      vectors,
      page.map(({ id }) => ({ id })),
    );
  });
  const rebuild = rebuilding();
  const exact = await idsOf(index);
  const switching = startWatch();
  await index.rebuild("hnsw");
  const switched = switching();
  const graph = await idsOf(index);
  index.close();
  const storeExact = await idsOfStore(hub);
  await hub.close();
  const overGraph = new VectorStoreHub(`file:${path}?index=hnsw`);
  const storeGraph = await idsOfStore(overGraph);
  await overGraph.close();

  const measures = {
    embeddedWhileRebuilding: embedded - embeddedBefore,
    embeddedWhileIngesting: embeddedBefore - queries.length,
    pointsRebuilt: rebuilt.points,
    rebuildSeconds: rebuild.wallSeconds,
    pointsPerCpuSecond: rebuilt.points / rebuild.cpuSeconds,
    switchSeconds: switched.wallSeconds,
    ingestSeconds: ingested.wallSeconds,
    graphRecallAt10: shared(exact, graph),
    storeGraphRecallAt10: shared(storeExact, storeGraph),
    storeEqualsIndex: shared(exact, storeExact),
    fileBytes: readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0),
  };
  const inner = { ...rebuild, runs: 1 };
  console.log(JSON.stringify({ records: texts.length, selected: written, measures, inner }));
} finally {
  rmSync(folder, { recursive: true });
}

async function* points() {
  for (let from = 0; from < stored.length; from += PAGE) {
    const page = stored.slice(from, from + PAGE);
    const vectors = await embed(page);
    for (const [at, text] of page.entries()) yield { id: from + at, vector: vectors[at] ?? [], text };
  }
}

/** The ids that each query finds. @param {Index<{id: string | number}>} index */
async function idsOf(index) {
  const { results } = await index.queryTopK(queries, K);
  return results.map((hits) => hits.map(({ item }) => item.id));
}

/** @param {VectorStoreHub} hub */
async function idsOfStore(hub) {
  const found = [];
  for (const query of queries) {
    const hits = await hub.searchVectors(COLLECTION, query, { topK: K });
    found.push(hits.map(({ id }) => id));
  }
  return found;
}

/** The share of the first lists' ids that the second lists have. @param {(string | number)[][]} truth @param {(string | number)[][]} found */
function shared(truth, found) {
  const all = truth.flatMap((ids, query) => ids.map((id) => found[query]?.includes(id) ?? false));
  return all.filter(Boolean).length / all.length;
}
