/**
 * The slots that a search may find, and the check of what a backend chose among them.
 */
import { types } from "node:util";
import { SluiceError } from "../errors.js";
import type { SlotSet } from "./index-backend.js";

/** Ascending slots that nobody outside can change. */
export class AllowedSlots {
  readonly slots: Uint32Array;

  constructor(slots: Uint32Array) {
    this.slots = slots;
  }

  has(slot: number): boolean {
    const { slots } = this;
    let [low, high] = [0, slots.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((slots[middle] ?? 0) < slot) low = middle + 1;
      else high = middle;
    }
    return slots[low] === slot;
  }

  /**
   * The set as a backend sees it: its list is a copy, made when the backend asks for it, so that whatever the backend
   * writes there never lets it find what the filter excludes.
   */
  view(): SlotSet {
    const { slots } = this;
    let copy: Uint32Array | undefined;
    return Object.freeze({
      size: slots.length,
      get slots() {
        return (copy ??= slots.slice());
      },
      has: (slot: number) => this.has(slot),
    });
  }

  /** The slots that a backend chose, each once; anything but a list of slots that may be found is `BACKEND_FAILED`. */
  chosen(answer: unknown): Uint32Array {
    if (!types.isUint32Array(answer) && !Array.isArray(answer)) {
      throw outside(
        "a Uint32Array or an array of slots",
        answer === null ? "null" : typeof answer,
        "The index backend gave no list of slots.",
      );
    }
    const list: ArrayLike<unknown> = answer;
    const slots = new Set<number>();
    const { length } = list;
    // Not by its iterator, which may never end: a list is as long as it says.
    for (let at = 0; at < length; at++) {
      const slot = list[at];
      if (typeof slot !== "number" || !this.has(slot)) {
        throw outside(
          `one of ${this.slots.length} slots`,
          typeof slot === "number" ? String(slot) : typeof slot,
          "The index backend gave a slot that may not be found.",
        );
      }
      slots.add(slot);
    }
    return Uint32Array.from(slots);
  }
}

function outside(expected: string, received: string, message: string): SluiceError {
  return new SluiceError("BACKEND_FAILED", message, { expected, received });
}
