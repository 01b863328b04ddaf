/**
 * Store URLs: what they say, and what they must not.
 */
import { expect, it } from "vitest";
import { parseStoreUrl } from "../../src/stores/store-url.js";
import { failureOf } from "../support/refusal-table.js";

const one = { kind: "qdrant", replicationFactor: 1, writeConsistencyFactor: 1, shards: undefined };
const three = { kind: "qdrant", replicationFactor: 3, writeConsistencyFactor: 2, shards: undefined };

it.each([
  ["./corpus.sluice", { kind: "embedded", path: "./corpus.sluice" }],
  ["file:./corpus.sluice", { kind: "embedded", path: "./corpus.sluice" }],
  ["file:///var/corpus.sluice", { kind: "embedded", path: "/var/corpus.sluice" }],
  ["file:/var/corpus.sluice", { kind: "embedded", path: "/var/corpus.sluice" }],
  ["C:\\corpus.sluice", { kind: "embedded", path: "C:\\corpus.sluice" }],
  ["./corpus.sluice?access=read", { kind: "embedded", path: "./corpus.sluice", access: "read" }],
  [
    "file:./corpus.sluice?access=write&durability=power&index=hnsw",
    { kind: "embedded", path: "./corpus.sluice", access: "write", durability: "power", index: "hnsw" },
  ],
  ["qdrant://host", { ...one, endpoints: ["http://host:6333"] }],
  ["qdrant://host:80/", { ...one, endpoints: ["http://host:80"] }],
  ["qdrants://host:443/qd/", { ...one, endpoints: ["https://host:443/qd"] }],
  ["qdrants://host", { ...one, endpoints: ["https://host:6333"] }],
  ["qdrant://[::1]:7000", { ...one, endpoints: ["http://[::1]:7000"] }],
  ["qdrant://host?replication=3", { ...three, endpoints: ["http://host:6333"] }],
  [
    "qdrant://a,b:7000,c/p",
    { ...three, endpoints: ["http://a:6333/p", "http://b:7000/p", "http://c:6333/p"] },
  ],
  ["qdrant://a,b", { ...one, endpoints: ["http://a:6333", "http://b:6333"] }],
  [
    "qdrant://a,b,c?replication=2&consistency=2&shards=6",
    {
      kind: "qdrant",
      endpoints: ["http://a:6333", "http://b:6333", "http://c:6333"],
      replicationFactor: 2,
      writeConsistencyFactor: 2,
      shards: 6,
    },
  ],
])("%s", (url, location) => {
  expect(parseStoreUrl(url)).toEqual(location);
});

it.each([
  "",
  "file:",
  "file://host/share",
  "file:?access=read",
  "file:./x?access=append",
  "file:./x?access=read&access=write",
  "file:./x?durability=",
  "file:./x?shards=2",
  "redis://host",
  "qdrant:host",
  "qdrant://",
  "qdrant://a,",
  "qdrant://a,a:6333",
  "qdrant://host:0",
  "qdrant://host:70000",
  "qdrant://ho st",
  "qdrant://host#x",
  "qdrant://host?replication=0",
  "qdrant://host?replication=two",
  "qdrant://host?replicas=2",
  "qdrant://host?replication=2&replication=3",
  "qdrant://host?replication=2&consistency=3",
  "qdrant://S3CRET-9f2c@host",
])("%s is refused", async (url) => {
  const failure = await failureOf(() => parseStoreUrl(url));
  expect([failure.code, failure.details.field]).toEqual(["OPTION_INVALID", "url"]);
});
