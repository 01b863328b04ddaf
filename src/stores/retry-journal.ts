/**
 * Points that a store neither confirmed nor refused, kept until it confirms them.
 *
 * After a node failure the copies of a collection may differ without anyone noticing; sending the same points again, with the
 * same ids, is what makes them equal. The newest point of an id is the one that counts.
 */
import type { CheckedPoint } from "./store-driver.js";
import { wireText, type WireId } from "./point-id.js";

/** Where such points wait. The default keeps them in memory; one in a file survives a restart. */
export interface RetryJournal {
  /** Keeps points; a point with the same id is replaced. */
  put(collection: string, points: readonly CheckedPoint[]): Promise<void>;
  /** Forgets points: they were confirmed, replaced or deleted. */
  remove(collection: string, ids: readonly WireId[]): Promise<void>;
  /** The points of a collection, in the order they were kept. */
  pending(collection: string): Promise<readonly CheckedPoint[]>;
  /** The collections that have points here. */
  collections(): Promise<readonly string[]>;
}

/** A journal that lives as long as the hub. */
export class MemoryJournal implements RetryJournal {
  readonly #points = new Map<string, Map<string, CheckedPoint>>();

  put(collection: string, points: readonly CheckedPoint[]): Promise<void> {
    const kept = this.#points.get(collection) ?? new Map<string, CheckedPoint>();
    if (points.length > 0) this.#points.set(collection, kept);
    for (const point of points) kept.set(wireText(point.wire), point);
    return Promise.resolve();
  }

  remove(collection: string, ids: readonly WireId[]): Promise<void> {
    const kept = this.#points.get(collection);
    if (kept !== undefined) {
      for (const id of ids) kept.delete(wireText(id));
      if (kept.size === 0) this.#points.delete(collection);
    }
    return Promise.resolve();
  }

  pending(collection: string): Promise<readonly CheckedPoint[]> {
    return Promise.resolve([...(this.#points.get(collection)?.values() ?? [])]);
  }

  collections(): Promise<readonly string[]> {
    return Promise.resolve([...this.#points.keys()].toSorted());
  }
}
