/**
 * The thread that runs a graph: onnxruntime gives a promise, but computes before it returns it.
 *
 * It is started by `OnnxSession` and nothing imports it. The runtime is an optional package, and looked for here only.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type { InferenceSession } from "onnxruntime-node";
import type { OnnxAnswer, OnnxPort, OnnxRequest, OnnxSetup, OnnxStart, OnnxTensor } from "./onnx-messages.js";

type Runtime = typeof import("onnxruntime-node");

/** An operator that scales by the largest number of its whole input, and so by the neighbours of a row. */
const DYNAMIC_OPERATOR = "DynamicQuantizeLinear";

if (parentPort === null) throw new Error("This file is a worker thread.");
const port = parentPort;
const say = (message: OnnxStart | OnnxAnswer): void => {
  port.postMessage(message);
};

// The setting of `OnnxSession`, which alone starts this file.
const setup = workerData as OnnxSetup;
const started = await start(setup);
if (started !== undefined) serve(started.runtime, started.session);

async function start({
  graph,
  threads,
}: OnnxSetup): Promise<{ runtime: Runtime; session: InferenceSession } | undefined> {
  let runtime: Runtime;
  try {
    // `require` gives `any`; the declarations of the package say what it is.
    runtime = createRequire(import.meta.url)("onnxruntime-node") as Runtime;
  } catch (error) {
    say({ kind: "failed", what: "runtime", message: messageOf(error) });
    return undefined;
  }
  try {
    const session = await runtime.InferenceSession.create(graph, {
      executionProviders: ["cpu"],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: "sequential",
      // Patterns of memory are kept for every shape that was seen, and every batch has another.
      enableMemPattern: false,
      // Errors are thrown; what the runtime prints besides is for nobody.
      logSeverityLevel: 4,
    });
    const file = await look(graph);
    say({
      kind: "ready",
      inputs: session.inputMetadata.map(portOf),
      outputs: session.outputMetadata.map(portOf),
      ...file,
    });
    return { runtime, session };
  } catch (error) {
    say({ kind: "failed", what: "graph", message: messageOf(error) });
    return undefined;
  }
}

/** Answers one request after another. */
function serve(runtime: Runtime, session: InferenceSession): void {
  let last = Promise.resolve();
  port.on("message", (request: OnnxRequest) => {
    last = last.then(async () => {
      if (request.kind === "run") {
        say(await run(runtime, session, request));
        return;
      }
      // Released here: left to the end of the thread, the runtime may be gone before its session.
      await session.release();
      port.close();
    });
  });
}

async function run(
  { Tensor }: Runtime,
  session: InferenceSession,
  { id, batch, output }: OnnxRequest & { readonly kind: "run" },
): Promise<OnnxAnswer> {
  try {
    const shape = [batch.rows, batch.columns];
    const feeds = Object.fromEntries(
      Object.entries(batch.inputs).map(([name, data]) => [name, new Tensor("int64", data, shape)]),
    );
    const { [output]: tensor } = await session.run(feeds, [output]);
    if (tensor === undefined) throw new Error(`the graph gave no ${output}`);
    const { type, dims, data } = tensor;
    const numbers = data instanceof Float32Array ? data : undefined;
    const answer: OnnxTensor = { type, shape: dims, data: numbers };
    return { kind: "done", id, tensor: answer };
  } catch (error) {
    return { kind: "failed", id, message: messageOf(error) };
  }
}

/** Reads the file once: what it is, and whether it quantizes as it goes. */
async function look(path: string): Promise<{ isDynamic: boolean; sha256: string }> {
  const hash = createHash("sha256");
  let isDynamic = false;
  let before = Buffer.alloc(0);
  // A stream of bytes without an encoding yields buffers.
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    const joined = Buffer.concat([before, chunk]);
    isDynamic ||= joined.includes(DYNAMIC_OPERATOR);
    before = joined.subarray(-DYNAMIC_OPERATOR.length);
  }
  return { isDynamic, sha256: hash.digest("hex") };
}

function portOf(metadata: InferenceSession.ValueMetadata): OnnxPort {
  return { name: metadata.name, type: metadata.isTensor ? metadata.type : "no tensor" };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
