/**
 * One run of `sluice dedup`: inputs made ready, outputs opened, the decision, then the copies.
 *
 * Lines, rows of CSV and texts are decided and copied by the core; `dedup-parquet.ts` does the same for Parquet.
 */
import { dedupFile, type DedupFileOptions } from "../dedup/dedup-file.js";
import { SluiceError } from "../errors.js";
import type { Progress, StageReport } from "../report.js";
import type { DedupTask } from "./dedup-flags.js";
import {
  completed,
  secondsSince,
  writeLines,
  type InputOrigin,
  type OutputName,
  type Run,
} from "./dedup-outputs.js";
import { checkOutputName } from "./file-name.js";
import { inputIdentityPath, openInput, type ReadableInput } from "./input-file.js";
import { OutputSet } from "./output-set.js";
import { reportJson } from "./report-file.js";
import type { RunConnections } from "./run-connections.js";
import { WorkFolder } from "./work-folder.js";

/** Does the task. All outputs appear together at the end, or none does; `output-set.ts` says how far that holds. */
export async function runDedup(task: DedupTask, connections: RunConnections): Promise<void> {
  const { signal, standardOutput, display } = connections;
  const folder = new WorkFolder();
  const inputs = [task.input, ...(task.against === undefined ? [] : [task.against])];
  const outputs = await OutputSet.open(
    outputPaths(task),
    inputs.map(inputIdentityPath),
    standardOutput,
    signal,
  );
  const onProgress = (progress: Progress): void => {
    display.progress(progress);
  };
  const run: Run = { ...connections, task, folder, outputs, onProgress, origins: new Map() };
  try {
    const report = await decideAndCopy(run);
    await outputs.sink("report")?.write(Buffer.from(reportJson(report)));
    signal.throwIfAborted();
    await outputs.commit();
    display.table(report);
  } catch (error) {
    throw renamed(error, run.origins);
  } finally {
    display.stop();
    await outputs.discard();
    await folder.remove();
  }
}

function outputPaths({ out, filtered, vetoed, report }: DedupTask): Map<OutputName, string> {
  const paths = new Map<OutputName, string>([["out", out]]);
  for (const [name, path] of Object.entries({ filtered, vetoed, report })) {
    // `Object.entries` widens the names, which are those of the object above.
    if (path !== undefined) paths.set(name as OutputName, path);
  }
  return paths;
}

async function decideAndCopy(run: Run): Promise<StageReport> {
  const { task, folder, signal } = run;
  const input = await openInput(task.input, task.format, "input", folder, signal);
  run.origins.set(input.path, { name: input.name, lines: "own" });
  if (input.format !== undefined) checkOutputName("--out", task.out, [input.format]);
  const reference = task.against === undefined ? undefined : await readableReference(run, task.against);
  const options: DedupFileOptions = {
    ...task.options,
    ...(reference === undefined ? {} : { against: reference.path }),
  };
  const report = await dedupAny(run, input, options);
  return reference?.steps === undefined ? report : completed(report, reference.steps);
}

async function dedupAny(run: Run, input: ReadableInput, options: DedupFileOptions): Promise<StageReport> {
  if (input.format !== "parquet") return dedupLines(run, input, options);
  const { dedupParquet } = await import("./dedup-parquet.js");
  return dedupParquet(run, input, options);
}

/** A path the core can read the reference from, and the seconds of the steps that it took to get one. */
async function readableReference(
  run: Run,
  given: string,
): Promise<{ readonly path: string; readonly steps?: Readonly<Record<string, number>> }> {
  const { folder, signal, origins, task } = run;
  if (given === "-" && task.input === "-") {
    throw new SluiceError("OPTION_INVALID", "Standard input cannot be both the input and the reference.", {
      field: "--against",
    });
  }
  const input = await openInput(given, undefined, "reference", folder, signal);
  origins.set(input.path, { name: input.name, lines: "own" });
  if (input.format !== "parquet") return { path: input.path };
  const { spoolReference } = await import("./dedup-parquet.js");
  const began = performance.now();
  const path = await spoolReference(run, input);
  return { path, steps: { unpack: secondsSince(began) } };
}

async function dedupLines(run: Run, input: ReadableInput, options: DedupFileOptions): Promise<StageReport> {
  const { signal, onProgress, outputs, standardOutput } = run;
  const { format } = input;
  if (format === "parquet") throw new SluiceError("INTERNAL", "A Parquet file was taken for lines.");
  const result = await dedupFile(input.path, {
    ...options,
    ...(format === undefined ? {} : { format }),
    signal,
    onProgress,
  });
  try {
    const started = performance.now();
    const out = outputs.sink("out");
    for await (const chunk of result.selected()) {
      signal.throwIfAborted();
      await out?.write(chunk);
      // Nobody reads on: the other outputs are still due.
      if (out === standardOutput && !standardOutput.isOpen) break;
    }
    await writeLines(result.filteredJson(), outputs.sink("filtered"), signal);
    await writeLines(result.vetoedJson(), outputs.sink("vetoed"), signal);
    return completed(result.report, { write: secondsSince(started) });
  } finally {
    result.close();
  }
}

/**
 * An error of the core, told in the user's words: the name of the input instead of a temporary copy, a row of a Parquet file
 * instead of a line, and a change instead of an input that is not there any more.
 */
function renamed(error: unknown, origins: ReadonlyMap<string, InputOrigin>): unknown {
  if (!(error instanceof SluiceError)) return error;
  const { path, line, byte, ...details } = error.details;
  const origin = path === undefined ? undefined : origins.get(path);
  if (path === undefined || origin === undefined) return error;
  if (error.code === "INPUT_NOT_FOUND") {
    // It was there when the run began.
    const gone = `The input ${origin.name} was removed while it was read.`;
    return new SluiceError("INPUT_CHANGED", gone, { path: origin.name }, { cause: error });
  }
  if (origin.name === path) return error;
  const message = error.message.replaceAll(path, origin.name);
  if (origin.lines === "own") {
    const place = { ...(line === undefined ? {} : { line }), ...(byte === undefined ? {} : { byte }) };
    return new SluiceError(
      error.code,
      message,
      { ...place, ...details, path: origin.name },
      { cause: error },
    );
  }
  const row = line === undefined ? {} : { position: line - 1 };
  const told = message.replace(/ \(line \d+\)/, "");
  return new SluiceError(error.code, told, { ...row, ...details, path: origin.name }, { cause: error });
}
