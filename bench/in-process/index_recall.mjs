/**
 * Our `Index` under filters, called as a user calls it, each call told to use one thread.
 *
 *   node bench/in-process/index_recall.mjs FILE.vectors --backend NAME [--hide N]
 *
 * `--hide N` takes N items out of the index before it is asked, so that answers miss them: how the check proves itself.
 */
import { parseArgs } from "node:util";

import { Index } from "../../dist/main.js";
import { lotOf, runFilterTrial } from "../peers/filter-trial.mjs";

const ONE_THREAD = { threads: 1 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { backend: { type: "string", default: "hnsw" }, hide: { type: "string", default: "0" } },
});

/** @param {number | undefined} lots */
const optionsOf = (lots) =>
  lots === undefined ? ONE_THREAD : { ...ONE_THREAD, filter: { lot: { lt: lots } } };

await runFilterTrial(positionals[0] ?? "", {
  async build(rows, dimension) {
    const items = Array.from({ length: rows.length / dimension }, (_, at) => ({ at, lot: lotOf(at) }));
    const index = await Index.fromVectorsAndItems(rows, items, values.backend, { dimension }, ONE_THREAD);
    await index.remove(Array.from({ length: Number(values.hide) }, (_, at) => at));
    return index;
  },
  async search(index, query, k, lots) {
    const { results, strategy } = await index.queryTopK(query, k, optionsOf(lots));
    return { positions: (results[0] ?? []).map(({ item }) => item.at), strategy };
  },
  searchMany: (index, queries, k, lots) => index.queryTopK(queries, k, optionsOf(lots)),
});
