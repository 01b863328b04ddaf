/**
 * A graph of onnxruntime on a thread of its own: the event loop never waits for it.
 *
 * Batches run one after another, in the order they were asked for. An abort ends the waiting at once; the batch that computes is
 * not stopped, but none follows it. An idle thread does not keep the process alive.
 */
import { Worker } from "node:worker_threads";
import { untilAborted } from "../abort.js";
import { SluiceError } from "../errors.js";
import { packagePath } from "../package.js";
import type {
  OnnxAnswer,
  OnnxBatch,
  OnnxRequest,
  OnnxSetup,
  OnnxStart,
  OnnxTensor,
} from "./onnx-messages.js";

/** The version that the package is tested with; `package.json` names it as an optional peer. */
const RUNTIME = "onnxruntime-node@1.30";
/** Built beside this file; the command line is bundled, and finds it by the package. */
const WORKER = "dist/rerank/onnx-worker.js";

/** What a graph says of itself. */
export type OnnxGraph = OnnxStart & { readonly kind: "ready" };

interface Waiting {
  readonly resolve: (tensor: OnnxTensor) => void;
  readonly reject: (reason: SluiceError) => void;
}

/** A graph that can be run. */
export class OnnxSession {
  readonly graph: OnnxGraph;
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;
  /** Why nothing can be asked any more. */
  #over: SluiceError | undefined;

  private constructor(graph: OnnxGraph, worker: Worker) {
    this.graph = graph;
    this.#worker = worker;
    worker.on("message", (answer: OnnxAnswer) => {
      this.#settle(answer);
    });
    worker.on("error", (cause) => {
      this.#end(new SluiceError("RERANKER_FAILED", "The thread of the graph failed.", {}, { cause }));
    });
    this.#ended = new Promise((resolve) => {
      worker.once("exit", () => {
        this.#end(new SluiceError("RERANKER_FAILED", "The thread of the graph ended."));
        resolve();
      });
    });
    worker.unref();
  }

  /** Loads a graph. `ONNX_RUNTIME_MISSING` without the optional package, `MODEL_INVALID` for what is no graph. */
  static async open(setup: OnnxSetup, signal: AbortSignal | undefined): Promise<OnnxSession> {
    signal?.throwIfAborted();
    // What the process was started with, loaders and the like, is none of the thread's business.
    const worker = new Worker(packagePath(WORKER), { workerData: setup, execArgv: [] });
    try {
      const start = await untilAborted(() => firstOf(worker), signal);
      if (start.kind === "ready") return new OnnxSession(start, worker);
      throw start.what === "runtime" ? missing(start.message) : refused(setup.graph, start.message);
    } catch (reason) {
      await worker.terminate();
      throw reason;
    }
  }

  /** Runs one batch; its buffers are moved to the thread. */
  async run(batch: OnnxBatch, output: string, signal: AbortSignal | undefined): Promise<OnnxTensor> {
    if (this.#over !== undefined) throw this.#over;
    const id = this.#asked++;
    const answer = new Promise<OnnxTensor>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    const request: OnnxRequest = { kind: "run", id, batch, output };
    this.#worker.ref();
    this.#worker.postMessage(
      request,
      Object.values(batch.inputs).map(({ buffer }) => buffer as ArrayBuffer),
    );
    // Whoever aborts does not wait; the answer is thrown away.
    answer.catch(() => undefined);
    return untilAborted(() => answer, signal);
  }

  /** Ends the thread when its present batch is done; what waits is refused. */
  async close(): Promise<void> {
    if (this.#over === undefined) {
      this.#end(new SluiceError("CLOSED", "The cross-encoder was closed; load it again."));
      const request: OnnxRequest = { kind: "close" };
      this.#worker.ref();
      this.#worker.postMessage(request);
    }
    await this.#ended;
  }

  #settle(answer: OnnxAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0 && this.#over === undefined) this.#worker.unref();
    if (answer.kind === "done") waiting?.resolve(answer.tensor);
    else waiting?.reject(new SluiceError("RERANKER_FAILED", `The graph failed: ${answer.message}.`));
  }

  #end(reason: SluiceError): void {
    this.#over ??= reason;
    for (const { reject } of this.#waiting.values()) reject(this.#over);
    this.#waiting.clear();
  }
}

/** The first message of a thread; rejects when it ends without one. */
function firstOf(worker: Worker): Promise<OnnxStart> {
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => {
      reject(new SluiceError("RERANKER_FAILED", "The thread of the graph ended before it began."));
    });
  });
}

function missing(received: string): SluiceError {
  return new SluiceError(
    "ONNX_RUNTIME_MISSING",
    `The optional package onnxruntime-node cannot be loaded. Run \`npm install --ignore-scripts ${RUNTIME}\`; a CPU needs no install script.`,
    { expected: RUNTIME, received: received.split("\n", 1)[0] ?? "" },
  );
}

function refused(path: string, received: string): SluiceError {
  return new SluiceError("MODEL_INVALID", "The graph cannot be loaded by onnxruntime.", {
    path,
    expected: "an ONNX graph",
    received,
  });
}
