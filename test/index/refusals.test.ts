/**
 * What an index refuses: typed, with what was expected, and nothing half-done.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Index } from "../../src/main.js";
import type { ErrorCode, ErrorDetails } from "../../src/main.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-index-"));
});
afterAll(() => rm(folder, { recursive: true }));

function small(): Promise<Index<string>> {
  return Index.fromVectorsAndItems(Float32Array.of(1, 0, 0, 0, 1, 0), ["x", "y"], "flat", { dimension: 3 });
}

const row = (...numbers: number[]): Float32Array => Float32Array.from(numbers);

/** What code without types may hand over. */
const none = null as never;

/** An object of so many levels, objects and arrays in turn. */
function nested(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level++) value = level % 2 === 0 ? [value] : { '[\\"{': value };
  return value;
}

describe("building", () => {
  const cases: ReadonlyArray<
    readonly [string, readonly [Float32Array, readonly unknown[], string, object], ErrorCode, ErrorDetails]
  > = [
    ["an unknown backend", [row(), [], "faiss", { dimension: 3 }], "BACKEND_UNKNOWN", { field: "backend" }],
    [
      "an unknown argument",
      [row(), [], "flat", { dimension: 3, m: 16 }],
      "OPTION_INVALID",
      { field: "m", expected: "none" },
    ],
    [
      "an unknown metric",
      [row(), [], "flat", { dimension: 3, metric: "euclid" }],
      "OPTION_INVALID",
      { field: "metric" },
    ],
    ["no dimension", [row(), [], "flat", {}], "OPTION_INVALID", { field: "dimension" }],
    [
      "a dimension of zero",
      [row(), [], "flat", { dimension: 0 }],
      "OPTION_INVALID",
      { field: "dimension", received: "0" },
    ],
    [
      "too few numbers",
      [row(1, 2), ["x"], "flat", { dimension: 3 }],
      "DIMENSION_MISMATCH",
      { expected: "1 x 3 numbers", received: "2 numbers" },
    ],
    [
      "two vectors for one item",
      [row(1, 2, 3, 4, 5, 6), ["x"], "flat", { dimension: 3 }],
      "DIMENSION_MISMATCH",
      { received: "6 numbers" },
    ],
    [
      "NaN",
      [row(1, 2, 3, NaN, 5, 6), ["x", "y"], "flat", { dimension: 3 }],
      "VECTOR_NOT_FINITE",
      { position: 1 },
    ],
    [
      "a number beyond 32 bits",
      [row(1, 2, 1e39), ["x"], "flat", { dimension: 3, metric: "dot" }],
      "VECTOR_NOT_FINITE",
      { position: 0 },
    ],
    [
      "a vector without direction",
      [row(1, 2, 3, 0, 0, 0), ["x", "y"], "flat", { dimension: 3 }],
      "VECTOR_ZERO",
      { position: 1 },
    ],
    [
      "an item without a JSON form",
      [row(1, 2, 3), [{ big: 1n }], "flat", { dimension: 3 }],
      "RECORD_INVALID",
      { position: 0 },
    ],
    [
      "half a surrogate pair in a value",
      [row(1, 2, 3, 4, 5, 6), [{ a: "\\ud800" }, { a: ["\ud800"] }], "flat", { dimension: 3 }],
      "RECORD_INVALID",
      { position: 1, received: "a lone surrogate" },
    ],
    [
      "half a surrogate pair in a key",
      [row(1, 2, 3), [{ "\\\udfff": 1 }], "flat", { dimension: 3 }],
      "RECORD_INVALID",
      { position: 0, received: "a lone surrogate" },
    ],
    [
      "an item that is too deep",
      [row(1, 2, 3, 4, 5, 6), [nested(64), nested(65)], "flat", { dimension: 3 }],
      "RECORD_INVALID",
      { position: 1, expected: "an object of at most 64 levels" },
    ],
    [
      "an item deeper than any stack",
      [row(1, 2, 3), [nested(100_000)], "flat", { dimension: 3 }],
      "RECORD_INVALID",
      { position: 0 },
    ],
    ["no list of items", [row(), none, "flat", { dimension: 3 }], "OPTION_INVALID", { field: "items" }],
    [
      "a text for items",
      [row(1, 2, 3), "a" as unknown as string[], "flat", { dimension: 3 }],
      "OPTION_INVALID",
      { field: "items", expected: "an array" },
    ],
    ["no arguments", [row(), [], "flat", none], "OPTION_INVALID", { field: "args", received: "null" }],
    ["a list of arguments", [row(), [], "flat", []], "OPTION_INVALID", { field: "args", received: "array" }],
    [
      "an argument that is no number",
      [row(), [], "hnsw", { dimension: 3, m: "16" }],
      "OPTION_INVALID",
      { field: "m", expected: "number", received: "string" },
    ],
  ];
  it.each(cases)("refuses %s", async (_name, [vectors, items, backend, args], code, details) => {
    await expect(
      Index.fromVectorsAndItems(vectors, items, backend, args as { dimension: number }),
    ).rejects.toMatchObject({ code, details });
  });

  it("lists the backends there are", async () => {
    const refused = Index.fromVectorsAndItems(row(), [], "faiss", { dimension: 3 });
    await expect(refused).rejects.toMatchObject({
      details: { expected: expect.stringContaining("flat") as string },
    });
  });
});

