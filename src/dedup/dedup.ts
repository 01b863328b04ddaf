/**
 * Deduplication of records in memory: the front door of the stage.
 */
import { SluiceError } from "../errors.js";
import { Deduper } from "./deduper.js";
import type { DedupOptions, TextRecord } from "./options.js";
import { requireObject } from "../argument.js";
import { planRun } from "./plan.js";
import type { DedupResult } from "./result.js";
import { prepareBatch, walkBatch } from "./run.js";

/** Options of `dedup`, with what to compare the records with. */
export interface DedupAgainstOptions<T extends TextRecord> extends DedupOptions {
  /** A fitted reference, or records to fit for this call: copies of its items are dropped too. */
  readonly against?: Deduper<T> | Iterable<T> | AsyncIterable<T> | undefined;
  /** Add what was selected to `against`, when it is a `Deduper`. Default false. */
  readonly add?: boolean | undefined;
}

/**
 * Drops exact, normalized, lexical and semantic copies, and says for every dropped record which kept one it is a copy of
 * and with which verified score.
 *
 * Time is linear but for the semantic method, whose exact join grows with the square of the distinct texts. Errors:
 * `OPTION_INVALID`, `RECORD_INVALID`, `COLUMN_*`, `MEMORY_LIMIT`, and those of the embedder.
 * Example: `examples/quick-start/`.
 */
export async function dedup<T extends TextRecord>(
  records: Iterable<T> | AsyncIterable<T>,
  options: DedupAgainstOptions<T> = {},
): Promise<DedupResult<T>> {
  requireObject(options);
  const { against, add, ...rest } = options;
  if (against === undefined) {
    if (add !== undefined) throw needsDeduper("add", "there is nothing to add to", "no against");
    const plan = planRun(rest, "alone");
    return walkBatch(await prepareBatch(records, rest, plan), null, plan);
  }
  if (against instanceof Deduper) {
    return against.deduplicate(records, { ...rest, add });
  }
  if (add !== undefined)
    throw needsDeduper("add", "there is nothing to add to after the call", "against: records");
  if (rest.embeddings !== undefined)
    throw needsDeduper("embeddings", "the reference needs vectors of its own", "against: records");
  const began = performance.now();
  const deduper = await Deduper.from(against, rest);
  const fitSeconds = (performance.now() - began) / 1000;
  const work = { signal: rest.signal, onProgress: rest.onProgress };
  return Deduper.deduplicateOnce(deduper, records, work, fitSeconds);
}

function needsDeduper(option: string, why: string, received: string): SluiceError {
  return new SluiceError("OPTION_INVALID", `The option ${option} needs a Deduper to compare with: ${why}.`, {
    field: option,
    expected: "against: a Deduper",
    received,
  });
}
