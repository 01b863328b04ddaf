/**
 * What Qdrant says about a collection, as we know collections; and how one is asked for.
 */
import type { Metric } from "../../metric.js";
import { z } from "zod";
import { SluiceError } from "../../errors.js";
import type { CollectionSchema, OpenCollection } from "../store-driver.js";
import type { QdrantLocation } from "../store-url.js";
import { writeConsistencyOf } from "../store-url.js";
import type { CollectionHealth } from "../vector-store.js";

const DISTANCES = { cosine: "Cosine", dot: "Dot", l2: "Euclid" } as const satisfies Record<Metric, string>;

/** What is read of the answer; all else is Qdrant's business. */
const infoSchema = z.object({
  status: z.enum(["green", "yellow", "grey", "red"]).catch("grey"),
  optimizer_status: z.union([z.string(), z.object({ error: z.string() })]).optional(),
  points_count: z.number().nullish(),
  indexed_vectors_count: z.number().nullish(),
  config: z.object({
    params: z.object({
      vectors: z.union([
        z.object({ size: z.number(), distance: z.string() }),
        z.record(z.string(), z.unknown()),
      ]),
      replication_factor: z.number().nullish(),
    }),
    metadata: z
      .object({
        sluice: z
          .object({
            embedder_id: z.string().optional(),
            folded_fields: z.array(z.string()).optional(),
          })
          .optional(),
      })
      .nullish(),
  }),
  payload_schema: z.record(z.string(), z.object({ data_type: z.string() })).nullish(),
});

/** A collection as the server has it. */
export type ServerCollection = z.infer<typeof infoSchema>;

/** Reads the server's answer. */
export function readCollection(answer: unknown): ServerCollection {
  const read = infoSchema.safeParse(answer);
  if (read.success) return read.data;
  throw new SluiceError("STORE_REFUSED", "The server describes the collection in a way that is not known.", {
    field: read.error.issues[0]?.path.join(".") ?? "result",
    expected: "Qdrant 1.10 or later",
  });
}

/** The same as the hub knows it; `COLLECTION_MISMATCH` where it is none of ours. */
export function openCollection(name: string, server: ServerCollection): OpenCollection {
  const { vectors, replication_factor: replicas } = server.config.params;
  const { size, distance } = vectors;
  if (typeof size !== "number" || typeof distance !== "string") {
    throw mismatch(name, "vectors", "one vector without a name", "named vectors");
  }
  // The keys of the table are the metrics.
  const metric = (Object.keys(DISTANCES) as Metric[]).find((one) => DISTANCES[one] === distance);
  if (metric === undefined) throw mismatch(name, "metric", Object.values(DISTANCES).join(", "), distance);
  const ours = server.config.metadata?.sluice;
  return {
    name,
    dimension: size,
    metric,
    ...(ours?.embedder_id === undefined ? {} : { embedderId: ours.embedder_id }),
    foldedFields: ours?.folded_fields ?? [],
    replicas: replicas ?? 1,
    indexes: indexesOf(server),
    status: server.status,
  };
}

/** Refuses a collection just made whose server forgot what was said beside it: later it could not be compared. */
export function requireKept(schema: CollectionSchema, server: ServerCollection): void {
  const told = schema.embedderId !== undefined || schema.foldedFields.length > 0;
  if (!told || (server.config.metadata ?? undefined) !== undefined) return;
  throw new SluiceError(
    "STORE_UNSUPPORTED",
    "This version of Qdrant keeps no metadata of a collection, where embedderId and foldedFields would stand.",
    { field: "metadata", expected: "a later version of Qdrant, or neither option", received: "none" },
  );
}

/** The types of the payload indexes by field. */
export function indexesOf(server: ServerCollection): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(server.payload_schema ?? {}).map(([field, { data_type: type }]) => [field, type]),
  );
}

/** How a collection is. */
export function healthOf(name: string, server: ServerCollection, deadReplicas: number): CollectionHealth {
  const { optimizer_status: optimizer } = server;
  const problems = [
    ...(typeof optimizer === "object" ? [optimizer.error] : []),
    ...(deadReplicas > 0 ? [`${deadReplicas} copies are not active`] : []),
  ];
  return {
    name,
    status: server.status,
    points: server.points_count ?? 0,
    indexed: server.indexed_vectors_count ?? 0,
    ...(problems.length === 0 ? {} : { problem: problems.join("; ") }),
  };
}

/** The body that asks for a collection. */
export function creationBody(schema: CollectionSchema, location: QdrantLocation): string {
  const replicas = schema.replicationFactor ?? location.replicationFactor;
  const confirming =
    schema.writeConsistencyFactor ??
    (schema.replicationFactor === undefined ? location.writeConsistencyFactor : writeConsistencyOf(replicas));
  const shards = schema.shards ?? location.shards;
  return JSON.stringify({
    vectors: {
      size: schema.dimension,
      distance: DISTANCES[schema.metric],
      ...(schema.onDisk ? { on_disk: true } : {}),
    },
    replication_factor: replicas,
    write_consistency_factor: confirming,
    ...(shards === undefined ? {} : { shard_number: shards }),
    metadata: {
      sluice: {
        ...(schema.embedderId === undefined ? {} : { embedder_id: schema.embedderId }),
        ...(schema.foldedFields.length === 0 ? {} : { folded_fields: schema.foldedFields }),
      },
    },
  });
}

/** The failure of a collection that is there and something else. */
export function mismatch(name: string, field: string, expected: string, received: string): SluiceError {
  return new SluiceError(
    "COLLECTION_MISMATCH",
    `The collection ${name} has ${field} ${received}, not ${expected}.`,
    {
      field,
      expected,
      received,
    },
  );
}
