/** Runs the built command as a user does: in a process of its own. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The built command. `npm run build` makes it. */
export const SLUICE = fileURLToPath(new URL("../../dist/cli/sluice.js", import.meta.url));

/** What came of a run. */
export interface CommandOutcome {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** How a run is started. */
export interface CommandOptions {
  /** What standard input holds. Default: nothing. */
  readonly input?: string | Uint8Array;
  /** Environment besides the present one. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folder the command runs in. */
  readonly cwd?: string;
}

/** Starts the command. */
export function startSluice(
  args: readonly string[],
  options: CommandOptions = {},
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [SLUICE, ...args], {
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  // A command that fails early does not read its input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  return child;
}

/** Waits for a started command. */
export async function outcomeOf(child: ChildProcessWithoutNullStreams): Promise<CommandOutcome> {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status, signal) => {
      resolve({ status, signal, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() });
    });
  });
}

/** Runs the command to its end. */
export async function sluice(args: readonly string[], options: CommandOptions = {}): Promise<CommandOutcome> {
  return outcomeOf(startSluice(args, options));
}
