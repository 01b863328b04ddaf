/**
 * What the thread that runs a graph and the one that asks it say to each other.
 */

/** What the thread is started with. */
export interface OnnxSetup {
  readonly graph: string;
  readonly threads: number;
}

/** An input or an output of a graph. */
export interface OnnxPort {
  readonly name: string;
  /** Element type, such as `int64`. */
  readonly type: string;
}

/** The first thing the thread says. */
export type OnnxStart =
  | {
      readonly kind: "ready";
      readonly inputs: readonly OnnxPort[];
      readonly outputs: readonly OnnxPort[];
      /** Whether numbers are quantized by the largest of the batch. */
      readonly isDynamic: boolean;
      /** SHA-256 of the file, in hexadecimal. */
      readonly sha256: string;
    }
  /** `runtime`: there is no onnxruntime here. `graph`: it does not take this file. */
  | { readonly kind: "failed"; readonly what: "runtime" | "graph"; readonly message: string };

/** A rectangle of integers for each input. */
export interface OnnxBatch {
  readonly rows: number;
  readonly columns: number;
  readonly inputs: Readonly<Record<string, BigInt64Array>>;
}

/** What the thread is asked. */
export type OnnxRequest =
  | { readonly kind: "run"; readonly id: number; readonly batch: OnnxBatch; readonly output: string }
  | { readonly kind: "close" };

/** What an output holds. */
export interface OnnxTensor {
  readonly type: string;
  readonly shape: readonly number[];
  /** The numbers, where they are `float32`. */
  readonly data: Float32Array | undefined;
}

/** What it answers to a run. */
export type OnnxAnswer =
  | { readonly kind: "done"; readonly id: number; readonly tensor: OnnxTensor }
  | { readonly kind: "failed"; readonly id: number; readonly message: string };
