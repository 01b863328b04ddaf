/**
 * The only door to the native core.
 *
 * It loads the addon when first used, turns failures that crossed as data into `SluiceError`, and ties an `AbortSignal`
 * and a progress callback to a running job.
 */
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { onAbort } from "./abort.js";
import { isErrorCode, SluiceError } from "./errors.js";
import { tell, type Progress } from "./report.js";

/** The exports of the addon. */
export type NativeCore = typeof import("#native");
type NativeControl = InstanceType<NativeCore["NativeControl"]>;

let loaded: NativeCore | undefined;

/** The addon, loaded on first use; `NATIVE_UNAVAILABLE` when there is none for this platform. */
export function native(): NativeCore {
  if (loaded !== undefined) return loaded;
  try {
    // `require` gives `any`; the generated declarations say what it is.
    loaded = createRequire(import.meta.url)("#native") as NativeCore;
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`;
    const received = openingFailure(cause);
    throw new SluiceError(
      "NATIVE_UNAVAILABLE",
      received === undefined
        ? `There is no native core for ${platform} in this package. In a clone run \`npm start\`; elsewhere install an archive that was packed on this platform.`
        : `The native core is there and could not be opened on ${platform}: ${received}.`,
      { expected: `a binary for ${platform}`, ...(received === undefined ? {} : { received }) },
      { cause },
    );
  }
  return loaded;
}

/**
 * Why a binary that is there could not be opened; `undefined` when there is none. The loader chains what it tried and keeps
 * the messages only: those of a missing file and of a platform it does not know say nothing about a binary.
 */
function openingFailure(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!/^(?:Cannot find|Unsupported)/.test(cause.message)) return cause.message.replace(/\.$/, "");
  }
  return undefined;
}

/** Threads to use when the caller did not say: what the process may use, never more. */
export function defaultThreads(): number {
  return availableParallelism();
}

/** Calls the core; a failure that crossed as data is thrown as `SluiceError`. */
export function callNative<T>(call: (core: NativeCore) => T): T {
  const core = native();
  try {
    return call(core);
  } catch (error) {
    throw toSluiceError(error);
  }
}

/** What a job may be given by the caller. */
export interface JobOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** The control that the job's object was made with, where it has one already. */
  readonly control?: NativeControl | undefined;
}

/** A finished job: what it gave, and the wall seconds of its steps. */
export interface JobResult<T> {
  readonly value: T;
  readonly seconds: Readonly<Record<string, number>>;
}

/** Milliseconds between two progress calls. */
const PROGRESS_INTERVAL_MS = 100;

/** Runs a job of the core. The signal is checked before, and stops the job within milliseconds while it runs. */
export async function runJob<T>(
  start: (core: NativeCore, control: NativeControl) => Promise<T>,
  { signal, onProgress, control: given }: JobOptions,
): Promise<JobResult<T>> {
  signal?.throwIfAborted();
  const core = native();
  const control = given ?? new core.NativeControl();
  const forget =
    signal &&
    onAbort(signal, () => {
      control.cancel();
    });
  let failed: { readonly reason: unknown } | undefined;
  const timer =
    onProgress === undefined
      ? undefined
      : setInterval(() => {
          const progress = control.progress();
          if (progress.step === "") return;
          // A caller's callback that fails stops the job, and the caller gets its own error.
          tell(onProgress, progress).catch((reason: unknown) => {
            failed ??= { reason };
            control.cancel();
          });
        }, PROGRESS_INTERVAL_MS);
  try {
    const value = await start(core, control);
    return { value, seconds: control.seconds() };
  } catch (error) {
    if (failed !== undefined) throw failed.reason;
    signal?.throwIfAborted();
    throw toSluiceError(error);
  } finally {
    clearInterval(timer);
    forget?.();
  }
}

/** Takes apart what `bindings/node/src/failure.rs` put together. */
function toSluiceError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  let failure: unknown;
  try {
    failure = JSON.parse(error.message);
  } catch {
    return new SluiceError("INTERNAL", `The native core failed: ${error.message}`, {}, { cause: error });
  }
  if (typeof failure !== "object" || failure === null || !("code" in failure) || !("message" in failure)) {
    return new SluiceError("INTERNAL", `The native core failed: ${error.message}`, {}, { cause: error });
  }
  const { code, message, ...details } = failure;
  const known = typeof code === "string" && isErrorCode(code) ? code : "INTERNAL";
  // The details are written by our own binding, field by field.
  return new SluiceError(known, String(message), details);
}
