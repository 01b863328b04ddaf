/**
 * Bad vectors and faulty embedders are typed errors: none of them poisons a result.
 */
import { describe, expect, it } from "vitest";
import type { DedupOptions } from "../../src/main.js";
import { dedup, Index, VectorStoreHub } from "../../src/main.js";
import { failureOf, refuses, records, SECRET } from "../support/refusal-table.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

describe("vectors in hand", () => {
  const rows = (data: readonly number[]): DedupOptions => ({
    embeddings: { data: Float32Array.from(data), dimension: 2 },
  });
  const three = ["a", "b", "c"].map((letter) => `${SECRET} ${letter}`);
  refuses([
    {
      title: "of another size",
      work: () => dedup(three, rows([1, 0, 0, 1])),
      code: "DIMENSION_MISMATCH",
      details: { field: "embeddings", expected: "3 rows of 2", received: "4 numbers" },
    },
    {
      title: "with NaN",
      work: () => dedup(three, rows([1, 0, 0, 1, Number.NaN, 1])),
      code: "VECTOR_NOT_FINITE",
      details: { position: 2 },
    },
    {
      title: "with infinity",
      work: () => dedup(three, rows([1, 0, Number.NEGATIVE_INFINITY, 1, 1, 1])),
      code: "VECTOR_NOT_FINITE",
      details: { position: 1 },
    },
    {
      title: "of zeros",
      work: () => dedup(three, rows([1, 0, 0, 0, 1, 1])),
      code: "VECTOR_ZERO",
      details: { position: 1 },
    },
    {
      title: "bad in a copy, which would not be looked at",
      work: () => dedup(["a", "a", "b"], rows([1, 0, Number.NaN, 0, 1, 1])),
      code: "VECTOR_NOT_FINITE",
      details: { position: 1 },
    },
  ]);
});

describe("an embedder", () => {
  const embedder = (embed: (texts: readonly string[]) => unknown): DedupOptions => ({
    embedder: { id: "mine", dimension: 2, embed: (texts) => Promise.resolve(embed(texts) as Float32Array) },
  });
  refuses([
    {
      title: "that rejects",
      work: () =>
        dedup(
          records,
          embedder(() => Promise.reject(new Error(`cannot embed ${SECRET}`))),
        ),
      code: "EMBEDDER_FAILED",
    },
    {
      title: "that throws",
      work: () =>
        dedup(
          records,
          embedder(() => {
            throw new TypeError("boom");
          }),
        ),
      code: "EMBEDDER_FAILED",
    },
    {
      title: "that gives too few numbers",
      work: () =>
        dedup(
          records.slice(0, 3),
          embedder(() => new Float32Array(4)),
        ),
      code: "EMBEDDER_FAILED",
      details: { expected: "Float32Array of 6", received: "Float32Array of 4" },
    },
    {
      title: "that gives a plain array",
      work: () =>
        dedup(
          records.slice(0, 1),
          embedder(() => [1, 2]),
        ),
      code: "EMBEDDER_FAILED",
      details: { received: "object" },
    },
    {
      title: "that gives nothing",
      work: () =>
        dedup(
          records,
          embedder(() => undefined),
        ),
      code: "EMBEDDER_FAILED",
      details: { received: "undefined" },
    },
    {
      title: "that gives NaN",
      work: () =>
        dedup(
          records,
          embedder((texts) => new Float32Array(texts.length * 2).fill(Number.NaN)),
        ),
      code: "VECTOR_NOT_FINITE",
      details: { position: 0 },
    },
    {
      title: "that gives NaN for a text behind copies",
      work: () =>
        dedup(
          ["a", "a", "a", "b"],
          embedder(() => Float32Array.of(1, 0, 1, Number.NaN)),
        ),
      code: "VECTOR_NOT_FINITE",
      details: { position: 3 },
    },
  ]);

  it("keeps what it threw as the cause", async () => {
    const cause = new Error("the service is down");
    const failure = await failureOf(() =>
      dedup(
        records,
        embedder(() => Promise.reject(cause)),
      ),
    );
    expect(failure.cause).toBe(cause);
  });
});

describe("what only looks like a Float32Array", () => {
  const impostors: Readonly<Record<string, () => Float32Array>> = {
    "an object with its prototype": () => Object.create(Float32Array.prototype) as Float32Array,
    "64-bit numbers with its prototype": () =>
      Object.setPrototypeOf(new Float64Array(2), Float32Array.prototype) as Float32Array,
    "32-bit numbers with another prototype": () =>
      Object.setPrototypeOf(new Float32Array(2), Float64Array.prototype) as Float32Array,
  };
  const hub = async (): Promise<VectorStoreHub> => {
    const store = new VectorStoreHub(`file:${new TemporaryFolder().file("store.sluice")}`);
    await store.ensureCollection("c", { dimension: 2 });
    return store;
  };
  describe.each(Object.entries(impostors))("%s", (_, make) => {
    refuses([
      {
        title: "as embeddings",
        work: () => dedup(["a"], { embeddings: { data: make(), dimension: 2 } }),
        code: "OPTION_INVALID",
        details: { field: "embeddings.data", expected: "Float32Array" },
      },
      {
        title: "from an embedder",
        work: () =>
          dedup(["a"], { embedder: { id: "mine", dimension: 2, embed: () => Promise.resolve(make()) } }),
        code: "EMBEDDER_FAILED",
        details: { expected: "Float32Array of 2", received: "object" },
      },
      {
        title: "as vectors of an index",
        work: () => Index.fromVectorsAndItems(make(), ["a"], "flat", { dimension: 2 }),
        code: "OPTION_INVALID",
        details: { field: "vectors", expected: "Float32Array" },
      },
      {
        title: "as a vector to search by",
        work: async () => (await hub()).searchVectors("c", make()),
        code: "OPTION_INVALID",
        details: { field: "vector" },
      },
    ]);

    it("as a vector to store: OPTION_INVALID in the report", async () => {
      const { failed } = await (await hub()).storeVectors("c", [{ id: 1, vector: make() }]);
      expect(failed).toMatchObject([{ index: 0, code: "OPTION_INVALID" }]);
    });
  });
});
