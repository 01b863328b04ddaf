/**
 * Memory: facts about a user, an agent or a run, kept in a store and found by meaning within their scope.
 *
 * The one rule: nothing is asked without a scope. It is an argument of its own, it is ANDed to every filter, and every point
 * that comes back is looked at again. An id alone opens nothing, either.
 */
import { isDeepStrictEqual } from "node:util";
import { untilAborted } from "../abort.js";
import { embedChecked } from "../embed/embedder.js";
import { SluiceError } from "../errors.js";
import type { EntityScope, ScopeFields } from "../filter/scope.js";
import { scopeFields } from "../filter/scope.js";
import { VERSION } from "../package.js";
import type { StageReport } from "../report.js";
import type { RerankStatus } from "../rerank/reranker.js";
import { filterShape } from "../retrieve/filter-shape.js";
import type { Omitted } from "../retrieve/result.js";
import { retrieve } from "../retrieve/retrieve.js";
import { Stopwatch } from "../retrieve/stopwatch.js";
import type { Abortable } from "../stores/vector-store.js";
import { Turns } from "../turns.js";
import { addItems } from "./adding.js";
import type { MemoryAdded } from "./adding.js";
import { checkById, checkSearch, scopeAndFilter } from "./call-check.js";
import { MemoryTable } from "./memory-table.js";
import { checkCall, checkExpiry, checkInputs, checkMetadata, checkText, MEMORY_DEFAULTS } from "./options.js";
import type {
  MemoryAddOptions,
  MemoryChange,
  MemoryConfig,
  MemoryInput,
  MemorySearchOptions,
} from "./options.js";
import { contentId, isExpired, publicMemory, readPoint, textKeyOf, withEvent } from "./record.js";
import type { MemoryEvent, MemoryHistory, MemoryPoint, StoredMemory } from "./record.js";
import { hashedScope, tell } from "./telemetry.js";
import { earlierEvents, tombstoneOf } from "./tombstone.js";

/** What became of every item, in order. */
export interface MemoryAddResult {
  readonly items: readonly MemoryAdded[];
  readonly report: StageReport;
}

/** A memory that was found. */
export interface FoundMemory extends StoredMemory {
  /** The cosine of its vector, whatever the order comes from. */
  readonly score: number;
  /** Only when asked for. */
  readonly explain?: {
    readonly vectorScore: number;
    readonly rerankScore?: number;
    readonly threshold: number;
  };
}

/** What a search gives, best first. */
export interface MemorySearchResult {
  readonly results: readonly FoundMemory[];
  readonly scope: ScopeFields;
  /** Memories among the nearest that lie below the threshold. */
  readonly filteredOut: number;
  readonly omitted: readonly Omitted[];
  readonly rerank: RerankStatus;
  readonly report: StageReport;
}

/** What an update did; `NONE` where nothing was different. */
export interface MemoryUpdated {
  readonly id: string;
  readonly event: "UPDATE" | "NONE";
  readonly version: number;
}

/** What was forgotten, by place. */
export interface ForgetReceipt {
  readonly scope: ScopeFields;
  readonly at: string;
  readonly deleted: {
    /** Points with their vectors, texts, entries in the full text, and histories. */
    readonly memories: number;
    /** What was left of memories deleted before. */
    readonly tombstones: number;
  };
}

/** The memory of agents. Calls that write run one after another. */
export class Memory {
  readonly #config: MemoryConfig;
  readonly #table: MemoryTable;
  readonly #clock: () => number;
  readonly #turns = new Turns();

  /** Nothing is opened before the first call. */
  constructor(config: MemoryConfig) {
    checkCall("config", config);
    this.#config = config;
    this.#clock = config.clock ?? Date.now;
    const collection = config.collection ?? MEMORY_DEFAULTS.collection;
    this.#table = new MemoryTable({ ...config, collection });
  }

