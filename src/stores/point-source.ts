/**
 * Where points come from: a list, which is taken as it is at the call, or an iterable, which is read as it goes.
 */
import { eachUntilAborted } from "../abort.js";
import { wrongArgument } from "../argument.js";
import { checkPayload } from "./payload-check.js";
import type { Payload, Point } from "./vector-store.js";
import { copyOf } from "./vector-check.js";

/** Any source of points. */
export type PointSource<T> = Iterable<T> | AsyncIterable<T>;

/**
 * Of a list a copy that the caller cannot change while the write waits; other iterables as they are. Points that are none are
 * left in: each is refused, with its position, when its turn comes.
 */
export function pointsAtCall(points: unknown): PointSource<Point> {
  if (Array.isArray(points)) return Array.from<unknown, Point>(points, pointNow);
  const isSource =
    typeof points === "object" &&
    points !== null &&
    (Symbol.asyncIterator in points || Symbol.iterator in points);
  if (!isSource) throw wrongArgument("points", "a list or an iterable of points", points);
  // What it yields is looked at point by point.
  return points as PointSource<Point>;
}

/**
 * Hands over point after point until there is none, `take` says false, or the signal aborts, whatever the source does. Gives
 * whether `take` had all of them.
 */
export async function eachPoint<T>(
  points: PointSource<T>,
  signal: AbortSignal,
  take: (point: T) => Promise<boolean>,
): Promise<boolean> {
  if (Symbol.asyncIterator in points) {
    for await (const point of eachUntilAborted(points, signal)) {
      signal.throwIfAborted();
      if (!(await take(point))) return false;
    }
  } else {
    for (const point of points) {
      signal.throwIfAborted();
      if (!(await take(point))) return false;
    }
  }
  return true;
}

function pointNow(point: unknown, position: number): Point {
  // What a caller without types may hand over; `checkPoint` says so.
  if (typeof point !== "object" || point === null) return point as Point;
  const { id, vector, payload, text } = point as Point;
  return {
    id,
    // As above.
    vector: copyOf(vector) as Point["vector"],
    ...(payload === undefined ? {} : { payload: payloadNow(payload, position) }),
    ...(text === undefined ? {} : { text }),
  };
}

function payloadNow(payload: Payload, position: number): Payload {
  let json: string;
  try {
    json = checkPayload(payload, position);
  } catch {
    // Refused again when its turn comes, and reported there.
    return payload;
  }
  // It was an object a moment ago.
  return JSON.parse(json) as Payload;
}
