/** Real text: the product and the quadratic definition agree on every one of 16,207 paragraphs. */
import { describe, expect, it } from "vitest";
import { dedup, loadEmbedder } from "../../src/main.js";
import { bruteForce, type BruteOptions } from "../support/brute-force.js";
import { decisionOf, decisionOfBrute } from "../support/decision.js";
import { readEtcd } from "../support/etcd.js";

const passages = readEtcd();

/** Method by method, how many stay; every decision is compared with the brute force. */
const RUNS: ReadonlyArray<{ readonly name: string; readonly options: BruteOptions; readonly kept: number }> =
  [
    { name: "exact", options: { methods: ["exact"] }, kept: 3970 },
    { name: "lexical", options: { methods: ["exact", "lexical"] }, kept: 3560 },
    { name: "semantic", options: { methods: ["exact", "semantic"] }, kept: 2605 },
    { name: "all", options: {}, kept: 2591 },
    { name: "all, case, longest", options: { normalize: "case", keep: "longest" }, kept: 2594 },
  ];

describe("the etcd documentation", () => {
  it.each(RUNS)("by $name: $kept stay, decision by decision", async ({ options, kept }) => {
    const brute = await bruteForce(passages, options, await loadEmbedder("static-en"));
    const result = await dedup(passages, options);
    expect(decisionOf(result)).toEqual(decisionOfBrute(brute, passages));
    expect(result.selected).toHaveLength(kept);
  });
});
