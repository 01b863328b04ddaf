/**
 * A store in plain sight: a map and a loop over it. What every other store must agree with.
 *
 * It is behind the real hub, so all checks, splitting and retries are the real ones; only the driver is this one. Scores are
 * computed in 64 bits, filters are read off their tree by the definition.
 */
import type { Metric } from "../../src/metric.js";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import type { StoreConfig } from "../../src/stores/store-config.js";
import { compareWireIds, wireText } from "../../src/stores/point-id.js";
import type { FilterTree } from "../../src/stores/filter-tree.js";
import { StoreFailure } from "../../src/stores/store-driver.js";
import type {
  CheckedPoint,
  CollectionSchema,
  DriverHealth,
  DriverLimits,
  EncodedPoint,
  OpenCollection,
  ScrollRequest,
  SearchRequest,
  Selection,
  StoreDriver,
  Which,
} from "../../src/stores/store-driver.js";
import type { Hit, StoredPoint } from "../../src/stores/vector-store.js";

/** A new, empty store. */
export function referenceStore(config: Omit<StoreConfig, "store"> = {}): VectorStoreHub {
  return new VectorStoreHub({ ...config, store: new ReferenceDriver() });
}

interface Kept {
  readonly collection: OpenCollection;
  readonly points: Map<string, CheckedPoint>;
}

/** The driver; a test may make calls of it fail by replacing them. */
export class ReferenceDriver implements StoreDriver {
  readonly kind: string = "reference";
  readonly limits: DriverLimits = { pointsMax: 256, bytesAim: 4_194_304, pointBytesMax: 25_165_824 };
  readonly #collections = new Map<string, Kept>();

  initialize(): Promise<void> {
    return Promise.resolve();
  }

  ensureCollection(name: string, schema: CollectionSchema): Promise<OpenCollection> {
    const there = this.#collections.get(name);
    if (there !== undefined) return Promise.resolve(there.collection);
    const { dimension, metric, embedderId, foldedFields } = schema;
    const collection: OpenCollection = {
      name,
      dimension,
      metric,
      ...(embedderId === undefined ? {} : { embedderId }),
      foldedFields,
      replicas: 1,
      indexes: {},
      status: "green",
    };
    this.#collections.set(name, { collection, points: new Map() });
    return Promise.resolve(collection);
  }

