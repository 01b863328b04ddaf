/**
 * Index backends by name: those of the core, and those that a user registers.
 *
 * A registered backend only chooses candidates. The index holds the rows itself, narrows by the filter before it asks,
 * scores what comes back by the canonical score, and fills up what is missing: a wrong backend costs recall or time,
 * never a wrong score.
 */
import type { Metric } from "../metric.js";
import { SluiceError } from "../errors.js";
import { callNative } from "../native.js";

/** Slots that may be found: a set with an order. */
export interface SlotSet {
  /** How many. */
  readonly size: number;
  /** The slots, ascending. */
  readonly slots: Uint32Array;
  /** Whether a slot is one of them. */
  has(slot: number): boolean;
}

/** What every call of a backend is given besides. */
export interface BackendCall {
  /** Stops the call; its reason is what the caller is told. */
  readonly signal?: AbortSignal | undefined;
}

/** Slots as a backend gives them; their order is of no account. */
export type SlotList = Uint32Array | readonly number[];

/**
 * Rows by slot, searchable. Slots count from zero in order of adding. Rows and queries come checked: finite, of the
 * right length, and for the cosine at length one.
 */
export interface IndexBackend {
  /** Adds rows, end to end, at the next slots; all of them or, where it throws, none. */
  add(rows: Float32Array, call: BackendCall): void | Promise<void>;
  /** Chooses the best `k` slots of `among`, or more; all of them where there are fewer. */
  topK(query: Float32Array, k: number, among: SlotSet, call: BackendCall): SlotList | Promise<SlotList>;
  /** Chooses the slots of `among` that score at least `threshold`, or more. */
  atLeast(
    query: Float32Array,
    threshold: number,
    among: SlotSet,
    call: BackendCall,
  ): SlotList | Promise<SlotList>;
  /** Gives back what it holds. */
  close?(): void | Promise<void>;
}

/** What a registered backend is made from: its own arguments besides. It refuses those it does not know. */
export interface BackendSetup {
  readonly dimension: number;
  readonly metric: Metric;
  /** The arguments that are not the index's own. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** Makes a backend without rows. */
export type BackendFactory = (setup: BackendSetup) => IndexBackend | Promise<IndexBackend>;

const registered = new Map<string, BackendFactory>();

/** The names of all backends: those of the core, then the registered ones. */
export function backendNames(): readonly string[] {
  return [...callNative((core) => core.indexBackends()), ...registered.keys()];
}

/**
 * Makes a backend of yours known by a name, for this process. A file that was saved with it is loaded where the name is
 * registered again. Test it with `backendConformance` of `sluice/testing`. Example: `test/index/conformance.test.ts`.
 */
export function registerBackend(name: string, factory: BackendFactory): void {
  const taken = typeof (name as unknown) === "string" && backendNames().includes(name);
  if (typeof (name as unknown) !== "string" || name === "" || taken) {
    throw new SluiceError("OPTION_INVALID", "A backend needs a name that no other backend has.", {
      field: "name",
      expected: `a text, but none of ${backendNames().join(", ")}`,
      received: taken ? name : typeof name,
    });
  }
  if (typeof (factory as unknown) !== "function") {
    throw new SluiceError("OPTION_INVALID", "A backend is registered with a function that makes one.", {
      field: "factory",
      expected: "function",
      received: typeof factory,
    });
  }
  registered.set(name, factory);
}

/** The factory of a registered name; none for a backend of the core; `BACKEND_UNKNOWN` for any other name. */
export function factoryOf(name: string): BackendFactory | undefined {
  const names = backendNames();
  if (names.includes(name)) return registered.get(name);
  throw new SluiceError("BACKEND_UNKNOWN", `There is no index backend of that name.`, {
    field: "backend",
    expected: names.join(", "),
    received: typeof (name as unknown) === "string" ? name : typeof name,
  });
}
