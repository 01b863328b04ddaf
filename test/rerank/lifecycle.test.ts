/**
 * Aborting, closing, and a process that ends: nothing hangs, nothing is left behind.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { loadCrossEncoder, retrieve } from "../../src/main.js";
import { fading, filled, QUERY } from "../retrieve/passages.js";
import { referenceStore } from "../support/reference-store.js";
import { TemporaryFolder } from "../support/temporary-folder.js";
import { modelFolder } from "./model-copy.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const bert = modelFolder("bert");
const long = Array.from({ length: 400 }, () => "the red button of the pump ".repeat(100));

describe("an abort", () => {
  const reason = new Error("enough");

  it("before loading loads nothing", async () => {
    await expect(loadCrossEncoder(bert, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it("while loading rejects with its reason", async () => {
    const abort = new AbortController();
    const loading = loadCrossEncoder(bert, { signal: abort.signal });
    setTimeout(() => {
      abort.abort(reason);
    }, 1);
    await expect(loading).rejects.toBe(reason);
  });

  it("between batches ends a call, and the next one works", async () => {
    await using encoder = await loadCrossEncoder(bert, { maxTokens: 512, batchSize: 4 });
    const [expected] = await encoder.rerank("stop", ["pump"]);
    const abort = new AbortController();
    const startedMs = performance.now();
    const call = encoder.rerank("stop", long, { signal: abort.signal });
    setTimeout(() => {
      abort.abort(reason);
    }, 50);
    await expect(call).rejects.toBe(reason);
    const abortedMs = performance.now() - startedMs;
    expect(await encoder.rerank("stop", ["pump"])).toEqual([expected]);
    const wholeMs = performance.now();
    await encoder.rerank("stop", long);
    expect(abortedMs).toBeLessThan(performance.now() - wholeMs);
  });
});

describe("closing", () => {
  it("refuses what runs and what comes, and can be done twice", async () => {
    const encoder = await loadCrossEncoder(bert, { maxTokens: 512, batchSize: 4 });
    const running = encoder.rerank("stop", long);
    const refused = expect(running).rejects.toMatchObject({ code: "CLOSED" });
    await Promise.all([encoder.close(), encoder.close()]);
    await refused;
    await expect(encoder.rerank("stop", ["pump"])).rejects.toMatchObject({ code: "CLOSED" });
    await encoder[Symbol.asyncDispose]();
  });

  it("lets go of the thread: twenty in turn", async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      await using encoder = await loadCrossEncoder(bert);
      await encoder.rerank("stop", ["pump"]);
    }
  });
});

/** Runs a program that imports the built package, in a folder. */
async function runProgram(program: string, cwd: string): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], { cwd });
}

describe("a process", () => {
  it("ends by itself when the encoder is idle, closed or not", async () => {
    const program = `
      import { loadCrossEncoder } from "sluice";
      const encoder = await loadCrossEncoder(${JSON.stringify(bert)});
      console.log((await encoder.rerank("stop", ["pump", "button"])).length);
    `;
    expect(await runProgram(program, root)).toEqual({ stdout: "2\n", stderr: "" });
  });

  it("without the runtime is told what to install, and everything else works", async () => {
    const folder = new TemporaryFolder();
    const installed = folder.file("node_modules/sluice");
    for (const part of ["dist", "native", "package.json"]) {
      cpSync(`${root}/${part}`, `${installed}/${part}`, { recursive: true });
    }
    mkdirSync(`${installed}/node_modules`);
    for (const name of ["undici", "zod"]) {
      symlinkSync(`${root}/node_modules/${name}`, `${installed}/node_modules/${name}`);
    }
    const program = `
      import { dedup, loadCrossEncoder } from "sluice";
      const error = await loadCrossEncoder(${JSON.stringify(bert)}).catch((reason) => reason);
      const { selected } = await dedup(["a", "a"], { methods: ["exact"] });
      console.log(JSON.stringify([error.code, error.message.includes("npm install --ignore-scripts onnxruntime-node"), selected]));
    `;
    const { stdout } = await runProgram(program, folder.path);
    expect(JSON.parse(stdout)).toEqual(["ONNX_RUNTIME_MISSING", true, ["a"]]);
  });
});

describe("in a retrieval", () => {
  it("orders the candidates, and the scores stand in the results", async () => {
    await using encoder = await loadCrossEncoder(bert);
    const store = await filled(referenceStore(), fading(12));
    const found = await retrieve(store, {
      collection: "texts",
      query: "passage",
      vector: QUERY,
      reranker: encoder,
      topK: 12,
    });
    expect(found.rerank.status).toBe("ok");
    const scores = found.results.map(({ rerankScore = NaN }) => rerankScore);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(scores).size).toBeGreaterThan(1);
    expect(found.report.options["reranker"]).toBe(encoder.id);
  });

  it("that runs out of time keeps the order of the search, and says so", async () => {
    await using encoder = await loadCrossEncoder(bert, { maxTokens: 512, batchSize: 1 });
    const points = fading(50).map((point) => ({ ...point, text: long[0] ?? "" }));
    const store = await filled(referenceStore(), points);
    const found = await retrieve(store, {
      collection: "texts",
      query: "passage",
      vector: QUERY,
      reranker: encoder,
      rerankTimeoutMs: 1,
    });
    expect(found.rerank).toMatchObject({ status: "failed" });
    expect(found.results.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});
