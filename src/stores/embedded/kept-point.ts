/**
 * A point between the hub and the file: what goes in, what comes out.
 */
import type { NativePoints, NativeStorePoints } from "#native";
import { withMembers } from "../kept-payload.js";
import { publicPayload } from "../payload-check.js";
import { isKeptInPayload, pointIdOf } from "../point-id.js";
import type { WireId } from "../point-id.js";
import type { CheckedPoint, EncodedPoint, Selection } from "../store-driver.js";
import type { StoredPoint } from "../vector-store.js";
import { keptIdOf, wireIdOfKept } from "./kept-id.js";

/** The payload as the file has it: an id that is neither number nor UUID lies in it as `_id`. */
export function keptPayload({ id, wire, payloadJson }: CheckedPoint): string {
  return isKeptInPayload(id, wire) ? withMembers(payloadJson, { _id: id }) : payloadJson;
}

/** A batch side by side. */
export function nativePoints(points: readonly EncodedPoint[], dimension: number): NativeStorePoints {
  const vectors = new Float32Array(points.length * dimension);
  for (const [at, { point }] of points.entries()) vectors.set(point.vector, at * dimension);
  return {
    ids: points.map(({ point }) => keptIdOf(point.wire)),
    vectors,
    payloads: points.map(({ body }) => body),
    texts: points.map(({ point }) => point.text),
  };
}

/** Points as callers see them, in the order they came. */
export function storedPoints(
  native: NativePoints,
  selection: Selection,
): Array<{ readonly wire: WireId; readonly point: StoredPoint }> {
  const dimension = native.vectors.length / Math.max(1, native.ids.length);
  return native.ids.map((kept, at) => {
    const wire = wireIdOfKept(kept);
    // The store takes nothing but JSON objects.
    const payload = JSON.parse(native.payloads[at] ?? "{}") as Readonly<Record<string, unknown>>;
    const text = native.texts[at];
    return {
      wire,
      point: {
        id: pointIdOf(wire, payload["_id"]),
        payload: selection.payload ? publicPayload(payload) : {},
        ...(selection.payload && typeof text === "string" ? { text } : {}),
        ...(selection.vector
          ? // A copy: a view would keep the vectors of the whole page alive.
            { vector: native.vectors.slice(at * dimension, (at + 1) * dimension) }
          : {}),
      },
    };
  });
}
