/**
 * A specification as a table: records and options in, who stays and who goes out.
 */
import { expect, it } from "vitest";
import type { DedupOptions, DedupResult, Filtered, TextRecord } from "../../src/main.js";
import { dedup } from "../../src/main.js";

/** Methods without the embedder: the cases about texts need no vectors. */
export const TEXTUAL = ["exact", "normalized", "lexical"] as const;

/** A sentence that is long enough to have near-duplicates. */
export const fox = "the quick brown fox jumps over the lazy dog near the river bank";

/** One row: `stay` are positions, `go` are lines as `summary` writes them. */
export interface Case {
  readonly title: string;
  readonly records: readonly TextRecord[];
  readonly options?: DedupOptions;
  readonly stay: readonly number[];
  readonly go: readonly string[];
}

/** A decision, short enough for a table: what stays, and `position reason witness score` of what goes. */
export function summary<T extends TextRecord>(result: DedupResult<T>): { stay: number[]; go: string[] } {
  const go = ({ position, reason, duplicateOf, score }: Filtered<T>): string =>
    `${position} ${reason} ${duplicateOf?.position ?? "-"} ${Number(score.toFixed(3))}`;
  return { stay: [...result.selectedPositions], go: result.filtered.map(go) };
}

/** One test a row. */
export function decides(cases: readonly Case[]): void {
  it.each(cases)("$title", async ({ records, options, stay, go }) => {
    expect(summary(await dedup(records, options))).toEqual({ stay, go });
  });
}