  /** Adds facts to a scope. What is known already is not written again; a fact that fails does not stop the others. */
  async add(
    scope: EntityScope,
    items: ReadonlyArray<string | MemoryInput>,
    options: MemoryAddOptions = {},
  ): Promise<MemoryAddResult> {
    checkCall("add", options);
    const fields = scopeFields(scope);
    const nowMs = this.#now();
    const inputs = checkInputs(items, nowMs);
    const { signal } = options;
    const dedup = options.dedup ?? MEMORY_DEFAULTS.dedup;
    const { embedder, ids = contentId } = this.#config;
    const watch = new Stopwatch();
    const { added, embedded } = await this.#write(signal, () =>
      addItems(inputs, { table: this.#table, embedder, ids, scope: fields, dedup, nowMs, signal }),
    );
    const count = (event: MemoryAdded["event"]): number =>
      added.filter((item) => item.event === event).length;
    const counts = {
      items: added.length,
      embedded,
      added: count("ADD"),
      updated: count("UPDATE"),
      known: count("NONE"),
      failed: count("FAILED"),
    };
    return {
      items: added,
      report: {
        stage: "memory_add",
        version: VERSION,
        options: { dedup, embedder: embedder.id, collection: this.#table.collection },
        counts,
        seconds: watch.read(),
        bytes: {},
        limits: counts.failed === 0 ? [] : [`${counts.failed} items were not written; see their events.`],
      },
    };
  }

  /**
   * Finds memories by meaning. A blank query, or a `topK` of 0, finds nothing, and nothing is embedded. Errors:
   * `SCOPE_REQUIRED` and the other codes of scopes and filters; `SCOPE_VIOLATION` where a store gives back what lies
   * outside of the scope.
   */
  async search(query: string, options: MemorySearchOptions): Promise<MemorySearchResult> {
    checkSearch(query, options);
    const { scope, filter } = scopeAndFilter(options);
    const { embedder, reranker, rerankPool, rerankTimeoutMs, onSearch } = this.#config;
    const { signal } = options;
    const topK = options.topK ?? MEMORY_DEFAULTS.topK;
    const threshold = options.threshold ?? MEMORY_DEFAULTS.threshold;
    const nowMs = this.#now();
    if (query.trim() !== "" && topK > 0) await this.#open(signal);

    const found = await retrieve(this.#table.within(scope, nowMs), {
      collection: this.#table.collection,
      query,
      embedder,
      topK,
      filter,
      minScore: threshold,
      signal,
      ...(options.rerank === true && { reranker, rerankPool, rerankTimeoutMs }),
    });
    const results = found.results.map((hit): FoundMemory => {
      const { score, rerankScore } = hit;
      const explain = {
        vectorScore: score,
        ...(rerankScore === undefined ? {} : { rerankScore }),
        threshold,
      };
      return { ...publicMemory(readPoint(hit)), score, ...(options.explain === true && { explain }) };
    });
    const { fields: filterKeys, advanced } = filterShape(filter);
    const event = {
      version: VERSION,
      limit: topK,
      threshold,
      filterKeys,
      advanced,
      scope: hashedScope(scope),
      rerank: found.rerank.status,
      results: results.length,
      seconds: found.report.seconds["total"] ?? 0,
    };
    const report = onSearch === undefined ? found.report : told(found.report, tell(onSearch, event));
    const { omitted, rerank } = found;
    const filteredOut = omitted.filter(({ reason }) => reason === "below_floor").length;
    return { results, scope, filteredOut, omitted, rerank, report };
  }

  /** A memory by id; undefined where the scope has none of that id, or it has expired. */
  async get(scope: EntityScope, given: string, options: Abortable = {}): Promise<StoredMemory | undefined> {
    const { fields, id } = checkById(scope, given, options);
    const nowMs = this.#now();
    await this.#open(options.signal);
    const memory = await untilAborted(() => this.#find(fields, id, options.signal), options.signal);
    return memory === undefined || isExpired(memory.record, nowMs) ? undefined : publicMemory(memory);
  }

  /** Changes a memory; `MEMORY_MISSING` where `get` gives none. */
  async update(
    scope: EntityScope,
    given: string,
    change: MemoryChange,
    options: Abortable = {},
  ): Promise<MemoryUpdated> {
    const { fields, id } = checkById(scope, given, options);
    checkCall("change", change);
    const nowMs = this.#now();
    const text = change.text === undefined ? undefined : checkText(change.text, 0);
    const metadata = change.metadata === undefined ? undefined : checkMetadata(change.metadata, 0);
    const { expiresAt: end } = change;
    const expiresAt = end === undefined || end === null ? end : checkExpiry(end, nowMs, 0);
    const { signal } = options;
    return this.#write(signal, async () => {
      const memory = await this.#find(fields, id, signal);
      if (memory === undefined || isExpired(memory.record, nowMs)) throw missing();
      const { record } = memory;
      const newText = text ?? memory.text;
      const newMetadata = metadata ?? memory.metadata;
      const { expires_at: formerEnd, ...kept } = record;
      const ends = expiresAt === undefined ? formerEnd : (expiresAt ?? undefined);
      // The same call again, after an answer that was lost, must not push events out of the history.
      if (newText === memory.text && ends === formerEnd && isDeepStrictEqual(newMetadata, memory.metadata)) {
        return { id, event: "NONE", version: record.version };
      }
      const vector =
        newText === memory.text ? await this.#table.vectorOf(id, signal) : await this.#embed(newText, signal);
      if (vector === undefined) throw missing();
      const at = new Date(nowMs).toISOString();
      const version = record.version + 1;
      await this.#table.writeOne(
        memory.scope,
        {
          id,
          text: newText,
          metadata: newMetadata,
          vector,
          record: {
            ...kept,
            text_key: textKeyOf(memory.scope, newText),
            version,
            updated_at: at,
            ...(ends === undefined ? {} : { expires_at: ends }),
            ...withEvent(record, memory.text, { event: "UPDATE", at }),
          },
        },
        signal,
      );
      return { id, event: "UPDATE", version };
    });
  }

  /** Forgets one memory: its texts are gone, and its history says only when what happened. None of that id: counts of 0. */
  async delete(scope: EntityScope, given: string, options: Abortable = {}): Promise<ForgetReceipt> {
    const { fields, id } = checkById(scope, given, options);
    const { signal } = options;
    const at = new Date(this.#now()).toISOString();
    return this.#write(signal, async () => {
      const memory = await this.#find(fields, id, signal);
      if (memory === undefined) return { scope: fields, at, deleted: { memories: 0, tombstones: 0 } };
      const before = await this.#table.tombstone(memory.scope, id, signal);
      const memories = await this.#table.bury(memory, tombstoneOf(memory, before, at), signal);
      return { scope: fields, at, deleted: { memories, tombstones: 0 } };
    });
  }

  /** Forgets everything of a scope, the narrower ones in it and what deletions left included. */
  async deleteAll(scope: EntityScope, options: Abortable = {}): Promise<ForgetReceipt> {
    checkCall("call", options);
    const fields = scopeFields(scope);
    const { signal } = options;
    const at = new Date(this.#now()).toISOString();
    return this.#write(signal, async () => {
      const { left, memories, tombstones } = await this.#table.forget(fields, signal);
      if (left === 0) return { scope: fields, at, deleted: { memories, tombstones } };
      throw new SluiceError(
        "PARTIAL_WRITE",
        "Somebody wrote while a scope was being forgotten; forget again.",
        {
          expected: "0 points left",
          received: `${left} points`,
        },
      );
    });
  }

  /** What happened to a memory, oldest first; expired and deleted ones included. */
  async history(scope: EntityScope, given: string, options: Abortable = {}): Promise<MemoryHistory> {
    const { fields, id } = checkById(scope, given, options);
    const { signal } = options;
    await this.#open(signal);
    const memory = await untilAborted(() => this.#find(fields, id, signal), signal);
    const tombstone = await untilAborted(() => this.#table.tombstone(fields, id, signal), signal);
    const earlier = earlierEvents(tombstone, memory);
    const events = [...earlier, ...(memory === undefined ? (tombstone?.events ?? []) : eventsOf(memory))];
    const dropped = (tombstone?.dropped ?? 0) + (memory?.record.history_dropped ?? 0);
    const status = memory !== undefined ? "there" : tombstone !== undefined ? "deleted" : "unknown";
    return { id, status, events, dropped };
  }

  /** The time; a caller's clock may give anything. */
  #now(): number {
    const nowMs: unknown = this.#clock();
    if (typeof nowMs === "number" && Math.abs(nowMs) <= DATE_MS_MAX) return nowMs;
    throw new SluiceError("OPTION_INVALID", "The clock must give milliseconds since 1970.", {
      field: "clock",
      expected: "a function that gives a finite number",
      received: typeof nowMs === "number" ? String(nowMs) : nowMs === null ? "null" : typeof nowMs,
    });
  }

  async #find(
    scope: ScopeFields,
    id: string,
    signal: AbortSignal | undefined,
  ): Promise<MemoryPoint | undefined> {
    const found = await this.#table.find(scope, [id], signal);
    return found.get(id);
  }

  async #embed(text: string, signal: AbortSignal | undefined): Promise<Float32Array> {
    return embedChecked(this.#config.embedder, [text], { signal });
  }

  async #open(signal: AbortSignal | undefined): Promise<void> {
    await untilAborted(() => this.#table.open(signal), signal);
  }

  /** One writing call after another: each reads before it writes. */
  async #write<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    await this.#open(signal);
    return untilAborted(
      () =>
        this.#turns.next(() => {
          // It may have been aborted while it waited.
          signal?.throwIfAborted();
          return work();
        }),
      signal,
    );
  }
}

/** Milliseconds from 1970 to the last day that a date can be. */
const DATE_MS_MAX = 8.64e15;

/** The report of a search with what came of telling the listener. */
function told(report: StageReport, outcome: "told" | "failed"): StageReport {
  const failed = outcome === "failed";
  return {
    ...report,
    counts: { ...report.counts, listener_failed: failed ? 1 : 0 },
    limits: failed ? [...report.limits, "The listener onSearch failed; the search did not."] : report.limits,
  };
}

/** The last event's text is that of the memory. */
function eventsOf({ record, text }: MemoryPoint): readonly MemoryEvent[] {
  const last = record.history.at(-1);
  return last === undefined ? [] : [...record.history.slice(0, -1), { ...last, text }];
}

function missing(): SluiceError {
  return new SluiceError("MEMORY_MISSING", "The scope has no memory of that id.", { field: "id" });
}
