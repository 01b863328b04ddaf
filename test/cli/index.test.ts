/** `sluice index`: built from the store without embedding, searched without the store. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sluice } from "../support/command-line.js";
import { hitsIn, ingested, PASSAGES } from "../support/ingested.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

const QUERY = ["--query", "the river in Paris"];

describe.each(["flat", "hnsw"])("%s", (backend) => {
  test("a file that is built is searched when the store is gone", async () => {
    const { folder, store } = await ingested();
    const file = folder.file("a.index");
    const built = await sluice(["index", "build", ...store, "--backend", backend, "--out", file]);
    expect(built).toMatchObject({ status: 0, stdout: Buffer.alloc(0) });
    expect(built.stderr).toMatch(/rows .* 4 /);
    rmSync(folder.file("a.sluice"));

    const all = hitsIn((await sluice(["index", "search", file, ...QUERY, "--quiet"])).stdout);
    expect(all.map(({ id }) => id).toSorted()).toEqual([1, 2, 3, 4]);
    expect(all.map(({ score }) => score)).toEqual(all.map(({ score }) => score).toSorted((a, b) => b - a));
    expect(all.map(({ id, text, payload }) => ({ id, text, payload }))).toEqual(
      expect.arrayContaining(PASSAGES),
    );

    const floor = all[1]?.score ?? 0;
    const cases: ReadonlyArray<[args: string[], ids: readonly unknown[]]> = [
      [["--top-k", "2"], all.slice(0, 2)],
      [["--threshold", String(floor)], all.slice(0, 2)],
      [["--threshold", String(floor), "--top-k", "1"], all.slice(0, 1)],
      [["--filter", '{"lang":"fr"}'], all.filter(({ id }) => id >= 3)],
      [["--filter", '{"year":{"gte":2005}}'], all.filter(({ id }) => id === 4)],
      [["--filter", '{"lang":"none"}'], []],
    ];
    for (const [args, hits] of cases) {
      const run = await sluice(["index", "search", file, ...QUERY, ...args]);
      expect({ args, status: run.status, hits: hitsIn(run.stdout) }).toEqual({ args, status: 0, hits });
      expect(run.stderr).toMatch(/search \([a-z-]+\)/);
    }
  });
});

test("a vector is a query too", async () => {
  const folder = new TemporaryFolder();
  const lines = [
    { id: 1, vector: [1, 0] },
    { id: 2, vector: [0, 1] },
  ];
  const store = ["--store", `file:${folder.file("a.sluice")}`, "--collection", "c"];
  const input = folder.write("in.jsonl", lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await sluice(["ingest", input, ...store]);
  const file = folder.file("a.index");
  await sluice(["index", "build", ...store, "--out", file]);
  const { stdout } = await sluice(["index", "search", file, "--vector", "[0, 2]", "--top-k", "1", "--quiet"]);
  expect(hitsIn(stdout)).toEqual([{ id: 2, score: 1, payload: {} }]);
});

describe("refused", () => {
  test("by the file: another embedder, a wrong vector, a damaged file, an unknown operator", async () => {
    const { folder, store } = await ingested();
    const file = folder.file("a.index");
    await sluice(["index", "build", ...store, "--out", file]);
    const damaged = readFileSync(file);
    damaged.writeUInt8(damaged.readUInt8(100) ^ 1, 100);
    writeFileSync(folder.file("damaged.index"), damaged);
    const cases: ReadonlyArray<[args: string[], code: string]> = [
      [[file, ...QUERY, "--embedder", "hash"], "EMBEDDER_MISMATCH"],
      [[file, "--vector", "[1,2]"], "DIMENSION_MISMATCH"],
      [[folder.file("damaged.index"), ...QUERY], "INDEX_FILE"],
      [[file, ...QUERY, "--filter", '{"a":{"near":1}}'], "UNKNOWN_OPERATOR"],
    ];
    for (const [args, code] of cases) {
      const { status, stdout, stderr } = await sluice(["index", "search", ...args]);
      expect({ status, stdout: stdout.toString(), code: stderr.split(":")[1]?.trim() }).toEqual({
        status: 2,
        stdout: "",
        code,
      });
    }
  });

  test.each<[args: string[], words: RegExp]>([
    [["build", "--collection", "c", "--out", "x"], /--store is missing/],
    [["build", "--store", "file:a", "--collection", "c"], /--out is missing/],
    [["build", "--store", "file:a", "--collection", "c", "--out", "x", "--backend", "tree"], /--backend/],
    [["search", "x"], /--query or --vector is missing/],
    [["search", "x", "--query", "a", "--vector", "[1]"], /either --query or --vector/],
    [["search", "x", "--vector", '["a"]'], /--vector/],
    [["search", "x", "--query", "a", "--filter", "[1]"], /--filter/],
    [["search", "x", "--query", "a", "--top-k", "0"], /--top-k/],
  ])("%j is OPTION_INVALID", async (args, words) => {
    const folder = new TemporaryFolder();
    const { status, stderr } = await sluice(["index", ...args], { cwd: folder.path });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^sluice: OPTION_INVALID: /);
    expect(stderr).toMatch(words);
    expect(folder.names()).toEqual([]);
  });
});
