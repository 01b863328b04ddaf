/**
 * What an answer of Qdrant means: its result, or a failure that says what can be done.
 */
import { StoreFailure } from "../store-driver.js";
import type { FailureFacts, FailureKind } from "../store-driver.js";
import type { ErrorCode } from "../../errors.js";

/** An answer over HTTP. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Characters of the server's own words in a message. */
const REASON_LENGTH_MAX = 300;

/** `result` of an answer that went well; throws `StoreFailure` for every other. */
export function resultOf(answer: Answer): unknown {
  const body = parseJson(answer.text);
  if (answer.status < 200 || answer.status > 299) throw failureOf(answer);
  if (typeof body !== "object" || body === null || !("result" in body)) {
    throw new StoreFailure(
      "later",
      "STORE_UNREACHABLE",
      "The store answered with something other than JSON.",
      {
        status: answer.status,
        mayBeApplied: true,
      },
    );
  }
  return body.result;
}

/** Reads JSON; undefined for what is none. Ids of points beyond 2^53 become texts, before digits are lost. */
export function parseJson(text: string): unknown {
  // Inside a JSON text the quotes would be escaped, so this finds keys only; those of payloads too.
  const exact = text.replaceAll(
    /"(id|next_page_offset)":(\d{16,20})(?=[,}])/g,
    (match, key: string, id: string) => (Number.isSafeInteger(Number(id)) ? match : `"${key}":"${id}"`),
  );
  try {
    const answer: unknown = JSON.parse(text);
    if (exact !== text) takeIds(answer, JSON.parse(exact));
    return answer;
  } catch {
    return undefined;
  }
}

/** Gives the points of an answer the ids of the other reading of it, and leaves what lies in payloads alone. */
function takeIds(answer: unknown, exact: unknown): void {
  const [to, from] = [memberOf(answer, "result"), memberOf(exact, "result")];
  copyMember(to, from, "next_page_offset");
  const points = memberOf(to, "points") ?? to;
  const exactPoints = memberOf(from, "points") ?? from;
  if (!Array.isArray(points) || !Array.isArray(exactPoints)) return;
  for (const [position, point] of points.entries()) copyMember(point, exactPoints[position], "id");
}

function copyMember(to: unknown, from: unknown, key: string): void {
  const value = memberOf(from, key);
  if (value !== undefined && isObject(to)) to[key] = value;
}

function memberOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

interface Meaning {
  readonly kind: FailureKind;
  readonly code: ErrorCode;
  readonly what: string;
  readonly mayBeApplied: boolean;
}

/** What an answer that is no success says. */
export function failureOf(answer: Answer): StoreFailure {
  const reason = reasonOf(parseJson(answer.text));
  const { kind, code, what, mayBeApplied } = meaningOf(answer.status, reason);
  const wait = retryAfterMs(answer.headers);
  const facts: FailureFacts = {
    status: answer.status,
    mayBeApplied,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    details: { received: `HTTP ${answer.status}` },
  };
  const message =
    reason === undefined ? `${what} (HTTP ${answer.status}).` : `${what} (HTTP ${answer.status}): ${reason}`;
  return new StoreFailure(kind, code, message, facts);
}

function meaningOf(status: number, reason: string | undefined): Meaning {
  const no = { mayBeApplied: false };
  switch (status) {
    case 401:
    case 403:
      return { kind: "fatal", code: "STORE_REFUSED", what: "The store refused the key", ...no };
    case 404:
      return { kind: "fatal", code: "COLLECTION_MISSING", what: "The store does not have it", ...no };
    case 413:
      return { kind: "too-large", code: "POINT_TOO_LARGE", what: "The request is too large", ...no };
    case 408:
    case 504:
      return {
        kind: "later",
        code: "STORE_UNREACHABLE",
        what: "The store ran out of time",
        mayBeApplied: true,
      };
    case 429:
      return { kind: "later", code: "STORE_UNREACHABLE", what: "The store asks for patience", ...no };
    default:
      if (status >= 500) {
        return { kind: "later", code: "STORE_UNREACHABLE", what: "The store failed", mayBeApplied: true };
      }
      // Some versions say so with 400.
      if (reason !== undefined && /payload .* larger than allowed/i.test(reason)) {
        return { kind: "too-large", code: "POINT_TOO_LARGE", what: "The request is too large", ...no };
      }
      return { kind: "refused", code: "STORE_REFUSED", what: "The store refused the request", ...no };
  }
}

/** The server's own words. */
function reasonOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("status" in body)) return undefined;
  const { status } = body;
  const error = typeof status === "object" && status !== null && "error" in status ? status.error : undefined;
  if (typeof error !== "string" || error === "") return undefined;
  const words = error.length > REASON_LENGTH_MAX ? `${error.slice(0, REASON_LENGTH_MAX)}...` : error;
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

/** Seconds, or a date measured against the server's own clock. */
function retryAfterMs(headers: Answer["headers"]): number | undefined {
  const value = headers["retry-after"];
  if (typeof value !== "string") return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const { date } = headers;
  const wait = typeof date === "string" ? Date.parse(value) - Date.parse(date) : Number.NaN;
  return wait >= 0 ? wait : undefined;
}
