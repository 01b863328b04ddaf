/**
 * Near-duplicates among ranked candidates: the core's dedup over their texts and the vectors the store has of them.
 *
 * The walk goes from the best on, so a copy is always of something better ranked, and the best of a group stays.
 */
import { dedup } from "../dedup/dedup.js";
import { SluiceError } from "../errors.js";
import type { PointId } from "../stores/vector-store.js";
import type { Candidate } from "./candidates.js";
import type { HitDedup } from "./options.js";
import type { Omitted } from "./result.js";

/** What is left, and what went. */
export interface Deduplicated {
  readonly kept: readonly Candidate[];
  readonly omitted: readonly Omitted[];
  /** Candidates without a text or a direction; they were kept, and compared with nothing. */
  readonly notCompared: number;
}

/** Drops copies of better-ranked candidates. */
export async function dropNearDuplicates(
  candidates: readonly Candidate[],
  rules: HitDedup,
  signal: AbortSignal | undefined,
): Promise<Deduplicated> {
  const compared = candidates.filter(isComparable);
  const notCompared = candidates.length - compared.length;
  const dimension = compared[0]?.vector.length ?? 0;
  if (compared.length < 2) return { kept: candidates, omitted: [], notCompared };
  const data = new Float32Array(compared.length * dimension);
  compared.forEach(({ vector }, row) => {
    data.set(vector, row * dimension);
  });
  const { filtered } = await dedup(
    compared.map(({ text }) => text),
    { ...rules, keep: "first", embeddings: { data, dimension }, signal },
  );
  const omitted = filtered.map(({ position, reason, score, duplicateOf }): Omitted => {
    const [copy, kept] = [compared[position], compared[duplicateOf?.position ?? -1]];
    if (copy === undefined || kept === undefined || reason === "empty") {
      throw new SluiceError("INTERNAL", "A near-duplicate has no better-ranked hit that it is a copy of.");
    }
    return {
      id: copy.id,
      score: copy.score,
      reason: "duplicate",
      of: kept.id,
      by: reason,
      similarity: score,
    };
  });
  const gone = new Set<PointId>(omitted.map(({ id }) => id));
  return { kept: candidates.filter(({ id }) => !gone.has(id)), omitted, notCompared };
}

function isComparable(
  candidate: Candidate,
): candidate is Candidate & { readonly text: string; readonly vector: Float32Array } {
  return (
    candidate.text !== undefined &&
    candidate.text.trim() !== "" &&
    candidate.vector?.some((component) => component !== 0) === true
  );
}
