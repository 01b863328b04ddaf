/**
 * A store seen through a scope: the one place where a scope meets a filter, and where every answer is looked at again.
 *
 * The scope is ANDed to whatever is asked. A point of another scope that comes back all the same is an error, not a point to
 * leave out: the store is broken then, and no result of it can be trusted.
 */
import { SluiceError } from "../errors.js";
import type { Filter } from "../filter/filter.js";
import type { ScopeFields } from "../filter/scope.js";
import type { RetrievalStore } from "../retrieve/options.js";
import type {
  Abortable,
  CollectionInfo,
  Hit,
  PointId,
  ReadOptions,
  ScrollOptions,
  ScrollPage,
  SearchOptions,
  StoredPoint,
  TextSearchOptions,
  VectorStore,
} from "../stores/vector-store.js";
import { RECORD_FIELD, SCOPE_FIELDS } from "./record.js";

/** Searches and reads within a scope; what has expired is not there. */
export class ScopedStore implements RetrievalStore {
  readonly #store: RetrievalStore & Pick<VectorStore, "scroll">;
  readonly #scope: ScopeFields;
  readonly #nowMs: number;

  /** @param nowMs what has expired by then is left out. */
  constructor(store: RetrievalStore & Pick<VectorStore, "scroll">, scope: ScopeFields, nowMs: number) {
    this.#store = store;
    this.#scope = scope;
    this.#nowMs = nowMs;
  }

  async searchVectors(
    name: string,
    vector: Float32Array | readonly number[],
    options: SearchOptions = {},
  ): Promise<readonly Hit[]> {
    return this.#checked(
      await this.#store.searchVectors(name, vector, { ...options, ...this.#narrowed(options.filter) }),
    );
  }

  async searchText(name: string, query: string, options: TextSearchOptions = {}): Promise<readonly Hit[]> {
    const filter = withinScope(this.#scope, this.#nowMs, options.filter);
    return this.#checked(await this.#store.searchText(name, query, { ...options, filter }));
  }

  async get(
    name: string,
    ids: readonly PointId[],
    options: ReadOptions = {},
  ): Promise<readonly StoredPoint[]> {
    return this.#checked(await this.#store.get(name, ids, { ...options, withPayload: true }));
  }

  async scroll(name: string, options: ScrollOptions = {}): Promise<ScrollPage> {
    const page = await this.#store.scroll(name, { ...options, ...this.#narrowed(options.filter) });
    return { ...page, points: this.#checked(page.points) };
  }

  collections(options?: Abortable): Promise<readonly CollectionInfo[]> {
    return this.#store.collections(options);
  }

  #narrowed(filter: Filter | undefined): { readonly filter: Filter; readonly withPayload: true } {
    return { filter: withinScope(this.#scope, this.#nowMs, filter), withPayload: true };
  }

  #checked<T extends StoredPoint>(points: readonly T[]): readonly T[] {
    for (const [position, { payload }] of points.entries()) {
      if (liesWithin(payload, this.#scope)) continue;
      throw new SluiceError("SCOPE_VIOLATION", "The store gave back a point of another scope.", {
        position,
        field: SCOPE_FIELDS.find((field) => payload[field] !== this.#scope[field]) ?? "payload",
        expected: "a point within the scope",
        received: "a point outside of it",
      });
    }
    return points;
  }
}

/** Whether a payload lies within a scope. */
export function liesWithin(payload: Readonly<Record<string, unknown>>, scope: ScopeFields): boolean {
  return SCOPE_FIELDS.every((field) => scope[field] === undefined || payload[field] === scope[field]);
}

/**
 * A filter within a scope, without what has expired. Nothing of the filter is replaced: where it names a field of the scope
 * itself, both conditions hold. It grows no deeper than it was. The filter is one that was checked (`checkedFilter`): plain
 * data of ours, in which nothing can stand for something else later.
 */
export function withinScope(scope: ScopeFields, nowMs: number, filter: Filter = {}): Filter {
  const { AND, NOT, ...rest } = filter;
  const expired: Filter = { [`${RECORD_FIELD}.expires_at`]: { lte: new Date(nowMs).toISOString() } };
  const own = Object.entries(rest).filter(([field]) => Object.hasOwn(scope, field));
  const narrower = own.map(([field, condition]): Filter => ({ [field]: condition }));
  const all = [...(AND ?? []), ...narrower];
  return {
    ...rest,
    ...scope,
    ...(all.length === 0 ? {} : { AND: all }),
    NOT: [...(NOT ?? []), expired],
  };
}
