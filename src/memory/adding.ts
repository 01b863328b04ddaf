/**
 * Adding: which items are new, which are known, and what became of each one.
 *
 * An item is known when its very text lies in its very scope, under a hash that the store can look up; or, if asked for, when
 * another text says the same and no guard sees a difference in fact. Ids come from the content, so that an add that was cut
 * off, or that two processes make at once, ends in one memory.
 */
import { isDeepStrictEqual } from "node:util";
import { embedChecked } from "../embed/embedder.js";
import type { Embedder } from "../embed/embedder.js";
import { SluiceError } from "../errors.js";
import type { Filter } from "../filter/filter.js";
import type { ScopeFields } from "../filter/scope.js";
import { GUARDS, veto } from "../guard/veto.js";
import { idInOneForm } from "../stores/point-id.js";
import type { FailedPoint } from "../stores/vector-store.js";
import type { MemoryRow, MemoryTable } from "./memory-table.js";
import { MEMORY_DEFAULTS } from "./options.js";
import type { CheckedInput, SemanticDedup } from "./options.js";
import {
  contentId,
  isExpired,
  readPoint,
  RECORD_FIELD,
  SCOPE_FIELDS,
  seedOf,
  textKeyOf,
  withEvent,
} from "./record.js";
import type { MemoryPoint } from "./record.js";
import { tombstoneOf } from "./tombstone.js";

/** What became of an item. */
export type MemoryAdded = { readonly position: number } & (
  | { readonly event: "ADD"; readonly id: string }
  /** It is there already, under `id`; nothing was written. */
  | {
      readonly event: "NONE";
      readonly id: string;
      readonly by: "exact" | "semantic";
      readonly similarity: number;
    }
  /** It replaced what was there under `id`. */
  | { readonly event: "UPDATE"; readonly id: string; readonly version: number }
  /** It was not written, or the store did not confirm it. The same add again is safe. */
  | {
      readonly event: "FAILED";
      readonly id: string;
      readonly code: string;
      readonly message: string;
      readonly retryable: boolean;
    }
);

/** What adding needs to know. */
export interface AddContext {
  readonly table: MemoryTable;
  readonly embedder: Embedder;
  readonly ids: (content: string) => string;
  readonly scope: ScopeFields;
  readonly dedup: "exact" | SemanticDedup;
  readonly nowMs: number;
  readonly signal: AbortSignal | undefined;
}

/** What was added, and how many texts were embedded for it. */
export interface Adding {
  readonly added: readonly MemoryAdded[];
  readonly embedded: number;
}

/** Neighbours that a fact is compared with; a guard may speak up for some. */
const NEIGHBOURS = 8;
/** Ids that are tried for one text. Every update away from that text takes one. */
const ID_ATTEMPTS = 100;

/** Adds items, in order. */
export async function addItems(inputs: readonly CheckedInput[], context: AddContext): Promise<Adding> {
  const added: MemoryAdded[] = [];
  let embedded = 0;
  for (const group of groupsOf(inputs, context.dedup)) {
    context.signal?.throwIfAborted();
    const step = await addGroup(group, context);
    added.push(...step.added);
    embedded += step.embedded;
  }
  return { added, embedded };
}

/**
 * Items that can be decided on together. A key twice in one list means one after the other; and what is compared by meaning
 * must find what was written just before it.
 */
function groupsOf(inputs: readonly CheckedInput[], dedup: AddContext["dedup"]): CheckedInput[][] {
  if (dedup !== "exact") return inputs.map((input) => [input]);
  const groups: CheckedInput[][] = [];
  let keys = new Set<string>();
  for (const input of inputs) {
    const group = groups.at(-1);
    if (group === undefined || (input.key !== undefined && keys.has(input.key))) {
      groups.push([input]);
      keys = new Set();
    } else {
      group.push(input);
    }
    if (input.key !== undefined) keys.add(input.key);
  }
  return groups;
}

/** An item, and what shall become of it. */
type Decision = { readonly input: CheckedInput } & (
  | {
      readonly kind: "known";
      readonly id: string;
      readonly by: "exact" | "semantic";
      readonly similarity: number;
    }
  /** `ended`: what has expired under that id, and begins anew. */
  | { readonly kind: "add"; readonly id: string; readonly ended: MemoryPoint | undefined }
  | { readonly kind: "rewrite"; readonly former: MemoryPoint }
);

