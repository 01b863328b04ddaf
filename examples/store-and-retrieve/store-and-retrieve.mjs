/**
 * A corpus in one file: store it, find in it with a floor and a filter, throw the index away, and remember things about a user.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Index, loadEmbedder, Memory, retrieve, VectorStoreHub, where } from "sluice";

const folder = mkdtempSync(join(tmpdir(), "sluice-"));
const embedder = await loadEmbedder("static-en");
const passages = [
  { id: "pump-1", text: "Press the red button to stop the pump.", payload: { manual: "pump", page: 3 } },
  { id: "pump-2", text: "To stop the pump, press the red button.", payload: { manual: "pump", page: 9 } },
  {
    id: "pump-3",
    text: "The pump starts by itself after a power cut.",
    payload: { manual: "pump", page: 4 },
  },
  { id: "oven-1", text: "Let the oven cool before you clean it.", payload: { manual: "oven", page: 2 } },
];

const hub = new VectorStoreHub(`file:${join(folder, "manuals.sluice")}`);
try {
  const { dimension, id: embedderId } = embedder;
  await hub.ensureCollection("manuals", { dimension, embedderId });
  const vectors = await embedder.embed(passages.map(({ text }) => text));
  const points = passages.map((passage, n) => ({
    ...passage,
    vector: vectors.subarray(n * dimension, (n + 1) * dimension),
  }));
  const written = await hub.storeVectors("manuals", points);
  assert.equal(written.written, 4);
  // The same ids again: nothing is there twice.
  await hub.storeVectors("manuals", points);
  assert.equal(await hub.count("manuals"), 4);

  const found = await retrieve(hub, {
    collection: "manuals",
    query: "How do I stop the pump?",
    embedder,
    filter: where("manual").eq("pump"),
    minScore: 0.3,
    dedup: true,
    budgetTokens: 40,
  });
  for (const { id, score, text } of found.results) console.log(score.toFixed(3), id, text);
  for (const { id, reason } of found.omitted) console.log("left out", id, reason);
  assert.ok(found.results.some(({ id }) => id.startsWith("pump")));
  assert.ok(found.omitted.some(({ reason }) => reason === "duplicate"));
  assert.ok(found.results.every(({ score }) => score >= 0.3));

  // An index of your own, made from the store; nothing is embedded again.
  const rows = [];
  await hub.rebuildIndex("manuals", (page) => {
    rows.push(...page);
  });
  const flat = new Float32Array(rows.length * dimension);
  rows.forEach(({ vector }, n) => flat.set(vector, n * dimension));
  const index = await Index.fromVectorsAndItems(
    flat,
    rows.map(({ id, payload }) => ({ id, ...payload })),
    "hnsw",
    {
      dimension,
    },
  );
  const query = await embedder.embed(["cleaning the oven"]);
  const { results, strategy } = await index.queryTopK([query], 1, { filter: where("page").lt(5) });
  console.log("index", strategy, results[0][0].item.id);
  assert.equal(results[0][0].item.id, "oven-1");
  index.close();

  const memory = new Memory({ hub, embedder });
  const scope = { userId: "ada" };
  await memory.add(scope, [{ text: "Ada works night shifts at the pump station." }]);
  await memory.add({ userId: "bob" }, [{ text: "Bob works at the pump station on Mondays." }]);
  const remembered = await memory.search("When does she work at the pump station?", { scope });
  console.log(
    "memory",
    remembered.results.map(({ text }) => text),
  );
  assert.deepEqual(
    remembered.results.map(({ text }) => text),
    ["Ada works night shifts at the pump station."],
  );
  await assert.rejects(() => memory.search("anything", {}), { code: "SCOPE_REQUIRED" });
  const receipt = await memory.deleteAll(scope);
  assert.equal(receipt.deleted.memories, 1);
} finally {
  await hub.close();
  rmSync(folder, { recursive: true });
}