describe("asking", () => {
  // One query has exactly the numbers of the dimension: twice as many are one wrong query, never two.
  it.each([
    ["too short", row(3, 5), "2 numbers"],
    ["twice as long", row(1, 0, 0, 0, 1, 0), "6 numbers"],
    ["empty", row(), "0 numbers"],
  ])("refuses a query that is %s", async (_name, query, received) => {
    await using index = await small();
    const details = { expected: "3 numbers", received };
    await expect(index.queryTopK(query, 1)).rejects.toMatchObject({ code: "DIMENSION_MISMATCH", details });
    await expect(index.queryThreshold([row(1, 0, 0), query], 0)).rejects.toMatchObject({
      code: "DIMENSION_MISMATCH",
      details: { ...details, position: 1 },
    });
  });

  it("IDX-01: refuses a row that is too short, writes nothing and lives", async () => {
    await using index = await Index.fromVectorsAndItems(new Float32Array(192).fill(1), ["kept"], "hnsw", {
      dimension: 192,
    });
    await expect(index.add(row(3, 5), ["short"])).rejects.toMatchObject({
      code: "DIMENSION_MISMATCH",
      details: { expected: "1 x 192 numbers", received: "2 numbers" },
    });
    expect(index.info().items).toBe(1);
    const { results } = await index.queryTopK(new Float32Array(192).fill(1), 5);
    expect(results[0]?.map(({ item }) => item)).toEqual(["kept"]);
  });

  it("refuses bad numbers by the position of the query", async () => {
    await using index = await small();
    const ask = (bad: Float32Array): Promise<unknown> => index.queryTopK([row(1, 0, 0), bad], 1);
    await expect(ask(row(NaN, 0, 0))).rejects.toMatchObject({
      code: "VECTOR_NOT_FINITE",
      details: { position: 1 },
    });
    await expect(ask(row(0, 0, 0))).rejects.toMatchObject({ code: "VECTOR_ZERO", details: { position: 1 } });
  });

  it.each([
    ["k", (index: Index<string>) => index.queryTopK(row(1, 0, 0), 1.5)],
    ["k", (index: Index<string>) => index.queryTopK(row(1, 0, 0), -1)],
    ["threshold", (index: Index<string>) => index.queryThreshold(row(1, 0, 0), NaN)],
    ["limit", (index: Index<string>) => index.queryTopK(row(1, 0, 0), 1, { limit: 3 } as object)],
    ["queries", (index: Index<string>) => index.queryTopK([1, 0, 0] as unknown as Float32Array, 1)],
    ["path", (index: Index<string>) => index.save("")],
    ["k", (index: Index<string>) => index.queryTopK(row(1, 0, 0), none)],
    ["k", (index: Index<string>) => index.queryTopK(row(1, 0, 0), 2 ** 32)],
    ["threshold", (index: Index<string>) => index.queryThreshold(row(1, 0, 0), none)],
    ["path", (index: Index<string>) => index.save(none)],
    ["path", () => Index.load(7 as unknown as string)],
    ["positions.0", (index: Index<string>) => index.remove([0.5])],
    ["positions.1", (index: Index<string>) => index.remove([0, "1" as unknown as number])],
    ["positions", (index: Index<string>) => index.remove(none)],
    ["positions", (index: Index<string>) => index.remove("0" as unknown as number[])],
    ["positions", (index: Index<string>) => index.remove(0 as unknown as number[])],
    ["items", (index: Index<string>) => index.add(row(), none)],
    ["items", (index: Index<string>) => index.add(row(1, 0, 0), "a" as unknown as string[])],
    ["vectors", (index: Index<string>) => index.add(none, [])],
    ["args", (index: Index<string>) => index.rebuild("hnsw", none)],
    ["m", (index: Index<string>) => index.rebuild("hnsw", { m: NaN })],
    ["options", (index: Index<string>) => index.rebuild("hnsw", {}, none)],
    ["options", (index: Index<string>) => index.queryTopK(row(1, 0, 0), 1, none)],
    ["options", (index: Index<string>) => index.add(row(), [], none)],
    ["signal", (index: Index<string>) => index.remove([], { signal: {} as AbortSignal })],
    ["threads", (index: Index<string>) => index.queryTopK(row(1, 0, 0), 1, { threads: 0 })],
    ["threads", (index: Index<string>) => index.add(row(), [], { threads: 1025 })],
    ["threads", (index: Index<string>) => index.rebuild("flat", {}, { threads: 1e6 })],
  ])("refuses a bad %s", async (field, call) => {
    await using index = await small();
    const error: unknown = await call(index).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "OPTION_INVALID", details: { field } });
    // In our words, not in those of the library that checks.
    expect(JSON.stringify(error) + String(error)).not.toMatch(/Invalid|Input not|Too (?:small|big)/);
  });

  it.runIf(process.platform === "linux")(
    "takes as many threads as the process may use, however many are asked for",
    async () => {
      const threads = async (): Promise<number> =>
        Number(/^Threads:\s+(\d+)$/m.exec(await readFile("/proc/self/status", "utf8"))?.[1]);
      await using index = await Index.fromVectorsAndItems(
        Float32Array.from({ length: 4_000 * 16 }, (_, at) => Math.sin(at)),
        Array.from({ length: 4_000 }, (_, at) => at),
        "hnsw",
        { dimension: 16 },
      );
      const before = await threads();
      const rebuilt = index.rebuild("hnsw", {}, { threads: 1024 });
      let most = 0;
      for (let ended = false; !ended;) {
        ended = await Promise.race([
          rebuilt.then(() => true),
          new Promise<false>((go) => setTimeout(go, 2, false)),
        ]);
        most = Math.max(most, await threads());
      }
      expect(most).toBeLessThanOrEqual(before + availableParallelism() + 8);
    },
  );

  it("leaves the index as it was when an addition is refused", async () => {
    await using index = await small();
    await expect(index.add(row(1, 2, 3, 0, 0, 0), ["a", "b"])).rejects.toMatchObject({ code: "VECTOR_ZERO" });
    expect(index.info()).toMatchObject({ items: 2, removed: 0 });
    expect(await index.add(row(1, 2, 3), ["a"])).toEqual([2]);
  });

  it("ends with the reason of the signal, and with CLOSED once closed", async () => {
    const index = await small();
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(index.queryTopK(row(1, 0, 0), 1, { signal })).rejects.toThrow("enough");
    await expect(index.add(row(1, 0, 0), ["z"], { signal })).rejects.toThrow("enough");
    index.close();
    await expect(index.queryTopK(row(1, 0, 0), 1)).rejects.toMatchObject({ code: "CLOSED" });
    await expect(index.add(row(1, 0, 0), ["z"])).rejects.toMatchObject({ code: "CLOSED" });
    expect(() => index.info()).toThrow(expect.objectContaining({ code: "CLOSED" }));
  });
});

