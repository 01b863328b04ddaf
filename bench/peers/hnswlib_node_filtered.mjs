/**
 * npm `hnswlib-node`: `searchKnn` with a filter function, which it calls for every label that the walk meets.
 *
 * Usage: hnswlib_node_filtered.mjs FILE.vectors
 */
import { lotOf, runFilterTrial } from "./filter-trial.mjs";
import { GRAPH } from "./graph-trial.mjs";
import { loadPeer } from "./native-package.mjs";

/** Candidates of a search; its own default is 10, with which it finds three quarters. */
const EF_SEARCH = 64;

const { HierarchicalNSW } = loadPeer("hnswlib-node");

await runFilterTrial(process.argv[2] ?? "", {
  build(rows, dimension) {
    const graph = new HierarchicalNSW("cosine", dimension);
    const count = rows.length / dimension;
    graph.initIndex({ maxElements: count, ...GRAPH });
    for (let at = 0; at < count; at += 1) {
      graph.addPoint(Array.from(rows.subarray(at * dimension, (at + 1) * dimension)), at);
    }
    graph.setEf(EF_SEARCH);
    return graph;
  },
  search(graph, query, k, lots) {
    const filter = lots === undefined ? undefined : (/** @type {number} */ label) => lotOf(label) < lots;
    return { positions: graph.searchKnn(Array.from(query), k, filter).neighbors };
  },
});