async function addGroup(inputs: readonly CheckedInput[], context: AddContext): Promise<Adding> {
  const decisions = await decideExactly(inputs, context);
  const changing = decisions.filter(({ kind }) => kind !== "known");
  const texts = changing.map(({ input }) => input.text);
  const { embedder, signal, table, scope } = context;
  const vectors = texts.length === 0 ? new Float32Array() : await embedChecked(embedder, texts, { signal });
  const vectorOf = new Map(
    changing.map(({ input }, row) => [
      input.position,
      vectors.subarray(row * embedder.dimension, (row + 1) * embedder.dimension),
    ]),
  );

  const settled: Decision[] = [];
  for (const decision of decisions) {
    const vector = vectorOf.get(decision.input.position);
    settled.push(vector === undefined ? decision : await decideByMeaning(decision, vector, context));
  }
  // First what ended is written down, so that a crash in between loses nothing of it.
  const unended = await endExpired(settled, context);
  const writing = settled.filter((decision) => decision.kind !== "known" && !unended.has(idOf(decision)));
  const rows = writing.flatMap((decision) =>
    decision.kind === "known" ? [] : [rowOf(decision, vectorOf, context)],
  );
  const failures = await table.write(scope, rows, signal);
  const unwritten = [...failures].map(([index, failure]) => [rows[index]?.id, failure] as const);
  const failedIds = new Map<string | undefined, FailedPoint>([...unended, ...unwritten]);

  const added = settled.map((decision): MemoryAdded => {
    const { position } = decision.input;
    const id = idOf(decision);
    const failure = failedIds.get(id);
    if (failure !== undefined) {
      const { code, message, retryable } = failure;
      return { position, event: "FAILED", id, code, message, retryable };
    }
    switch (decision.kind) {
      case "add":
        return { position, event: "ADD", id };
      case "rewrite":
        return { position, event: "UPDATE", id, version: decision.former.record.version + 1 };
      case "known":
        return { position, event: "NONE", id, by: decision.by, similarity: decision.similarity };
    }
  });
  return { added, embedded: texts.length };
}

function idOf(decision: Decision): string {
  return decision.kind === "rewrite" ? decision.former.id : decision.id;
}

/** Writes down the lives that expiry ended before others begin under their ids; gives the failures by id. */
async function endExpired(
  decisions: readonly Decision[],
  { table, scope, signal }: AddContext,
): Promise<ReadonlyMap<string, FailedPoint>> {
  const ended = decisions.flatMap((decision) =>
    decision.kind === "add" && decision.ended !== undefined ? [decision.ended] : [],
  );
  if (ended.length === 0) return new Map();
  const ids = ended.map(({ id }) => id);
  const before = await table.tombstones(scope, ids, signal);
  return table.entomb(
    ended.map((memory) => {
      const { expires_at: end, updated_at: latest } = memory.record;
      return [memory, tombstoneOf(memory, before.get(memory.id), end ?? latest)] as const;
    }),
    signal,
  );
}

/** Decides by keys and hashes. */
async function decideExactly(
  inputs: readonly CheckedInput[],
  context: AddContext,
): Promise<readonly Decision[]> {
  const { table, scope, nowMs, signal } = context;
  const keyed = inputs.flatMap(({ key }) => (key === undefined ? [] : [idOfKey(scope, key)]));
  const byId = await table.takenBy(keyed, signal);
  const unkeyed = inputs.filter(({ key }) => key === undefined).map(({ text }) => textKeyOf(scope, text));
  const known = await table.byTextKeys(scope, [...new Set(unkeyed)], nowMs, signal);
  const fresh = await freshIds(
    inputs.filter(({ key, text }) => key === undefined && !known.has(textKeyOf(scope, text))),
    context,
  );

  const seen = new Set<string>();
  return inputs.map((input): Decision => {
    if (input.key !== undefined) {
      const id = idOfKey(scope, input.key);
      const former = byId.get(id);
      if (former === undefined) return { kind: "add", input, id, ended: undefined };
      // A caller's `ids` may have given it away.
      if (former.record.key !== input.key || !isOfVeryScope(former, scope))
        throw noFreeId("1 id that is taken");
      if (isExpired(former.record, nowMs)) return { kind: "add", input, id, ended: former };
      return isSame(former, input)
        ? { kind: "known", input, id, by: "exact", similarity: 1 }
        : { kind: "rewrite", input, former };
    }
    const textKey = textKeyOf(scope, input.text);
    const free = fresh.get(textKey);
    const id = known.get(textKey)?.id ?? free?.id;
    if (id === undefined) throw new SluiceError("INTERNAL", "An item is neither known nor new.");
    if (known.has(textKey) || seen.has(textKey)) {
      return { kind: "known", input, id, by: "exact", similarity: 1 };
    }
    seen.add(textKey);
    return { kind: "add", input, id, ended: free?.ended };
  });
}

/** An id that no other memory has, and what has expired under it. */
interface FreeId {
  readonly id: string;
  readonly ended: MemoryPoint | undefined;
}

