/** Our `Index` over the backend `hnsw`, called as a user calls it, each call told to use one thread. */
import { Index } from "../../dist/main.js";
import { GRAPH, runTrial } from "../peers/graph-trial.mjs";

const ONE_THREAD = { threads: 1 };

/** @type {import("../peers/graph-trial.mjs").Contender<Index<number>>} */
const ours = {
  build(rows, dimension, efSearch) {
    const items = Array.from({ length: rows.length / dimension }, (_, at) => at);
    return Index.fromVectorsAndItems(rows, items, "hnsw", { dimension, ...GRAPH, efSearch }, ONE_THREAD);
  },
  async search(graph, query, k) {
    const { results } = await graph.queryTopK(query, k, ONE_THREAD);
    return (results[0] ?? []).map(({ item }) => item);
  },
  searchMany: (graph, queries, k) => graph.queryTopK(queries, k, ONE_THREAD),
  save: (graph, path) => graph.save(path),
  close: (graph) => {
    graph.close();
  },
};
await runTrial(ours);
