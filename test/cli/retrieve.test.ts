/** `sluice retrieve`: results on standard output, what was left out and why on standard error. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import { sluice } from "../support/command-line.js";
import { hitsIn, ingested, PASSAGES } from "../support/ingested.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

const QUERY = ["--query", "Which river flows through Paris?"];

test("results are JSON lines, best first; every flag takes away what it should, and says so", async () => {
  const { folder, store } = await ingested();
  const report = folder.file("report.json");
  const all = await sluice(["retrieve", ...store, ...QUERY, "--report", report]);
  const hits = hitsIn(all.stdout);
  expect(all.status).toBe(0);
  expect(hits.map(({ id, text, payload }) => ({ id, text, payload }))).toEqual(
    expect.arrayContaining(PASSAGES),
  );
  expect(hits.slice(0, 2).map(({ id }) => id)).toEqual([2, 3]);
  expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({
    stage: "retrieve",
    strategy: "exact",
    options: { index: "flat" },
    counts: { results: 4, matching: 4, caught_up: 4 },
    seconds: { view: expect.any(Number) as number, search: expect.any(Number) as number },
  });
  expect(all.stderr).toMatch(/strategy .* exact /);

  const [first, second] = hits;
  const cases: ReadonlyArray<[args: string[], ids: number[], told: RegExp]> = [
    [["--top-k", "1"], [2], /results .* 1 /],
    [["--filter", '{"lang":"fr"}', "--top-k", "1"], [3], /results .* 1 /],
    [["--min-score", String(second?.score)], [2, 3], /omitted 1: below_floor, score 0\.\d+\n/],
    [["--dedup", "--top-k", "2"], [2, 1], /omitted 3: duplicate, score .* copy of 2, similarity/],
    [
      ["--budget", String(first?.tokens)],
      [2],
      /omitted 3: budget, score .* tokens\)\n[^]*limit: Tokens are an estimate/,
    ],
    [["--filter", '{"lang":"fr"}'], [3, 4], /strategy .* exact-subset /],
    [["--hybrid", "--filter", '{"year":{"lt":2005}}', "--top-k", "1"], [2], /text time/],
  ];
  for (const [args, ids, told] of cases) {
    const run = await sluice(["retrieve", ...store, ...QUERY, ...args]);
    expect({ args, ids: hitsIn(run.stdout).map(({ id }) => id) }).toEqual({ args, ids });
    expect(run.stderr).toMatch(told);
    const quiet = await sluice(["retrieve", ...store, ...QUERY, ...args, "--quiet"]);
    expect(quiet).toMatchObject({ status: 0, stdout: run.stdout, stderr: "" });
  }
});

test("it reads beside a process that writes", async () => {
  const { folder, store } = await ingested();
  const writer = new VectorStoreHub(`file:${folder.file("a.sluice")}`);
  await writer.initialize();
  const run = await sluice(["retrieve", ...store, ...QUERY, "--quiet"]);
  await writer.close();
  expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: "" });
});

test("another embedder, and a collection that is not there, are refused", async () => {
  const { store } = await ingested();
  const other = await sluice(["retrieve", ...store, ...QUERY, "--embedder", "hash"]);
  expect(other.status).toBe(2);
  expect(other.stderr).toMatch(/^sluice: EMBEDDER_MISMATCH: .*--embedder/);
  const none = await sluice(["retrieve", ...store, "--collection", "none", ...QUERY]);
  expect(none.status).toBe(2);
  expect(none.stderr).toMatch(/^sluice: COLLECTION_MISSING: .*\n.*`sluice ingest`/);
});

test("where no embedder is recorded, none is guessed: neither for the collection nor for an index of it", async () => {
  const folder = new TemporaryFolder();
  const store = ["--store", folder.file("a.sluice"), "--collection", "c"];
  const vector = Array.from({ length: 256 }, (_, n) => n);
  await sluice(["ingest", "-", ...store], { input: `${JSON.stringify({ id: 1, text: "one", vector })}\n` });
  const guessed = await sluice(["retrieve", ...store, "--query", "one"]);
  expect(guessed.status).toBe(2);
  expect(guessed.stderr).toMatch(/^sluice: EMBEDDER_MISMATCH: .*--embedder/);
  const named = await sluice(["retrieve", ...store, "--query", "one", "--embedder", "static-en", "--quiet"]);
  expect(hitsIn(named.stdout)).toMatchObject([{ id: 1 }]);
  const file = folder.file("a.index");
  await sluice(["index", "build", ...store, "--out", file]);
  const index = await sluice(["index", "search", file, "--query", "one"]);
  expect(index.stderr).toMatch(/^sluice: EMBEDDER_MISMATCH: .*--embedder/);
});

test("the embedder is the one of the collection", async () => {
  const folder = new TemporaryFolder();
  const store = ["--store", folder.file("a.sluice"), "--collection", "c"];
  await sluice(["ingest", "-", ...store, "--embedder", "hash"], { input: '{"text":"one","id":1}\n' });
  const { stdout } = await sluice(["retrieve", ...store, "--query", "one", "--quiet"]);
  expect(hitsIn(stdout)).toMatchObject([{ id: 1, text: "one" }]);
});

test.each<[args: string[], words: RegExp]>([
  [["--query", "x", "--collection", "c"], /--store is missing/],
  [["--store", "file:a", "--collection", "c"], /--query is missing/],
  [["--store", "file:a", "--collection", "c", "--query", "x", "--top-k", "1001"], /--top-k/],
  [["--store", "file:a", "--collection", "c", "--query", "x", "--filter", "{"], /--filter/],
  [["--store", "file:a", "--collection", "c", "--query", "x", "--min-score", "high"], /--min-score/],
  [["--store", "file:a", "--collection", "c", "--query", "x", "--budget", "-1"], /--budget/],
])("%j is OPTION_INVALID, and no store is made", async (args, words) => {
  const folder = new TemporaryFolder();
  const { status, stderr } = await sluice(["retrieve", ...args], { cwd: folder.path });
  expect(status).toBe(2);
  expect(stderr).toMatch(/^sluice: OPTION_INVALID: /);
  expect(stderr).toMatch(words);
  expect(folder.names()).toEqual([]);
});
