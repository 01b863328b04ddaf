/**
 * A process that writes batches into a store until it is killed, and says which are acknowledged: a line each.
 *
 * It is bundled and run by `test/stores/embedded-crash.test.ts`: `store-writer.js <url> <first batch> <last batch>`.
 */
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import { batchOf, CRASH_COLLECTION } from "./store-batches.js";

const [url = "", first = "0", last = "0"] = process.argv.slice(2);
const hub = new VectorStoreHub(url);
await hub.ensureCollection(...CRASH_COLLECTION);
for (let batch = Number(first); batch <= Number(last); batch++) {
  const report = await hub.storeVectors(CRASH_COLLECTION[0], batchOf(batch));
  if (report.failed.length > 0) throw new Error(JSON.stringify(report.failed[0]));
  process.stdout.write(`${batch}\n`);
}
await hub.close();
