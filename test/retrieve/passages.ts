/**
 * A small corpus with vectors whose scores can be told by looking at them: the first component is the cosine with the query.
 */
import type { Embedder } from "../../src/embed/embedder.js";
import type { Reranker } from "../../src/rerank/reranker.js";
import type { Point, VectorStore } from "../../src/stores/vector-store.js";

/** The query's direction. */
export const QUERY = [1, 0, 0];

/** A point at a given cosine from the query. */
export function passage(id: number, cosine: number, text = `passage ${id}`, payload = {}): Point {
  const turn = (id * Math.PI) / 7;
  const rest = Math.sqrt(Math.max(0, 1 - cosine * cosine));
  return { id, vector: [cosine, rest * Math.cos(turn), rest * Math.sin(turn)], text, payload };
}

/** A store with a collection `texts` of these points. */
export async function filled<S extends VectorStore>(store: S, points: readonly Point[]): Promise<S> {
  await store.ensureCollection("texts", { dimension: 3 });
  const { failed } = await store.storeVectors("texts", points);
  if (failed.length > 0) throw new Error(`not stored: ${JSON.stringify(failed)}`);
  return store;
}

/** `count` passages, each a little further away than the one before. */
export function fading(count: number): readonly Point[] {
  return Array.from({ length: count }, (_, n) => passage(n + 1, 0.99 - n * 0.01));
}

/** An embedder of one direction that counts what it is asked. */
export class CountingEmbedder implements Embedder {
  readonly id = "one-direction";
  readonly dimension = 3;
  texts = 0;

  embed(texts: readonly string[]): Promise<Float32Array> {
    this.texts += texts.length;
    return Promise.resolve(Float32Array.from(texts.flatMap(() => QUERY)));
  }
}

/** A reranker that prefers texts by a rule, and writes down what it saw. */
export class RuleReranker implements Reranker {
  readonly id = "rule";
  readonly calls: Array<readonly string[]> = [];
  readonly #score: (text: string) => number;

  constructor(score: (text: string) => number) {
    this.#score = score;
  }

  rerank(_query: string, texts: readonly string[]): Promise<readonly number[]> {
    this.calls.push(texts);
    return Promise.resolve(texts.map(this.#score));
  }
}
