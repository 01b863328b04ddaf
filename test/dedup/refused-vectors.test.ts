/**
 * Bad vectors and faulty embedders are typed errors: none of them poisons a result.
 */
import { describe, expect, it } from "vitest";
import type { DedupOptions } from "../../src/main.js";
import { dedup } from "../../src/main.js";
import { failureOf, refuses, records, SECRET } from "../support/refusal-table.js";

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
