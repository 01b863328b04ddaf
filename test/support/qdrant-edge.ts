/**
 * Qdrant's own engine behind a server on this machine: the program `qdrant-edge.py` answers, this passes on.
 *
 * What it cannot show is what a server adds to its engine: several shards, copies, limits of a request, keys.
 */
import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** What the set-up program says; it is plain JavaScript, so its types stand here. */
interface SetUp {
  readonly ENGINES: ReadonlyArray<{ readonly version: string; readonly server: string }>;
  engineProgram(version: string): string;
}

const setUp = (await import(new URL("../../scripts/qdrant-edge.mjs", import.meta.url).href)) as SetUp;

/** An engine, and whether it is here. */
export interface Engine {
  /** Of `qdrant-edge-py`. */
  readonly version: string;
  /** The server whose answers these are. */
  readonly server: string;
  readonly python: string;
  readonly here: boolean;
  /** For the title of a group: says how to get it where it is not here. */
  readonly title: string;
}

/** The engines that the tests know. */
export const ENGINES: readonly Engine[] = setUp.ENGINES.map(({ version, server }) => {
  const python = setUp.engineProgram(version);
  const here = existsSync(python);
  const how = here ? "" : " (not here; `node scripts/qdrant-edge.mjs` brings it)";
  return { version, server, python, here, title: `the engine of Qdrant ${server}${how}` };
});

interface Answer {
  readonly n: number;
  readonly status: number;
  readonly body: string;
}

/** The server. */
export class QdrantEdge implements AsyncDisposable {
  readonly #server: Server;
  readonly #engine: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #requests = 0;
  #ended = false;

  private constructor({ python, server }: Engine) {
    const program = fileURLToPath(new URL("qdrant-edge.py", import.meta.url));
    this.#engine = spawn(python, [program, server], { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.#engine.stdout }).on("line", (line) => {
      // The program writes one answer a line.
      const answer = JSON.parse(line) as Answer;
      this.#waiting.get(answer.n)?.(answer);
      this.#waiting.delete(answer.n);
    });
    // A program that ends early must not leave requests waiting.
    this.#engine.once("exit", (code) => {
      const body = JSON.stringify({
        status: { error: `Service internal error: the engine ended with ${code}` },
      });
      for (const [n, resolve] of this.#waiting) resolve({ n, status: 500, body });
      this.#ended = true;
    });
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** Starts an engine without any collection. */
  static async start(engine: Engine): Promise<QdrantEdge> {
    const edge = new QdrantEdge(engine);
    await new Promise<void>((resolve) => edge.#server.listen(0, "127.0.0.1", resolve));
    return edge;
  }

  /** For a hub. */
  get url(): string {
    // A server that listens on a port has an address of that kind.
    const { port } = this.#server.address() as AddressInfo;
    return `qdrant://127.0.0.1:${port}`;
  }

  /** Makes a payload index as another program would: of any type. */
  async createIndex(collection: string, field: string, type: string): Promise<void> {
    const url = `${this.url.replace("qdrant:", "http:")}/collections/${collection}/index?wait=true`;
    const body = JSON.stringify({ field_name: field, field_schema: type });
    const { status } = await fetch(url, { method: "PUT", body });
    if (status !== 200) throw new Error(`no index of type ${type}: HTTP ${status}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#engine.once("exit", resolve));
    this.#engine.stdin.end();
    if (!this.#ended) await ended;
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += String(chunk);
    const { method, url: path = "/" } = request;
    const n = (this.#requests += 1);
    if (this.#ended) {
      response.writeHead(500).end('{"status":{"error":"Service internal error: the engine has ended"}}');
      return;
    }
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(n, resolve));
    this.#engine.stdin.write(`${JSON.stringify({ n, method, path, body })}\n`);
    const { status, body: json } = await answer;
    response.writeHead(status, { "content-type": "application/json" }).end(json);
  }
}
