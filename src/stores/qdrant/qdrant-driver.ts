/**
 * Qdrant: one call, one request. Server or cluster, the same code.
 */
import { z } from "zod";
import { SluiceError } from "../../errors.js";
import { SCOPE_KEYS } from "../filter-tree.js";
import { RESULTS_MAX } from "../option-check.js";
import { publicPayload } from "../payload-check.js";
import { compareWireIds, pointIdOf } from "../point-id.js";
import type { WireId } from "../point-id.js";
import { StoreFailure } from "../store-driver.js";
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
} from "../store-driver.js";
import type { QdrantLocation } from "../store-url.js";
import type { EndpointHealth, Hit, PayloadIndex, StoredPoint } from "../vector-store.js";
import type { FilterTree } from "../filter-tree.js";
import { failureOf, parseJson, resultOf } from "./answer.js";
import {
  creationBody,
  healthOf,
  indexesOf,
  mismatch,
  openCollection,
  readCollection,
  requireKept,
} from "./collection-state.js";
import type { ServerCollection } from "./collection-state.js";
import { idText, wireOf } from "./id-text.js";
import { qdrantFilter, substringMatch } from "./qdrant-filter.js";
import type { SubstringMatch } from "./qdrant-filter.js";
import { reaches, scoreOf, wireThreshold } from "./score.js";
import { storedPayload } from "./stored-payload.js";
import { QdrantTransport } from "./transport.js";
import type { Request, TransportOptions } from "./transport.js";
import { vectorText, wireVector } from "./vector-text.js";

/** How to reach Qdrant. */
export type QdrantOptions = TransportOptions;

/** The first version with the `query` call. */
const VERSION_LEAST = [1, 10] as const;
/** The field that says which points a server keeps close together. */
const MAIN_SCOPE_KEY = "user_id";

const pointsSchema = z.array(
  z.object({
    id: z.union([z.number(), z.string()]),
    score: z.unknown().optional(),
    payload: z.record(z.string(), z.unknown()).nullish(),
    vector: z.array(z.number()).nullish(),
  }),
);
type ServerPoint = z.infer<typeof pointsSchema>[number];

/** The driver of Qdrant. */
export class QdrantDriver implements StoreDriver {
  readonly kind = "qdrant";
  readonly limits: DriverLimits = {
    pointsMax: 256,
    bytesAim: 4 * 1024 * 1024,
    // The server refuses a request beyond 32 MiB.
    pointBytesMax: 24 * 1024 * 1024,
  };
  readonly #location: QdrantLocation;
  readonly #transport: QdrantTransport;
  #substring: SubstringMatch = "text";

  constructor(location: QdrantLocation, options: QdrantOptions) {
    this.#location = location;
    this.#transport = new QdrantTransport(location.endpoints, options);
  }

  async initialize(signal: AbortSignal | undefined): Promise<void> {
    const version = await this.#version(signal);
    const [major = 0, minor = 0] = version.split(".").map(Number);
    const [majorLeast, minorLeast] = VERSION_LEAST;
    if (major < majorLeast || (major === majorLeast && minor < minorLeast)) {
      throw new StoreFailure(
        "fatal",
        "STORE_REFUSED",
        `Qdrant ${version} is too old; ${VERSION_LEAST.join(".")} is the least.`,
      );
    }
    this.#substring = substringMatch(version);
  }

