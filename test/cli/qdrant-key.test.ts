/** The key of a Qdrant server: from the environment only, over TLS unless told otherwise, and never in what is printed. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sluice, type CommandOutcome } from "../support/command-line.js";
import { ok, QdrantRecorder } from "../support/qdrant-recorder.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

const KEY = "k3y-0f-th3-s3rv3r";
const KEYED = { SLUICE_QDRANT_API_KEY: KEY, SLUICE_QDRANT_ALLOW_INSECURE_KEY: "1" };
const NO_COLLECTION = [{ method: "GET", path: "/collections", answer: ok({ collections: [] }) }] as const;

/** The commands that work on a store, each as far as it gets with a server that has nothing. */
const COMMANDS: ReadonlyArray<readonly [name: string, args: readonly string[]]> = [
  ["ingest", ["ingest", "-"]],
  ["retrieve", ["retrieve", "--query", "x"]],
  ["index build", ["index", "build", "--out", "out.index"]],
];

function said({ stdout, stderr }: CommandOutcome): string {
  return `${stdout.toString()}${stderr}`;
}

test.each(COMMANDS)("%s sends the key of the environment, and prints it nowhere", async (_, args) => {
  const folder = new TemporaryFolder();
  await using server = await QdrantRecorder.start(NO_COLLECTION);
  const store = ["--store", `qdrant://${server.host}`, "--collection", "a"];
  const run = await sluice([...args, ...store], {
    env: { ...KEYED, SLUICE_QDRANT_API_KEY: `${KEY}\n` },
    cwd: folder.path,
    input: '{"text":"x"}\n',
  });
  expect(server.headers.length).toBeGreaterThan(0);
  expect(new Set(server.headers.map((headers) => headers["api-key"]))).toEqual(new Set([KEY]));
  expect(said(run)).not.toContain(KEY);
});

test.each(COMMANDS)("%s sends no key where there is none", async (_, args) => {
  await using server = await QdrantRecorder.start(NO_COLLECTION);
  const store = ["--store", `qdrant://${server.host}`, "--collection", "a"];
  await sluice([...args, ...store], {
    env: { SLUICE_QDRANT_API_KEY: "" },
    cwd: new TemporaryFolder().path,
    input: '{"text":"x"}\n',
  });
  expect(server.headers.length).toBeGreaterThan(0);
  expect(server.headers.every((headers) => headers["api-key"] === undefined)).toBe(true);
});

test.each<[what: string, url: string, env: Readonly<Record<string, string>>, words: RegExp]>([
  [
    "without TLS",
    "qdrant://127.0.0.1:9",
    { SLUICE_QDRANT_API_KEY: KEY },
    /use qdrants:\/\/ or SLUICE_QDRANT_ALLOW_INSECURE_KEY=1\. \(SLUICE_QDRANT_API_KEY/,
  ],
  [
    "that is none",
    "qdrants://127.0.0.1:9",
    { SLUICE_QDRANT_API_KEY: `${KEY} ${KEY}` },
    /SLUICE_QDRANT_API_KEY/,
  ],
  [
    "in the URL",
    `qdrant://${KEY}@127.0.0.1:9`,
    {},
    /no user and no key; hand the key over as SLUICE_QDRANT_API_KEY\. \(--store/,
  ],
  ["as a parameter", `qdrant://127.0.0.1:9?api-key=${KEY}`, {}, /store URL/],
])("a key %s is refused before anything is sent, and is not printed", async (_, url, env, words) => {
  const run = await sluice(["retrieve", "--query", "x", "--store", url, "--collection", "a"], { env });
  expect(run.status).toBe(2);
  expect(run.stderr).toMatch(/^sluice: OPTION_INVALID: /);
  expect(run.stderr).toMatch(words);
  expect(said(run)).not.toContain(KEY);
});

test("a file has no key, whatever the environment says", async () => {
  const folder = new TemporaryFolder();
  const report = folder.file("report.json");
  const run = await sluice(
    ["ingest", "-", "--store", folder.file("a.sluice"), "--collection", "a", "--report", report],
    { env: { SLUICE_QDRANT_API_KEY: KEY }, input: '{"text":"x"}\n' },
  );
  expect(run.status).toBe(0);
  expect(said(run) + readFileSync(report, "utf8")).not.toContain(KEY);
});
