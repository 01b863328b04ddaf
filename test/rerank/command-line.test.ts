/** `sluice retrieve --reranker FOLDER`. */
import { describe, expect, it } from "vitest";
import { sluice } from "../support/command-line.js";
import { hitsIn, ingested } from "../support/ingested.js";
import { modelFolder } from "./model-copy.js";

const QUERY = ["--query", "Which river flows through Paris?"];

describe("sluice retrieve --reranker", () => {
  it("orders the results by the cross-encoder, and prints its scores", async () => {
    const { store } = await ingested();
    const run = await sluice(["retrieve", ...store, ...QUERY, "--reranker", modelFolder("xlm-roberta")]);
    expect(run.status).toBe(0);
    const scores = hitsIn(run.stdout).map(
      (hit) => (hit as { readonly rerank_score?: number }).rerank_score ?? NaN,
    );
    expect(scores.length).toBeGreaterThan(1);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(run.stderr).toMatch(/reranked/);
  });

  it("refuses a folder that holds no cross-encoder", async () => {
    const { store, folder } = await ingested();
    const run = await sluice(["retrieve", ...store, ...QUERY, "--reranker", folder.path]);
    expect(run.status).toBe(2);
    expect(run.stderr).toMatch(/^sluice: MODEL_INVALID: /);
  });
});
