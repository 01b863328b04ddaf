/**
 * One request over HTTP to one node of Qdrant: which node, how long, and what a broken connection means.
 *
 * `undici` sends header and body in one write over a kept connection; with `fetch` a large body waits some 45 ms for the
 * other side to confirm the header. Nodes take turns; one that does not answer is left out for a while.
 */
import { Pool } from "undici";
import { SluiceError } from "../../errors.js";
import { StoreFailure } from "../store-driver.js";
import type { StoreClock } from "../retry.js";
import type { Answer } from "./answer.js";
import { CircuitBreaker } from "./circuit-breaker.js";

/** How requests are made. */
export interface TransportOptions {
  readonly apiKey: string | undefined;
  readonly allowInsecureKey: boolean;
  readonly requestTimeoutMs: number;
  readonly clock: StoreClock;
}

/** A request. */
export interface Request {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Path and query. */
  readonly path: string;
  /** JSON. */
  readonly body?: string;
}

/** Connections to one node. */
const CONNECTIONS = 8;
/** Most milliseconds until a connection stands. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Most bytes of an answer. */
const ANSWER_BYTES_MAX = 512 * 1024 * 1024;
/** Failures of a connection after which nothing can have reached the store. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

interface Node {
  readonly url: string;
  readonly prefix: string;
  readonly pool: Pool;
  readonly breaker: CircuitBreaker;
}

/** The connections to all nodes of a store. */
export class QdrantTransport {
  readonly #nodes: readonly Node[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #options: TransportOptions;
  #turn = 0;

  /** @param endpoints URLs of the nodes. No connection is made. */
  constructor(endpoints: readonly string[], options: TransportOptions) {
    if (
      options.apiKey !== undefined &&
      !options.allowInsecureKey &&
      endpoints.some((url) => url.startsWith("http:"))
    ) {
      throw new SluiceError(
        "OPTION_INVALID",
        "A key is sent over TLS only: use qdrants:// or allowInsecureKey.",
        {
          field: "apiKey",
          expected: "qdrants://",
          received: "qdrant://",
        },
      );
    }
    this.#options = options;
    this.#headers = {
      "content-type": "application/json",
      ...(options.apiKey === undefined ? {} : { "api-key": options.apiKey }),
    };
    this.#nodes = endpoints.map((url) => {
      const { origin, pathname } = new URL(url);
      return {
        url,
        prefix: pathname === "/" ? "" : pathname,
        // Time is kept here, over the whole request.
        pool: new Pool(origin, {
          connections: CONNECTIONS,
          headersTimeout: 0,
          bodyTimeout: 0,
          connect: { timeout: CONNECT_TIMEOUT_MS },
        }),
        breaker: new CircuitBreaker(),
      };
    });
  }

  /** The URLs of the nodes, as given. */
  get endpoints(): readonly string[] {
    return this.#nodes.map(({ url }) => url);
  }

  /** Asks the next node that is worth asking; `StoreFailure` when there is none or it does not answer. */
  async ask(request: Request, signal: AbortSignal | undefined): Promise<Answer> {
    return this.#askNode(this.#next(), request, signal);
  }

  /** Asks one node, whatever its breaker says. */
  async askEndpoint(url: string, request: Request, signal: AbortSignal | undefined): Promise<Answer> {
    const node = this.#nodes.find((one) => one.url === url);
    if (node === undefined) throw new RangeError("no such endpoint");
    return this.#askNode(node, request, signal);
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await Promise.all(this.#nodes.map(({ pool }) => pool.destroy()));
  }

  #next(): Node {
    const now = this.#options.clock.now();
    let leastMs = Number.POSITIVE_INFINITY;
    for (let step = 0; step < this.#nodes.length; step++) {
      const node = this.#nodes[(this.#turn + step) % this.#nodes.length];
      if (node === undefined) break;
      const waitMs = node.breaker.waitMs(now);
      if (waitMs === 0) {
        this.#turn = (this.#turn + step + 1) % this.#nodes.length;
        return node;
      }
      leastMs = Math.min(leastMs, waitMs);
    }
    throw new StoreFailure(
      "later",
      "STORE_UNREACHABLE",
      "No node of the store answers; all are left alone for a while.",
      {
        retryAfterMs: leastMs,
        mayBeApplied: false,
      },
    );
  }

  async #askNode(node: Node, request: Request, signal: AbortSignal | undefined): Promise<Answer> {
    signal?.throwIfAborted();
    const { clock, requestTimeoutMs } = this.#options;
    const timeout = AbortSignal.timeout(requestTimeoutMs);
    node.breaker.begin();
    try {
      const { statusCode, headers, body } = await node.pool.request({
        method: request.method,
        path: `${node.prefix}${request.path}`,
        headers: this.#headers,
        body: request.body ?? null,
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      const text = await readText(body);
      // A proxy that answers for a dead node is no answer of the node.
      if (statusCode >= 502 && statusCode <= 504) node.breaker.fail(clock.now());
      else node.breaker.succeed();
      return { status: statusCode, text, headers };
    } catch (error) {
      if (signal?.aborted === true) {
        node.breaker.forget();
        throw signal.reason;
      }
      node.breaker.fail(clock.now());
      if (error instanceof StoreFailure) throw error;
      throw connectionFailure(error, node.url, timeout.aborted ? requestTimeoutMs : undefined);
    }
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) {
      throw new StoreFailure(
        "fatal",
        "STORE_REFUSED",
        `The answer is larger than ${ANSWER_BYTES_MAX} bytes; ask for less.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function connectionFailure(cause: unknown, url: string, timeoutMs: number | undefined): StoreFailure {
  if (timeoutMs !== undefined) {
    return new StoreFailure("later", "STORE_UNREACHABLE", `${url} did not answer within ${timeoutMs} ms.`, {
      mayBeApplied: true,
      details: { received: "no answer in time" },
      cause,
    });
  }
  // Errors of sockets have a code; several addresses of one name make one error with several inside.
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code =
    typeof first === "object" && first !== null && "code" in first ? String(first.code) : "no code";
  const neverSent = NEVER_SENT.has(code);
  return new StoreFailure(
    neverSent ? "later" : "cut",
    "STORE_UNREACHABLE",
    neverSent ? `${url} cannot be reached (${code}).` : `The connection to ${url} broke (${code}).`,
    { mayBeApplied: !neverSent, details: { received: code }, cause },
  );
}
