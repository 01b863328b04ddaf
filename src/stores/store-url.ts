/**
 * Where a store is, read from one text: `file:./corpus.sluice?access=read` or a bare path for the embedded store,
 * `qdrant://host:6333?replication=3` and `qdrants://` (TLS) for Qdrant; several nodes are separated by commas.
 *
 * Keys never stand in it: it ends up in logs.
 */
import { SluiceError } from "../errors.js";

/** The embedded store in one file. */
export interface EmbeddedLocation {
  readonly kind: "embedded";
  readonly path: string;
  /** `write`: the one writer, which reads too; `read`: one of any number of readers. Absent: `write`. */
  readonly access?: "write" | "read";
  /** What an acknowledged write outlives: the death of the process, or a power cut too. Absent: `process`. */
  readonly durability?: "process" | "power";
  /** Backend of the index that searches go through. Absent: `flat`, which is exact. */
  readonly index?: string;
}

/** A Qdrant server or cluster. */
export interface QdrantLocation {
  readonly kind: "qdrant";
  /** `http://host:6333`, one a node, with the path of the URL. */
  readonly endpoints: readonly string[];
  /** Copies of every part of a new collection. */
  readonly replicationFactor: number;
  /** Copies that must confirm a write to a new collection. */
  readonly writeConsistencyFactor: number;
  /** Parts of a new collection; undefined: as the server has it. */
  readonly shards: number | undefined;
}

/** Where a store is. */
export type StoreLocation = EmbeddedLocation | QdrantLocation;

/** The port of Qdrant, with TLS and without. */
const QDRANT_PORT = 6333;
/** With so many nodes a new collection is replicated unless the URL says otherwise. */
const NODES_OF_A_CLUSTER = 3;

/** Reads a store URL; `OPTION_INVALID` says what is wrong with it. */
export function parseStoreUrl(url: string): StoreLocation {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]+):/.exec(url)?.[1]?.toLowerCase();
  switch (scheme) {
    case "qdrant":
    case "qdrants":
      return parseQdrant(url.slice(scheme.length + 1), scheme === "qdrants");
    case "file":
      return parseEmbedded(url.slice("file:".length));
    case undefined:
      return parseEmbedded(url);
    default:
      throw invalid("a path, file:, qdrant:// or qdrants://", `${scheme}:`);
  }
}

/** Copies that must confirm a write when nobody said how many: half of them, rounded up. */
export function writeConsistencyOf(replicationFactor: number): number {
  return Math.ceil(replicationFactor / 2);
}

function parseEmbedded(rest: string): EmbeddedLocation {
  const [path = "", ...queries] = rest.split("?");
  const wanted: Partial<Record<keyof typeof FILE_PARAMETERS, string>> = {};
  for (const [name, value] of new URLSearchParams(queries.join("?"))) {
    if (!isFileParameter(name)) throw invalid(`one of ${Object.keys(FILE_PARAMETERS).join(", ")}`, name);
    if (wanted[name] !== undefined) throw invalid(`${name} once`, "twice");
    const allowed: readonly string[] = FILE_PARAMETERS[name];
    if (value === "" || (allowed.length > 0 && !allowed.includes(value))) {
      throw invalid(`${name} as ${allowed.join(" or ") || "a name"}`, "something else");
    }
    wanted[name] = value;
  }
  // Each value was found among those that the type allows.
  return { kind: "embedded", path: filePath(path), ...(wanted as Partial<EmbeddedLocation>) };
}

/** Parameters of a file and their values; none: any name, which the core knows. */
const FILE_PARAMETERS = { access: ["write", "read"], durability: ["process", "power"], index: [] } as const;

function isFileParameter(name: string): name is keyof typeof FILE_PARAMETERS {
  return Object.hasOwn(FILE_PARAMETERS, name);
}

function filePath(path: string): string {
  // `file:///abs` and `file:/abs` are the same place; `file:./x` and `file:x` are relative.
  const plain = path.startsWith("///") ? path.slice(2) : path;
  if (plain === "") throw invalid("a path", "nothing");
  if (plain.startsWith("//")) throw invalid("a path on this machine", "a host");
  return plain;
}

function parseQdrant(rest: string, tls: boolean): QdrantLocation {
  const parts = /^\/\/([^/?#]+)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(rest);
  if (parts === null) throw invalid("qdrant://host:port", "no host, or a fragment");
  const [, hosts = "", path = "", query = ""] = parts;
  if (hosts.includes("@")) {
    throw new SluiceError(
      "OPTION_INVALID",
      "The store URL must have no user and no key; hand the key over as apiKey.",
      { field: "url", expected: "no user and no key", received: "a user or key" },
    );
  }
  const prefix = path.replace(/\/+$/, "");
  const endpoints = hosts.split(",").map((host) => `${endpoint(host, tls)}${prefix}`);
  const repeated = endpoints.find((one, at) => endpoints.indexOf(one) !== at);
  if (repeated !== undefined) throw invalid("every node once", repeated);
  const wanted = parameters(query);
  const replicationFactor =
    wanted.replication ?? (endpoints.length >= NODES_OF_A_CLUSTER ? NODES_OF_A_CLUSTER : 1);
  const writeConsistencyFactor = wanted.consistency ?? writeConsistencyOf(replicationFactor);
  if (writeConsistencyFactor > replicationFactor) {
    throw invalid(`consistency of at most ${replicationFactor}`, String(writeConsistencyFactor));
  }
  return { kind: "qdrant", endpoints, replicationFactor, writeConsistencyFactor, shards: wanted.shards };
}

function endpoint(host: string, tls: boolean): string {
  const scheme = tls ? "https" : "http";
  const port = /:(\d+)$/.exec(host.replace(/^\[[^\]]*\]/, "_"))?.[1];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) throw invalid("a port", port);
  const full = `${scheme}://${host}${port === undefined ? `:${QDRANT_PORT}` : ""}`;
  if (!URL.canParse(full) || /[\s%\\]/.test(host)) throw invalid("host:port", "something else");
  const { hostname } = new URL(full);
  // Written out: a URL leaves out the port that is usual for its scheme.
  return `${scheme}://${hostname}:${port ?? QDRANT_PORT}`;
}

const PARAMETERS = ["replication", "consistency", "shards"] as const;
type Parameters = Partial<Record<(typeof PARAMETERS)[number], number>>;

function parameters(query: string): Parameters {
  const found: Parameters = {};
  for (const [name, value] of new URLSearchParams(query)) {
    const known = PARAMETERS.find((parameter) => parameter === name);
    if (known === undefined) throw invalid(`one of ${PARAMETERS.join(", ")}`, name);
    if (found[known] !== undefined) throw invalid(`${name} once`, "twice");
    if (!/^[1-9]\d{0,3}$/.test(value)) throw invalid(`${name} as a whole number from 1`, "something else");
    found[known] = Number(value);
  }
  return found;
}

function invalid(expected: string, received: string): SluiceError {
  return new SluiceError("OPTION_INVALID", `The store URL must have ${expected}.`, {
    field: "url",
    expected,
    received,
  });
}
