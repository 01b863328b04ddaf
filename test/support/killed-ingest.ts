/**
 * One `sluice ingest` that is killed again and again: starts it, waits for a moment, kills it by its own process id.
 *
 * What it has acknowledged is what its checkpoint says, which it replaces behind every batch.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";
import { outcomeOf, sluice, startSluice } from "./command-line.js";
import type { KillMoment } from "./kill-moments.js";
import { TemporaryFolder } from "./temporary-folder.js";

/** What is ingested, and how. */
export interface KilledInput {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** Lines of the input. */
  readonly lines: number;
  readonly batch: number;
  readonly args: readonly string[];
}

/** Where a kill met the run, as far as it can be seen from outside. */
export type KillPlace = "before the store" | "before a batch" | "between batches" | "behind the last batch";

/** An ingest into a store in a folder of its own. */
export class KilledIngest {
  readonly #folder = new TemporaryFolder();
  readonly #input: KilledInput;
  readonly #command: readonly string[];
  #completed = false;

  constructor(input: KilledInput) {
    this.#input = input;
    const file = this.#folder.write(input.name, input.content);
    const store = ["--store", this.url, "--collection", "c", "--batch", String(input.batch)];
    this.#command = ["ingest", file, ...store, ...input.args, "--quiet"];
  }

  get url(): string {
    return `file:${this.#folder.file("a.sluice")}`;
  }

  /** Whether a run got to its end: every record is there then, and the next run begins anew on top of them. */
  get completed(): boolean {
    return this.#completed;
  }

  /** Lines that are done with, as the checkpoint says; 0 where there is none. */
  acknowledged(): number {
    const path = this.#checkpoint();
    if (path === undefined) return 0;
    try {
      // Written by the command, and replaced as a whole: it is never there by half.
      const [, content = ""] = readFileSync(path, "utf8").split("\n");
      return (JSON.parse(content) as { state: { lines: number } }).state.lines;
    } catch (error) {
      // Removed in between: the work is done.
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
      throw error;
    }
  }

  /** Milliseconds from the start of a run to its next acknowledgement; it is killed there. */
  async beginMs(): Promise<number> {
    const startedMs = performance.now();
    const before = this.acknowledged();
    await this.#killedWhen((isOver) => until(() => isOver() || this.acknowledged() > before));
    return performance.now() - startedMs;
  }

  /** Runs until a moment, and kills. Gives where that was; undefined where the run was over before. */
  async killAt(moment: KillMoment, beginMs: number): Promise<KillPlace | undefined> {
    const { lines, batch } = this.#input;
    const before = this.acknowledged();
    const target = "share" in moment ? before + moment.share * (lines - batch - before) : lines;
    let seen = before;
    const isAt = (least: number): boolean => {
      const now = this.acknowledged();
      seen = Math.max(seen, now);
      return now > before && now >= least;
    };
    const wasKilled = await this.#killedWhen(async (isOver) => {
      switch (moment.kind) {
        case "begin":
          await pause(moment.share * beginMs);
          return;
        case "write":
          await until(() => isOver() || isAt(target));
          await pause(moment.ms);
          return;
        case "checkpoint":
          await until(() => isOver() || isAt(target));
          // It is there for less than a millisecond.
          while (!isOver() && !existsSync(`${this.#checkpoint() ?? ""}.tmp`)) await turn();
          return;
        case "end":
          // With one batch to go the end is near; then without a pause, for it is short.
          await until(() => isOver() || isAt(lines - batch));
          while (!isOver() && this.acknowledged() >= lines - batch && !isAt(lines)) await turn();
          if (moment.waitsForRemoval) while (!isOver() && this.#checkpoint() !== undefined) await turn();
          await pause(moment.ms);
      }
    });
    const left = this.acknowledged();
    if (left === 0 && (seen > 0 || !wasKilled)) this.#completed = true;
    if (!wasKilled) return undefined;
    if (left === lines || (left === 0 && seen > 0)) return "behind the last batch";
    if (left > before) return "between batches";
    return existsSync(this.#folder.file("a.sluice")) ? "before a batch" : "before the store";
  }

  /** Runs to the end, and gives the counts of the report. */
  async finish(): Promise<Readonly<Record<string, number>>> {
    const report = this.#folder.file("report.json");
    const { status, stderr } = await sluice([...this.#command, "--report", report]);
    if (status !== 0) throw new Error(stderr);
    // Written by the command.
    return (JSON.parse(readFileSync(report, "utf8")) as { counts: Readonly<Record<string, number>> }).counts;
  }

  /** A copy of the store as it lies there; undefined where there is none yet. */
  copy(): string | undefined {
    const copies = new TemporaryFolder();
    const names = this.#folder.names().filter((name) => /^a\.sluice(?:-wal|-shm)?$/.test(name));
    for (const name of names) copyFileSync(this.#folder.file(name), copies.file(name));
    return names.includes("a.sluice") ? `file:${copies.file("a.sluice")}` : undefined;
  }

  #checkpoint(): string | undefined {
    const name = readdirSync(this.#folder.path).find((entry) => /-ingest-[0-9a-f]+$/.test(entry));
    return name === undefined ? undefined : this.#folder.file(name);
  }

  /** Starts a run and kills it when `moment` resolves; false where it had ended by then. */
  async #killedWhen(moment: (isOver: () => boolean) => Promise<void>): Promise<boolean> {
    const child = startSluice(this.#command);
    const ended = outcomeOf(child);
    await moment(() => child.exitCode !== null);
    child.kill("SIGKILL");
    const { status, signal, stderr } = await ended;
    if (status !== 0 && signal !== "SIGKILL") throw new Error(stderr);
    return signal === "SIGKILL";
  }
}

async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await pause(1);
}
