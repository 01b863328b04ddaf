/**
 * Cuts encoded pairs into batches of like length, so that little is filled up.
 *
 * A batch is as wide as its longest pair and no wider. Pairs are taken shortest first; equal ones by their position.
 */
import type { OnnxBatch } from "./onnx-messages.js";

/** Encoded pairs, end to end. */
export interface EncodedPairs {
  readonly ids: BigInt64Array;
  readonly typeIds: BigInt64Array;
  readonly ends: Uint32Array;
}

/** A batch, and which pair each of its rows is. */
export interface PairBatch {
  readonly positions: readonly number[];
  readonly batch: OnnxBatch;
}

/** How batches are made. */
export interface BatchShape {
  readonly batchSize: number;
  readonly padId: number;
  /** Whether the graph asks for types of tokens. */
  readonly hasTypes: boolean;
}

/** The batches of all pairs; one is made when it is asked for. */
export function* batchesOf(pairs: EncodedPairs, shape: BatchShape): Generator<PairBatch, void> {
  const { ends } = pairs;
  const startOf = (position: number): number => (position === 0 ? 0 : (ends[position - 1] ?? 0));
  const lengths = Array.from(ends, (end, position) => end - startOf(position));
  const lengthOf = (position: number): number => lengths[position] ?? 0;
  const order = lengths.map((_, position) => position).sort((a, b) => lengthOf(a) - lengthOf(b) || a - b);
  for (let first = 0; first < order.length; first += shape.batchSize) {
    const positions = order.slice(first, first + shape.batchSize);
    const columns = lengthOf(positions.at(-1) ?? 0);
    const rows = positions.length;
    const ids = new BigInt64Array(rows * columns).fill(BigInt(shape.padId));
    const mask = new BigInt64Array(rows * columns);
    const types = new BigInt64Array(shape.hasTypes ? rows * columns : 0);
    for (const [row, position] of positions.entries()) {
      const [start, end] = [startOf(position), ends[position] ?? 0];
      ids.set(pairs.ids.subarray(start, end), row * columns);
      mask.fill(1n, row * columns, row * columns + end - start);
      if (shape.hasTypes) types.set(pairs.typeIds.subarray(start, end), row * columns);
    }
    const inputs = {
      input_ids: ids,
      attention_mask: mask,
      ...(shape.hasTypes ? { token_type_ids: types } : {}),
    };
    yield { positions, batch: { rows, columns, inputs } };
  }
}
