/**
 * Hits as JSON lines: one object a line, best first, keys in snake_case.
 */
import type { ByteSink } from "./atomic-output.js";

/** A hit as it is printed. */
export interface ResultLine {
  readonly id: string | number;
  readonly score: number;
  readonly rerank_score?: number | undefined;
  readonly fused_score?: number | undefined;
  readonly tokens?: number | undefined;
  readonly text: string | undefined;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Writes them. */
export async function writeResults(
  lines: readonly ResultLine[],
  sink: ByteSink,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  if (text !== "") await sink.write(Buffer.from(text));
}
