/**
 * The outputs of one run: checked against each other and against the inputs, opened together, named together.
 *
 * No output appears under its name before all of them are whole and every name is still free to take. What remains: files are
 * renamed one after another (`docs/gaps.md`).
 */
import { SluiceError } from "../errors.js";
import {
  AtomicOutput,
  fileIdentity,
  findTarget,
  type ByteSink,
  type Output,
  type OutputTarget,
} from "./atomic-output.js";
import { PipeOutput } from "./named-pipe.js";
import { StandardOutput } from "./standard-output.js";

/** How an option names standard output. */
const STANDARD_OUTPUT: readonly string[] = ["-", "/dev/stdout"];

function isStandardOutput(path: string): boolean {
  return STANDARD_OUTPUT.includes(path);
}

/** The sinks of a run, under the names that they were asked for by. */
export class OutputSet<Name extends string> {
  readonly #sinks: ReadonlyMap<Name, ByteSink>;
  readonly #files: readonly Output[];

  private constructor(sinks: ReadonlyMap<Name, ByteSink>, files: readonly Output[]) {
    this.#sinks = sinks;
    this.#files = files;
  }

  /**
   * Checks and opens all outputs; `inputs` are the paths that the run reads. `OUTPUT_IN_USE` when one is an input or two are
   * the same file, `IO` when one cannot be written; then nothing is left behind. A named pipe is waited for until it has a
   * reader.
   */
  static async open<Name extends string>(
    paths: ReadonlyMap<Name, string>,
    inputs: readonly string[],
    standardOutput: StandardOutput,
    signal: AbortSignal,
  ): Promise<OutputSet<Name>> {
    const targets = new Map<Name, OutputTarget>();
    const taken = new Map<string, string>();
    for (const path of inputs) {
      const identity = await fileIdentity(path);
      if (identity !== undefined) taken.set(identity, "the input");
    }
    for (const [name, path] of paths) {
      const target = await findTarget(isStandardOutput(path) ? "/dev/stdout" : path).catch(
        (error: unknown) => {
          // Where there is no /dev/stdout it cannot be compared either.
          if (isStandardOutput(path)) return undefined;
          throw error;
        },
      );
      if (target === undefined) continue;
      refuseTaken(taken, name, target, path);
      if (!isStandardOutput(path)) targets.set(name, target);
    }
    const files: Output[] = [];
    const sinks = new Map<Name, ByteSink>();
    try {
      for (const [name, target] of targets) {
        const file =
          target.kind === "pipe" ? await PipeOutput.open(target, signal) : await AtomicOutput.open(target);
        files.push(file);
        sinks.set(name, file);
      }
    } catch (error) {
      for (const file of files) await file.discard();
      throw error;
    }
    for (const [name, path] of paths) if (isStandardOutput(path)) sinks.set(name, standardOutput);
    return new OutputSet(sinks, files);
  }

  /** The sink of an output, if it was asked for. */
  sink(name: Name): ByteSink | undefined {
    return this.#sinks.get(name);
  }

  /** Flushes every file, looks whether each can have its name, then gives each its name. */
  async commit(): Promise<void> {
    for (const file of this.#files) await file.finish();
    for (const file of this.#files) await file.check();
    for (const file of this.#files) await file.commit();
  }

  /** Removes whatever was not committed. */
  async discard(): Promise<void> {
    for (const file of this.#files) await file.discard();
  }
}

/** Two paths are the same file by device and inode, or, before they are there, by name. */
function refuseTaken(taken: Map<string, string>, name: string, target: OutputTarget, path: string): void {
  if (target.kind === "device") return;
  const keys = [target.realPath, ...(target.identity === undefined ? [] : [target.identity])];
  for (const key of keys) {
    const other = taken.get(key);
    if (other !== undefined) {
      throw new SluiceError("OUTPUT_IN_USE", `The output --${name} and ${other} are the same file.`, {
        field: `--${name}`,
        path,
      });
    }
  }
  for (const key of keys) taken.set(key, `the output --${name}`);
}
