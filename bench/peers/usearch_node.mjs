/** npm `usearch`: one `add` of all vectors, `search` for each query, and of all in one call, each told to use one thread. */
import { GRAPH, runTrial } from "./graph-trial.mjs";
import { loadPeer } from "./native-package.mjs";

const { Index, MetricKind, ScalarKind } = loadPeer("usearch");
const ONE_THREAD = 1;

await runTrial({
  build(rows, dimension, effort) {
    const graph = new Index({
      dimensions: dimension,
      metric: MetricKind.Cos,
      quantization: ScalarKind.F32,
      connectivity: GRAPH.m,
      expansion_add: GRAPH.efConstruction,
      expansion_search: effort,
      multi: false,
    });
    const keys = BigUint64Array.from({ length: rows.length / dimension }, (_, at) => BigInt(at));
    graph.add(keys, rows, ONE_THREAD);
    return graph;
  },
  search: (graph, query, k) => Array.from(graph.search(query, k, ONE_THREAD).keys, Number),
  searchMany: (graph, queries, k) => graph.search(queries, k, ONE_THREAD),
  save: (graph, path) => graph.save(path),
});