  async ensureCollection(
    name: string,
    schema: CollectionSchema,
    signal: AbortSignal | undefined,
  ): Promise<OpenCollection> {
    let made = true;
    try {
      const path = `/collections/${name}`;
      await this.#ask({ method: "PUT", path, body: creationBody(schema, this.#location) }, signal);
    } catch (error) {
      // Somebody was first, perhaps ourselves with the try before: what is there is compared.
      if (!(error instanceof StoreFailure) || error.facts.status !== 409) throw error;
      made = false;
    }
    const server = await this.#info(name, signal);
    if (server === undefined) {
      // A node that has not heard of it yet.
      throw new StoreFailure("later", "STORE_UNREACHABLE", `The collection ${name} is not ready yet.`);
    }
    if (made) requireKept(schema, server);
    const collection = openCollection(name, server);
    if (collection.dimension === schema.dimension && collection.metric === schema.metric) {
      return { ...collection, indexes: await this.#ensureIndexes(name, server, schema, signal) };
    }
    return collection;
  }

  async collection(name: string, signal: AbortSignal | undefined): Promise<OpenCollection | undefined> {
    const server = await this.#info(name, signal);
    return server === undefined ? undefined : openCollection(name, server);
  }

  async collectionNames(signal: AbortSignal | undefined): Promise<readonly string[]> {
    const result = await this.#ask({ method: "GET", path: "/collections" }, signal);
    return read(z.object({ collections: z.array(z.object({ name: z.string() })) }), result).collections.map(
      ({ name }) => name,
    );
  }

  encode(collection: OpenCollection, point: CheckedPoint): EncodedPoint {
    const vector = vectorText(wireVector(point.vector, collection.metric));
    const payload = storedPayload(point, collection.foldedFields);
    const body = `{"id":${idText(point.wire)},"vector":${vector},"payload":${payload}}`;
    return { point, body, bytes: Buffer.byteLength(body) };
  }

  async write(
    collection: OpenCollection,
    points: readonly EncodedPoint[],
    signal: AbortSignal | undefined,
  ): Promise<undefined> {
    const body = `{"points":[${points.map((point) => point.body).join(",")}]}`;
    await this.#update(collection, "PUT", "points", body, signal);
    // The server does not tell what was there before.
    return undefined;
  }

  async search(
    collection: OpenCollection,
    request: SearchRequest,
    signal: AbortSignal | undefined,
  ): Promise<readonly Hit[]> {
    const { topK, scoreThreshold } = request;
    // One more than asked for tells whether the last place is shared; the server breaks such ties as it likes.
    for (let limit = topK + 1; ; limit = Math.min(limit * 2, RESULTS_MAX + 1)) {
      const points = await this.#query(collection, request, limit, signal);
      const found = points.map((point) => ({
        hit: { ...storedPoint(point), score: scoreOf(collection.metric, point.score) },
        wire: wireOf(point.id),
      }));
      found.sort((left, right) => right.hit.score - left.hit.score || compareWireIds(left.wire, right.wire));
      const shared = found.length === limit && found.at(-1)?.hit.score === found[topK - 1]?.hit.score;
      if (shared && limit <= RESULTS_MAX) continue;
      return found
        .slice(0, topK)
        .map(({ hit }) => hit)
        .filter(({ score }) => scoreThreshold === undefined || reaches(score, scoreThreshold));
    }
  }

  async get(
    collection: OpenCollection,
    ids: readonly WireId[],
    selection: Selection,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyArray<{ readonly wire: WireId; readonly point: StoredPoint }>> {
    const path = `/collections/${collection.name}/points`;
    const body = `{"ids":[${ids.map(idText).join(",")}],${selectionText(selection)}}`;
    const points = read(pointsSchema, await this.#ask({ method: "POST", path, body }, signal));
    return points.map((point) => ({ wire: wireOf(point.id), point: storedPoint(point) }));
  }

  async scroll(
    collection: OpenCollection,
    { after, limit, filter, with: selection }: ScrollRequest,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly points: readonly StoredPoint[]; readonly next: WireId | undefined }> {
    const path = `/collections/${collection.name}/points/scroll`;
    const from = after === undefined ? "" : `"offset":${idText(after)},`;
    const condition = filter === undefined ? "" : `"filter":${this.#filterText(filter, collection)},`;
    const body = `{"limit":${limit},${from}${condition}${selectionText(selection)}}`;
    const result = await this.#ask({ method: "POST", path, body }, signal);
    const page = read(
      z.object({ points: pointsSchema, next_page_offset: z.union([z.number(), z.string()]).nullish() }),
      result,
    );
    const next = page.next_page_offset ?? undefined;
    return { points: page.points.map(storedPoint), next: next === undefined ? undefined : wireOf(next) };
  }

  async count(collection: OpenCollection, which: Which, signal: AbortSignal | undefined): Promise<number> {
    const path = `/collections/${collection.name}/points/count`;
    const filter =
      "ids" in which
        ? `{"must":[{"has_id":[${which.ids.map(idText).join(",")}]}]}`
        : this.#filterText(which.filter ?? { all: [] }, collection);
    const body = `{"exact":true,"filter":${filter}}`;
    return read(z.object({ count: z.number() }), await this.#ask({ method: "POST", path, body }, signal))
      .count;
  }

  async delete(collection: OpenCollection, which: Which, signal: AbortSignal | undefined): Promise<void> {
    const body =
      "ids" in which
        ? `{"points":[${which.ids.map(idText).join(",")}]}`
        : `{"filter":${this.#filterText(which.filter ?? { all: [] }, collection)}}`;
    await this.#update(collection, "POST", "points/delete", body, signal);
  }

  async health(signal: AbortSignal | undefined): Promise<DriverHealth> {
    const endpoints = await Promise.all(
      this.#transport.endpoints.map((url) => this.#endpointHealth(url, signal)),
    );
    if (!endpoints.some(({ status }) => status === "ready")) {
      return { version: undefined, endpoints, collections: [] };
    }
    try {
      const version = await this.#version(signal);
      const collections = [];
      for (const name of await this.collectionNames(signal)) {
        const server = await this.#info(name, signal);
        if (server !== undefined) {
          collections.push(healthOf(name, server, await this.#deadReplicas(name, signal)));
        }
      }
      return { version, endpoints, collections };
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
      // Something answers there, but not as the store does.
      const useless = endpoints.map((endpoint): EndpointHealth =>
        endpoint.status === "ready" ? { ...endpoint, status: "not-ready" } : endpoint,
      );
      return { version: undefined, endpoints: useless, collections: [] };
    }
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #ask(request: Request, signal: AbortSignal | undefined): Promise<unknown> {
    return resultOf(await this.#transport.ask(request, signal));
  }

  /** A change that is done when this resolves, on as many copies as the collection wants. */
  async #update(
    collection: OpenCollection,
    method: "PUT" | "POST",
    what: string,
    body: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    // With weak ordering two writers of one point leave the copies different.
    const ordering = collection.replicas > 1 ? "&ordering=medium" : "";
    const path = `/collections/${collection.name}/${what}?wait=true${ordering}`;
    const result = read(z.object({ status: z.string() }), await this.#ask({ method, path, body }, signal));
    if (result.status !== "completed") {
      throw new StoreFailure(
        "later",
        "STORE_UNREACHABLE",
        "The store took the change but did not complete it.",
        {
          mayBeApplied: true,
          details: { expected: "completed", received: result.status },
        },
      );
    }
  }

  async #query(
    collection: OpenCollection,
    request: SearchRequest,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly ServerPoint[]> {
    const path = `/collections/${collection.name}/points/query`;
    const { filter, scoreThreshold } = request;
    const condition = filter === undefined ? "" : `"filter":${this.#filterText(filter, collection)},`;
    const floor =
      scoreThreshold === undefined
        ? ""
        : `"score_threshold":${wireThreshold(collection.metric, scoreThreshold)},`;
    const query = vectorText(wireVector(request.vector, collection.metric));
    const body = `{"query":${query},"limit":${limit},${condition}${floor}${selectionText(request.with)}}`;
    const result = await this.#ask({ method: "POST", path, body }, signal);
    return read(z.object({ points: pointsSchema }), result).points;
  }

  #filterText(tree: FilterTree, { foldedFields, indexes }: OpenCollection): string {
    return JSON.stringify(qdrantFilter(tree, { foldedFields, indexes, substring: this.#substring }));
  }

  async #info(name: string, signal: AbortSignal | undefined): Promise<ServerCollection | undefined> {
    try {
      return readCollection(await this.#ask({ method: "GET", path: `/collections/${name}` }, signal));
    } catch (error) {
      if (error instanceof StoreFailure && error.facts.status === 404) return undefined;
      throw error;
    }
  }

  /** Makes the indexes that are not there. One of another type is never made anew: that would replace it for others. */
  async #ensureIndexes(
    name: string,
    server: ServerCollection,
    { payloadIndexes }: CollectionSchema,
    signal: AbortSignal | undefined,
  ): Promise<Readonly<Record<string, string>>> {
    const there = { ...indexesOf(server) };
    const scope = Object.fromEntries(SCOPE_KEYS.map((key) => [key, "keyword" as const]));
    const wanted: Readonly<Record<string, PayloadIndex>> = { ...payloadIndexes, ...scope };
    for (const [field, type] of Object.entries(wanted)) {
      const found = there[field];
      if (found !== undefined && found !== type)
        throw mismatch(name, `an index on ${field} of type`, type, found);
      if (found !== undefined) continue;
      const schema = field === MAIN_SCOPE_KEY ? { type, is_tenant: true } : { type };
      const body = JSON.stringify({ field_name: field, field_schema: schema });
      await this.#ask({ method: "PUT", path: `/collections/${name}/index?wait=true`, body }, signal);
      there[field] = type;
    }
    return there;
  }

  async #version(signal: AbortSignal | undefined): Promise<string> {
    const answer = await this.#transport.ask({ method: "GET", path: "/" }, signal);
    const { status, text } = answer;
    // The only answer that has no `result`.
    const greeting = z.object({ title: z.string(), version: z.string() }).safeParse(parseJson(text));
    if (status === 200 && greeting.success && /qdrant/i.test(greeting.data.title))
      return greeting.data.version;
    // Whoever knows this path asks for patience, or refuses the key, as for any other.
    if (status !== 200 && status !== 404) throw failureOf(answer);
    throw new StoreFailure("fatal", "STORE_REFUSED", `What answers is no Qdrant server (HTTP ${status}).`);
  }

  async #endpointHealth(url: string, signal: AbortSignal | undefined): Promise<EndpointHealth> {
    try {
      const { status } = await this.#transport.askEndpoint(url, { method: "GET", path: "/readyz" }, signal);
      return { url, status: status === 200 ? "ready" : "not-ready" };
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
      return { url, status: "unreachable" };
    }
  }

  /** Copies of a collection that a node does not count on. */
  async #deadReplicas(name: string, signal: AbortSignal | undefined): Promise<number> {
    const result = await this.#ask({ method: "GET", path: `/collections/${name}/cluster` }, signal);
    const states = z.array(z.object({ state: z.string() })).catch([]);
    const shards = read(z.object({ local_shards: states, remote_shards: states }), result);
    return [...shards.local_shards, ...shards.remote_shards].filter(({ state }) => state === "Dead").length;
  }
}

function selectionText({ payload, vector }: Selection): string {
  // Without `_id` an id that is a text could not be told.
  return `"with_payload":${payload ? "true" : '["_id"]'},"with_vector":${vector}`;
}

function storedPoint({ id, payload, vector }: ServerPoint): StoredPoint {
  const stored = payload ?? {};
  const text = stored["_text"];
  return {
    id: pointIdOf(wireOf(id), stored["_id"]),
    payload: publicPayload(stored),
    ...(typeof text === "string" ? { text } : {}),
    ...(vector === null || vector === undefined ? {} : { vector: Float32Array.from(vector) }),
  };
}

function read<T>(schema: z.ZodType<T>, result: unknown): T {
  const checked = schema.safeParse(result);
  if (checked.success) return checked.data;
  throw new SluiceError("STORE_REFUSED", "The server answers in a way that is not known.", {
    field: checked.error.issues[0]?.path.join(".") ?? "result",
    expected: "Qdrant 1.10 or later",
  });
}
