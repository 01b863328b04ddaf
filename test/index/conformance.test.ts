/**
 * One contract for every backend: those of the core and one that is registered here, brute force in TypeScript.
 */
import { describe, expect, it } from "vitest";
import { Index, registerBackend } from "../../src/main.js";
import type { BackendSetup, IndexBackend, SlotSet } from "../../src/main.js";
import { backendConformance } from "../../src/testing.js";

/** Compares a query with every row that may be found. */
class BruteForce implements IndexBackend {
  readonly #setup: BackendSetup;
  readonly #rows: Float32Array[] = [];

  constructor(setup: BackendSetup) {
    this.#setup = setup;
  }

  add(rows: Float32Array): void {
    const { dimension } = this.#setup;
    for (let at = 0; at < rows.length; at += dimension) this.#rows.push(rows.slice(at, at + dimension));
  }

  topK(query: Float32Array, k: number, among: SlotSet): number[] {
    return this.#scored(query, among)
      .sort((a, b) => b.score - a.score || a.slot - b.slot)
      .slice(0, k)
      .map(({ slot }) => slot);
  }

  atLeast(query: Float32Array, threshold: number, among: SlotSet): number[] {
    return this.#scored(query, among)
      .filter(({ score }) => score >= threshold - 1e-9)
      .map(({ slot }) => slot);
  }

  #scored(query: Float32Array, among: SlotSet): Array<{ slot: number; score: number }> {
    return Array.from(among.slots, (slot) => ({
      slot,
      score: this.#score(query, this.#rows[slot] ?? query),
    }));
  }

  #score(query: Float32Array, row: Float32Array): number {
    const sum = (of: (a: number, b: number) => number): number =>
      query.reduce((total, a, at) => total + of(a, row[at] ?? 0), 0);
    return this.#setup.metric === "l2" ? 0 - Math.sqrt(sum((a, b) => (a - b) ** 2)) : sum((a, b) => a * b);
  }
}

registerBackend("brute-force", (setup) => new BruteForce(setup));
// Forgets half of what it should choose: the index fills up.
registerBackend("forgetful", (setup) => {
  const whole = new BruteForce(setup);
  return {
    add: (rows) => {
      whole.add(rows);
    },
    topK: (query, k, among) => whole.topK(query, k, among).slice(0, k / 2),
    atLeast: (query, threshold, among) => whole.atLeast(query, threshold, among),
  };
});
registerBackend("stray", () => ({ add: () => undefined, topK: () => [99], atLeast: () => [99] }));
registerBackend("broken", () => ({
  add: () => undefined,
  topK: () => {
    throw new Error("out of order");
  },
  atLeast: () => [],
}));

describe.each(["flat", "brute-force", "forgetful"])("%s", (backend) => {
  it.each(backendConformance(backend))("$name", ({ run }) => run());
});

describe("hnsw", () => {
  it.each(backendConformance("hnsw", { metrics: ["cosine"], recall: 0.95 }))("$name", ({ run }) => run());
});

describe("the suite finds", () => {
  it.each(["stray", "broken"])("a backend that is %s", async (backend) => {
    const failed = await Promise.allSettled(backendConformance(backend).map(({ run }) => run()));
    expect(failed.filter(({ status }) => status === "rejected").length).toBeGreaterThan(failed.length / 2);
  });
});

describe("a registered backend", () => {
  const build = (backend: string): Promise<Index<string>> =>
    Index.fromVectorsAndItems(Float32Array.of(1, 0, 0, 1), ["x", "y"], backend, { dimension: 2 });

  it.each([["stray"], ["broken"]])("that is %s fails with its own code", async (backend) => {
    await using index = await build(backend);
    await expect(index.queryTopK(Float32Array.of(1, 0), 1)).rejects.toMatchObject({ code: "BACKEND_FAILED" });
  });

  it("says how it was searched", async () => {
    await using index = await build("brute-force");
    expect(await index.queryTopK(Float32Array.of(1, 0), 1)).toMatchObject({
      strategy: "custom",
      matching: 2,
    });
  });

  it.each([["flat"], ["brute-force"], [""]])("cannot take the name %j", (name) => {
    expect(() => {
      registerBackend(name, (setup) => new BruteForce(setup));
    }).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });
});