/** An id for each new text, by its key: one that no other memory has. */
async function freshIds(
  inputs: readonly CheckedInput[],
  { table, scope, ids, nowMs, signal }: AddContext,
): Promise<ReadonlyMap<string, FreeId>> {
  const found = new Map<string, FreeId>();
  let open = new Map(inputs.map(({ text }) => [textKeyOf(scope, text), text]));
  for (let attempt = 0; open.size > 0; attempt += 1) {
    if (attempt === ID_ATTEMPTS) throw noFreeId(`${ID_ATTEMPTS} ids that are taken`);
    const wanted = [...open].map(([textKey, text]) => ({
      textKey,
      text,
      id: madeId(ids(attempt === 0 ? seedOf(scope, "text", text) : seedOf(scope, "text", text, attempt))),
    }));
    const taken = await table.takenBy([...new Set(wanted.map(({ id }) => id))], signal);
    const mine = new Set([...found.values()].map(({ id }) => id));
    open = new Map();
    for (const { textKey, text, id } of wanted) {
      const holder = taken.get(id);
      // The same memory, come to its end: it begins anew.
      const isFree =
        holder === undefined || (holder.record.text_key === textKey && isExpired(holder.record, nowMs));
      if (isFree && !mine.has(id)) {
        mine.add(id);
        found.set(textKey, { id, ended: holder });
      } else {
        open.set(textKey, text);
      }
    }
  }
  return found;
}

function noFreeId(received: string): SluiceError {
  return new SluiceError("OPTION_INVALID", "No free id was found for a memory.", {
    field: "ids",
    expected: "another id for another content",
    received,
  });
}

/** An id that the caller's function made, in the one form that the store knows it by: two forms would be two ids. */
function madeId(id: unknown): string {
  if (typeof id !== "string" || id === "") throw wrongId(id === "" ? "an empty text" : typeof id);
  try {
    return String(idInOneForm(id));
  } catch (error) {
    throw error instanceof SluiceError ? wrongId(error.details.received ?? "another text") : error;
  }
}

function wrongId(received: string): SluiceError {
  return new SluiceError("OPTION_INVALID", "The function ids must give a text that can be an id.", {
    field: "ids",
    expected: "a function that gives a UUID or another text",
    received,
  });
}

function isOfVeryScope({ scope }: MemoryPoint, wanted: ScopeFields): boolean {
  return SCOPE_FIELDS.every((field) => scope[field] === wanted[field]);
}

/** Looks whether a new fact is known in other words. */
async function decideByMeaning(
  decision: Decision,
  vector: Float32Array,
  { table, scope, dedup, nowMs, signal }: AddContext,
): Promise<Decision> {
  const { input } = decision;
  if (dedup === "exact" || decision.kind !== "add" || input.key !== undefined) return decision;
  // Without a direction there is nothing to compare; the store will say so.
  if (vector.every((component) => component === 0)) return decision;
  const hits = await table.within(scope, nowMs).searchVectors(table.collection, vector, {
    topK: NEIGHBOURS,
    scoreThreshold: dedup.threshold ?? MEMORY_DEFAULTS.semanticThreshold,
    filter: unkeyedOfVeryScope(scope),
    signal,
  });
  const guards = dedup.guards ?? GUARDS;
  const same = hits.find(({ text }) => text !== undefined && veto(text, input.text, guards) === null);
  if (same === undefined) return decision;
  const former = readPoint(same);
  return dedup.keep === "new"
    ? { kind: "rewrite", input, former }
    : { kind: "known", input, id: former.id, by: "semantic", similarity: same.score };
}

/** A scope holds the narrower ones, too; a fact of one of those is another's. */
function unkeyedOfVeryScope(scope: ScopeFields): Filter {
  const foreign = SCOPE_FIELDS.filter((field) => scope[field] === undefined);
  return { NOT: [{ [`${RECORD_FIELD}.key`]: "*" }, ...foreign.map((field): Filter => ({ [field]: "*" }))] };
}

function rowOf(
  decision: Exclude<Decision, { kind: "known" }>,
  vectorOf: ReadonlyMap<number, Float32Array>,
  { scope, nowMs }: AddContext,
): MemoryRow {
  const { input } = decision;
  const { text, metadata, expiresAt, key } = input;
  const vector = vectorOf.get(input.position);
  if (vector === undefined) throw new SluiceError("INTERNAL", "A memory was to be written without a vector.");
  const at = new Date(nowMs).toISOString();
  const ends = expiresAt === undefined ? {} : { expires_at: expiresAt };
  if (decision.kind === "rewrite") {
    const { id, text: formerText, record } = decision.former;
    const { expires_at: _former, ...kept } = record;
    const history = withEvent(record, formerText, { event: "UPDATE", at });
    const changed = { text_key: textKeyOf(scope, text), version: record.version + 1, updated_at: at };
    return { id, text, metadata, vector, record: { ...kept, ...changed, ...ends, ...history } };
  }
  const record = {
    text_key: textKeyOf(scope, text),
    ...(key === undefined ? {} : { key }),
    version: 1,
    created_at: at,
    updated_at: at,
    ...ends,
    history: [{ event: "ADD", at } as const],
    history_dropped: 0,
  };
  return { id: decision.id, text, metadata, vector, record };
}

function isSame(former: MemoryPoint, { text, metadata, expiresAt }: CheckedInput): boolean {
  return (
    former.text === text &&
    former.record.expires_at === expiresAt &&
    isDeepStrictEqual(former.metadata, metadata)
  );
}

function idOfKey(scope: ScopeFields, key: string): string {
  return contentId(seedOf(scope, "key", key));
}
