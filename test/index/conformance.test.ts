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
/** Answers that are no list of slots that may be found. */
const lies: ReadonlyArray<readonly [string, () => unknown]> = [
  ["a number", () => 5],
  ["an object", () => ({})],
  ["nothing", () => null],
  ["a text", () => "0"],
  ["a set", () => new Set([0])],
  [
    "an iterator that fails",
    () => ({ [Symbol.iterator]: () => ({ next: () => Promise.reject(new Error("no")) }) }),
  ],
  [
    "an iterator without an end",
    () => ({
      *[Symbol.iterator]() {
        for (;;) yield 0;
      },
    }),
  ],
  ["a symbol as a slot", () => [Symbol("0")]],
  ["a text as a slot", () => ["0"]],
  ["half a slot", () => [0.5]],
  ["a slot before the first", () => [-1]],
  ["holes", () => new Array<number>(3)],
  [
    "a list that throws",
    () =>
      new Proxy([0], {
        get: () => {
          throw new Error("no");
        },
      }),
  ],
  ["a list as long as can be", () => new Array<number>(2 ** 32 - 1)],
];
let lie: () => unknown = () => [];
// What the types refuse, code without types does.
registerBackend("liar", () => ({
  add: () => undefined,
  topK: () => lie() as number[],
  atLeast: () => lie() as number[],
}));
// Writes every slot there is over those that may be found, and chooses them.
registerBackend("forger", () => {
  const forge = (_query: Float32Array, _want: number, among: SlotSet): Uint32Array => among.slots.fill(0);
  return { add: () => undefined, topK: forge, atLeast: forge };
});
registerBackend("sorter", () => {
  const backwards = (_query: Float32Array, _want: number, among: SlotSet): Uint32Array =>
    among.slots.reverse();
  return { add: () => undefined, topK: backwards, atLeast: backwards };
});
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

  it.each(lies)("that answers with %s fails with its own code", async (_name, answer) => {
    await using index = await build("liar");
    lie = answer;
    const failure = { code: "BACKEND_FAILED" };
    await expect(index.queryTopK(Float32Array.of(1, 0), 1)).rejects.toMatchObject(failure);
    await expect(index.queryThreshold(Float32Array.of(1, 0), 0)).rejects.toMatchObject(failure);
  });

  it("cannot bring back what a filter excludes by writing into the slots it is shown", async () => {
    const [query, items] = [Float32Array.of(1, 0), [{ of: "ada" }, { of: "bob" }, { of: "bob" }]];
    const args = { dimension: 2 };
    const rows = Float32Array.of(1, 0, 0, 1, 1, 1);
    await using index = await Index.fromVectorsAndItems(rows, items, "forger", args);
    for (const ask of [
      index.queryTopK(query, 2, { filter: { of: "bob" } }),
      index.queryThreshold(query, -2, { filter: { of: "bob" } }),
    ]) {
      await expect(ask).rejects.toMatchObject({ code: "BACKEND_FAILED" });
    }
  });

  it("may put the slots it is shown in another order", async () => {
    await using index = await build("sorter");
    const query = Float32Array.of(1, 0);
    const { results } = await index.queryTopK([query, query], 2);
    expect(results.map((hits) => hits.map(({ item }) => item))).toEqual([
      ["x", "y"],
      ["x", "y"],
    ]);
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