  collection(name: string): Promise<OpenCollection | undefined> {
    return Promise.resolve(this.#collections.get(name)?.collection);
  }

  collectionNames(): Promise<readonly string[]> {
    return Promise.resolve([...this.#collections.keys()]);
  }

  encode(_collection: OpenCollection, point: CheckedPoint): EncodedPoint {
    return { point, body: "", bytes: point.vector.byteLength + Buffer.byteLength(point.payloadJson) };
  }

  write({ name }: OpenCollection, points: readonly EncodedPoint[]): Promise<undefined> {
    const kept = this.#kept(name);
    for (const { point } of points) kept.set(wireText(point.wire), point);
    return Promise.resolve(undefined);
  }

  search({ name, metric }: OpenCollection, request: SearchRequest): Promise<readonly Hit[]> {
    const { vector, topK, filter, scoreThreshold } = request;
    const hits = this.#matching(name, filter)
      .map((point) => ({ point, score: similarity(metric, vector, point.vector) }))
      .filter(({ score }) => scoreThreshold === undefined || score >= scoreThreshold)
      .toSorted(
        (left, right) => right.score - left.score || compareWireIds(left.point.wire, right.point.wire),
      )
      .slice(0, topK);
    return Promise.resolve(hits.map(({ point, score }) => ({ ...storedPoint(point, request.with), score })));
  }

  get(
    { name }: OpenCollection,
    ids: ReadonlyArray<number | bigint | string>,
    selection: Selection,
  ): ReturnType<StoreDriver["get"]> {
    const points = this.#kept(name);
    return Promise.resolve(
      ids.flatMap((wire) => {
        const point = points.get(wireText(wire));
        return point === undefined ? [] : [{ wire, point: storedPoint(point, selection) }];
      }),
    );
  }

  scroll({ name }: OpenCollection, request: ScrollRequest): ReturnType<StoreDriver["scroll"]> {
    const { after, limit, filter } = request;
    const rest = this.#matching(name, filter).filter(
      ({ wire }) => after === undefined || compareWireIds(wire, after) >= 0,
    );
    return Promise.resolve({
      points: rest.slice(0, limit).map((point) => storedPoint(point, request.with)),
      next: rest[limit]?.wire,
    });
  }

  count({ name }: OpenCollection, which: Which): Promise<number> {
    return Promise.resolve(this.#which(name, which).length);
  }

  delete({ name }: OpenCollection, which: Which): Promise<void> {
    for (const { wire } of this.#which(name, which)) this.#kept(name).delete(wireText(wire));
    return Promise.resolve();
  }

  health(): Promise<DriverHealth> {
    const collections = [...this.#collections].map(([name, { points }]) => ({
      name,
      status: "green" as const,
      points: points.size,
      indexed: points.size,
    }));
    return Promise.resolve({ version: undefined, endpoints: [], collections });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #kept(name: string): Map<string, CheckedPoint> {
    const there = this.#collections.get(name);
    if (there === undefined)
      throw new StoreFailure("fatal", "COLLECTION_MISSING", `There is no collection ${name}.`);
    return there.points;
  }

  #which(name: string, which: Which): readonly CheckedPoint[] {
    if ("filter" in which) return this.#matching(name, which.filter);
    const points = this.#kept(name);
    return [...new Set(which.ids.map(wireText))].flatMap((id) => points.get(id) ?? []);
  }

  #matching(name: string, filter: FilterTree | undefined): readonly CheckedPoint[] {
    return [...this.#kept(name).values()]
      .filter(({ payload }) => filter === undefined || matches(filter, payload))
      .toSorted((left, right) => compareWireIds(left.wire, right.wire));
  }
}

/** Whether a payload matches, by the definition of the tree. */
export function matches(tree: FilterTree, payload: unknown): boolean {
  if ("all" in tree) return tree.all.every((part) => matches(part, payload));
  if ("any" in tree) return tree.any.some((part) => matches(part, payload));
  if ("none" in tree) return !tree.none.some((part) => matches(part, payload));
  const values = valuesAt(payload, tree.field);
  if ("eq" in tree) return values.includes(tree.eq);
  if ("in" in tree) return tree.in.some((value) => values.includes(value));
  if ("range" in tree) {
    return values.some((value) => typeof value === "number" && within(value, tree.range, (bound) => bound));
  }
  if ("instants" in tree) {
    return values.some((value) => {
      const instant = typeof value === "string" ? instantOf(value) : Number.NaN;
      return !Number.isNaN(instant) && within(instant, tree.instants, (bound) => Date.parse(bound));
    });
  }
  if ("exists" in tree) return values.length > 0;
  const texts = values.filter((value) => typeof value === "string");
  if ("contains" in tree) return texts.some((text) => text.includes(tree.contains));
  return texts.some((text) => text.toLowerCase().includes(tree.icontains.toLowerCase()));
}

function within<T>(
  value: number,
  bounds: Partial<Record<"gt" | "gte" | "lt" | "lte", T>>,
  read: (bound: T) => number,
): boolean {
  return (
    (bounds.gt === undefined || value > read(bounds.gt)) &&
    (bounds.gte === undefined || value >= read(bounds.gte)) &&
    (bounds.lt === undefined || value < read(bounds.lt)) &&
    (bounds.lte === undefined || value <= read(bounds.lte))
  );
}

/** Dates without a zone are UTC. */
function instantOf(text: string): number {
  if (!/^\d{4}-\d{2}-\d{2}(?:[T ]|$)/.test(text)) return Number.NaN;
  return Date.parse(/T.*(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) || !text.includes("T") ? text : `${text}Z`);
}

/** The values of a field: itself, or the elements of an array; nothing for what is absent or null. */
function valuesAt(payload: unknown, field: string): readonly unknown[] {
  const value = field.split(".").reduce<unknown>((at, key) => {
    if (typeof at !== "object" || at === null || Array.isArray(at) || !Object.hasOwn(at, key))
      return undefined;
    // It is an object with that key.
    return (at as Record<string, unknown>)[key];
  }, payload);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((member) => member !== undefined && member !== null);
}

function similarity(metric: Metric, left: Float32Array, right: Float32Array): number {
  let dot = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  let differences = 0;
  for (const [n, a] of left.entries()) {
    const b = right[n] ?? 0;
    dot += a * b;
    leftSquares += a * a;
    rightSquares += b * b;
    differences += (a - b) ** 2;
  }
  switch (metric) {
    case "cosine":
      return Math.max(-1, Math.min(1, dot / Math.sqrt(leftSquares * rightSquares)));
    case "dot":
      return dot;
    case "l2":
      return differences === 0 ? 0 : -Math.sqrt(differences);
  }
}

function storedPoint(point: CheckedPoint, selection: Selection): StoredPoint {
  return {
    id: point.id,
    // A copy: what a caller does to an answer changes nothing here.
    payload: selection.payload ? structuredClone(point.payload) : {},
    ...(selection.payload && point.text !== undefined ? { text: point.text } : {}),
    ...(selection.vector ? { vector: point.vector.slice() } : {}),
  };
}
