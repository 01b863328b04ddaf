/**
 * A server on this machine that gives the answers of a real Qdrant, and no others.
 *
 * An exchange is a request and what came back, as it went over the wire. A request that is not in the list is answered with 400
 * and makes `verify` fail; so does an exchange that nobody asked for. Faults are answers too: a connection that breaks, a
 * body that stops, a proxy that answers for a dead node.
 */
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";

/** What the server does. */
export type Answer =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Reads the request, then ends the connection. */
  | { readonly fault: "cut" }
  /** Begins an answer and never ends it. */
  | { readonly fault: "slow" };

/** A request and its answer. */
export interface Exchange {
  readonly method: "GET" | "PUT" | "POST";
  readonly path: string;
  /** JSON; absent: any body. */
  readonly body?: unknown;
  readonly answer: Answer;
}

/** The server. */
export class QdrantRecorder implements AsyncDisposable {
  readonly #server: Server;
  #left: Exchange[];
  readonly #unknown: string[] = [];
  /** Bodies of the requests as they came, in order. */
  readonly bodies: string[] = [];
  readonly headers: Array<IncomingMessage["headers"]> = [];
  readonly #heard = new EventEmitter();

  private constructor(exchanges: readonly Exchange[]) {
    this.#left = [...exchanges];
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** Starts a server with so many answers; the first call of a hub, the greeting, is among them. */
  static async start(exchanges: readonly Exchange[], greeting = true): Promise<QdrantRecorder> {
    const recorder = new QdrantRecorder([...(greeting ? [GREETING] : []), ...exchanges]);
    await new Promise<void>((resolve) => recorder.#server.listen(0, "127.0.0.1", resolve));
    return recorder;
  }

  /** `host:port`. */
  get host(): string {
    // A server that listens on a port has an address of that kind.
    const { port } = this.#server.address() as AddressInfo;
    return `127.0.0.1:${port}`;
  }

  /** When the next request for a path has come in. */
  async heard(path: string): Promise<void> {
    await once(this.#heard, path);
  }

  /** Everything was asked for, and nothing else. */
  verify(): void {
    const unused = this.#left.map(({ method, path }) => `${method} ${path}`);
    if (this.#unknown.length === 0 && unused.length === 0) return;
    throw new Error(
      `not recorded: ${this.#unknown.join("; ") || "none"}; not asked for: ${unused.join("; ") || "none"}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += String(chunk);
    this.bodies.push(text);
    this.#heard.emit(request.url ?? "");
    this.headers.push(request.headers);
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    const at = this.#left.findIndex(
      (one) =>
        one.method === request.method &&
        one.path === request.url &&
        (one.body === undefined || isDeepStrictEqual(one.body, body)),
    );
    const exchange = this.#left[at];
    if (exchange === undefined) {
      this.#unknown.push(`${String(request.method)} ${String(request.url)} ${text.slice(0, 400)}`);
      response.writeHead(400).end('{"status":{"error":"this request was never recorded"}}');
      return;
    }
    this.#left = this.#left.toSpliced(at, 1);
    const { answer } = exchange;
    if ("fault" in answer) {
      if (answer.fault === "cut") request.socket.destroy();
      else response.writeHead(200, { "content-type": "application/json" }).write('{"result":');
      return;
    }
    const json = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers }).end(json);
  }
}

/** What a server says about itself. */
export const GREETING: Exchange = {
  method: "GET",
  path: "/",
  answer: {
    status: 200,
    body: {
      title: "qdrant - vector search engine",
      version: "1.18.3",
      commit: "db8fa43fcb6aedec1e739487e17a99731b74590a",
    },
  },
};

/** A result as the server wraps it. */
export function ok(result: unknown): Answer {
  return { status: 200, body: { result, status: "ok", time: 0.0002 } };
}

/** A refusal in the server's words. */
export function refusal(
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, body: { status: { error }, time: 0.0002 }, headers };
}

/** A collection as the server describes it. */
export function description(
  params: { readonly size?: number; readonly distance?: string; readonly replicas?: number } = {},
  more: Readonly<Record<string, unknown>> = {},
): Answer {
  const { size = 4, distance = "Cosine", replicas = 1 } = params;
  return ok({
    status: "green",
    optimizer_status: "ok",
    points_count: 0,
    indexed_vectors_count: 0,
    config: {
      params: {
        vectors: { size, distance },
        shard_number: 1,
        replication_factor: replicas,
        write_consistency_factor: 1,
        on_disk_payload: true,
      },
      metadata: { sluice: {} },
    },
    payload_schema: Object.fromEntries(
      ["user_id", "agent_id", "run_id", "tenant_id"].map((key) => [key, { data_type: "keyword", points: 0 }]),
    ),
    ...more,
  });
}

/** The collection `a` of the answers that were recorded. */
export const DESCRIBED: Exchange = { method: "GET", path: "/collections/a", answer: description() };