describe("files", () => {
  it.each([
    ["a folder", () => folder, "INDEX_FILE"],
    ["a foreign file", () => fileURLToPath(import.meta.url), "INDEX_FILE"],
    ["no file", () => join(folder, "none"), "INPUT_NOT_FOUND"],
  ])("refuses to load %s", async (_name, path, code) => {
    await expect(Index.load(path())).rejects.toMatchObject({ code });
  });

  it.each([
    ["a folder", () => folder, "INDEX_FILE"],
    ["into no folder", () => join(folder, "no", "where"), "IO"],
    ["over a device", () => "/dev/full", "INDEX_FILE"],
  ])("refuses to save %s", async (_name, path, code) => {
    await using index = await small();
    await expect(index.save(path())).rejects.toMatchObject({ code });
  });

  it("refuses items that cannot be cloned", async () => {
    await using index = await Index.fromVectorsAndItems(row(1), [() => 1], "flat", { dimension: 1 });
    await expect(index.save(join(folder, "function"))).rejects.toMatchObject({ details: { field: "items" } });
  });

  it("refuses every damaged file, in a process of its own, so that a crash would be seen", async () => {
    const path = join(folder, "whole.index");
    await using index = await small();
    await index.save(path);
    const whole = await readFile(path);
    const script = join(folder, "damage.mjs");
    await writeFile(
      script,
      `import { readFileSync, writeFileSync } from "node:fs";
       import { Index } from ${JSON.stringify(new URL("../../dist/main.js", import.meta.url).href)};
       const whole = readFileSync(${JSON.stringify(path)});
       const damaged = [];
       for (let cut = 0; cut < whole.length; cut += 3) damaged.push(whole.subarray(0, cut));
       for (let bit = 0; bit < whole.length * 8; bit += 13) {
         const copy = Buffer.from(whole);
         copy[bit >> 3] ^= 1 << (bit & 7);
         damaged.push(copy);
       }
       const codes = {};
       for (const bytes of damaged) {
         writeFileSync("damaged.index", bytes);
         const code = await Index.load("damaged.index").then(() => "loaded", (error) => error.code);
         codes[code] = (codes[code] ?? 0) + 1;
       }
       console.log(JSON.stringify(codes));`,
    );
    const run = promisify(execFile)(process.execPath, [script], { cwd: folder });
    const codes = JSON.parse((await run).stdout) as Record<string, number>;
    expect(Object.keys(codes)).toEqual(["INDEX_FILE"]);
    expect(codes["INDEX_FILE"]).toBeGreaterThan(whole.length / 3);
  });
});
