/**
 * What a point must be before any store sees it.
 */
import { SluiceError } from "../errors.js";
import { checkPayload, checkText } from "./payload-check.js";
import { idInOneForm, wireIdOf } from "./point-id.js";
import type { CheckedPoint, OpenCollection } from "./store-driver.js";
import { checkVector } from "./vector-check.js";
import type { Point, PointId } from "./vector-store.js";

/** Codes that are about one point, so that the others are written. */
const INVALID_POINT: ReadonlySet<string> = new Set([
  "DIMENSION_MISMATCH",
  "OPTION_INVALID",
  "PAYLOAD_INVALID",
  "POINT_ID_INVALID",
  "VECTOR_NOT_FINITE",
  "VECTOR_ZERO",
]);

/** A point that every store can take; throws what is wrong with it, with its position. */
export function checkPoint(point: Point, index: number, collection: OpenCollection): CheckedPoint {
  // What a caller without types may hand over.
  if (typeof point !== "object" || (point as unknown) === null) {
    throw new SluiceError("OPTION_INVALID", "A point must be an object.", {
      position: index,
      expected: "object",
      received: (point as unknown) === null ? "null" : typeof point,
    });
  }
  const payload = point.payload ?? {};
  const wire = wireIdOf(point.id, index);
  return {
    index,
    id: idInOneForm(point.id, wire),
    wire,
    vector: checkVector(point.vector, collection, index),
    payload,
    payloadJson: checkPayload(payload, index),
    text: checkText(point.text, index),
  };
}

/** Whether an error is about one point, so that the others can be written. */
export function isAboutOnePoint(error: unknown): error is SluiceError {
  return error instanceof SluiceError && INVALID_POINT.has(error.code);
}

/** The id in a report: what the caller gave, where that can be an id at all. */
export function reportedId(point: Point | CheckedPoint): PointId {
  // What a caller without types may hand over.
  const id: unknown = typeof point === "object" && (point as unknown) !== null ? point.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : typeof id;
}

/** Refuses vectors of another embedder than the collection's. */
export function requireEmbedder(collection: OpenCollection, embedderId: string | undefined): void {
  if (embedderId === undefined || collection.embedderId === undefined) return;
  if (collection.embedderId === embedderId) return;
  throw new SluiceError(
    "EMBEDDER_MISMATCH",
    `The vectors of ${collection.name} are of ${collection.embedderId}, not of ${embedderId}.`,
    { field: "embedderId", expected: collection.embedderId, received: embedderId },
  );
}
