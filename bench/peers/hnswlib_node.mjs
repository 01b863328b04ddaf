/** npm `hnswlib-node`: `addPoint` for each vector, `searchKnn` for each query. It takes arrays of numbers and nothing else. */
import { GRAPH, runTrial } from "./graph-trial.mjs";
import { loadPeer } from "./native-package.mjs";

const { HierarchicalNSW } = loadPeer("hnswlib-node");

await runTrial({
  build(rows, dimension) {
    const graph = new HierarchicalNSW("cosine", dimension);
    const count = rows.length / dimension;
    graph.initIndex({ maxElements: count, ...GRAPH });
    for (let at = 0; at < count; at += 1) {
      graph.addPoint(Array.from(rows.subarray(at * dimension, (at + 1) * dimension)), at);
    }
    return graph;
  },
  setEffort: (graph, effort) => graph.setEf(effort),
  search: (graph, query, k) => graph.searchKnn(Array.from(query), k).neighbors,
  save: (graph, path) => graph.writeIndexSync(path),
});
