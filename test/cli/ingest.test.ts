/** `sluice ingest`: what is stored of a line, what is refused, how an interrupted run goes on. Kills: `ingest-kill.test.ts`. */
import { readdirSync, readFileSync, writeFileSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import type { StoredPoint } from "../../src/stores/vector-store.js";
import { outcomeOf, sluice, startSluice } from "../support/command-line.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

const ZSTD = fileURLToPath(new URL("data/two-frames.jsonl.zst", import.meta.url));

const LINES = [
  { text: "Paris is the capital of France.", payload: { lang: "en" } },
  { text: "Bread needs flour.", id: "b1" },
  { text: "Numbers may be ids.", id: 7, payload: { deep: { list: [1, 2] } } },
];

function jsonl(lines: readonly unknown[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

async function scrollOf(url: string, collection = "c"): Promise<readonly StoredPoint[]> {
  const hub = new VectorStoreHub(url);
  const points: StoredPoint[] = [];
  await hub.rebuildIndex(collection, (page) => void points.push(...page));
  await hub.close();
  return points;
}

function inFolder(folder: TemporaryFolder): { readonly url: string; readonly args: readonly string[] } {
  const url = `file:${folder.file("a.sluice")}`;
  return { url, args: ["--store", url, "--collection", "c"] };
}

describe("what is stored", () => {
  test.each<[packing: string, input: (folder: TemporaryFolder) => string, stdin: Uint8Array | undefined]>([
    ["plain", (folder) => folder.write("in.jsonl", jsonl(LINES)), undefined],
    [
      "without a last line feed, with blank lines",
      (folder) => folder.write("in.jsonl", `\n${jsonl(LINES).trim()}`),
      undefined,
    ],
    ["gzip", (folder) => folder.write("in.jsonl.gz", gzipSync(jsonl(LINES))), undefined],
    ["standard input", () => "-", gzipSync(jsonl(LINES))],
  ])("text, payload and id of every line: %s", async (_, input, stdin) => {
    const folder = new TemporaryFolder();
    const { url, args } = inFolder(folder);
    const run = await sluice(
      ["ingest", input(folder), ...args, "--quiet"],
      stdin === undefined ? {} : { input: stdin },
    );
    expect({ status: run.status, stdout: run.stdout.toString(), stderr: run.stderr }).toEqual({
      status: 0,
      stdout: "",
      stderr: "",
    });
    const points = await scrollOf(url);
    expect(points.map(({ text, payload }) => ({ text, payload }))).toEqual(
      expect.arrayContaining(LINES.map(({ text, payload = {} }) => ({ text, payload }))),
    );
    expect(points.length).toBe(LINES.length);
    expect(points.map(({ id }) => id)).toEqual(expect.arrayContaining([7, "b1"]));
    expect(points.every(({ vector }) => vector?.length === 256)).toBe(true);
    // The checkpoint is gone with the work.
    expect(readdirSync(folder.path).filter((name) => name.includes("-ingest-"))).toEqual([]);
  });

  test("zstd of two frames", async () => {
    const { url, args } = inFolder(new TemporaryFolder());
    // The texts of this file, single letters, have no vector in static-en.
    expect(await sluice(["ingest", ZSTD, ...args, "--embedder", "hash", "--quiet"])).toMatchObject({
      status: 0,
    });
    expect((await scrollOf(url)).map(({ text }) => text).toSorted()).toEqual(["a", "b"]);
  });

  test("again, it is the same collection", async () => {
    const folder = new TemporaryFolder();
    const { url, args } = inFolder(folder);
    const input = folder.write("in.jsonl", jsonl(LINES));
    await sluice(["ingest", input, ...args]);
    const once = await scrollOf(url);
    await sluice(["ingest", input, ...args]);
    expect(await scrollOf(url)).toEqual(once);
  });

  test("records that were there just as they are, are counted, whoever brings the vector", async () => {
    const folder = new TemporaryFolder();
    const { args } = inFolder(folder);
    const report = folder.file("report.json");
    const lines: readonly object[] = LINES.map((line, n) => ({
      ...line,
      vector: n === 0 ? undefined : Array(256).fill(n),
    }));
    const changes: ReadonlyArray<readonly [what: string, lines: readonly object[], unchanged: number]> = [
      ["new", lines, 0],
      ["again", lines, 3],
      ["another text", lines.with(1, { ...lines[1], text: "Bread needs water." }), 2],
      ["another payload", lines.with(1, { ...lines[1], text: "Bread needs water.", payload: { n: 1 } }), 2],
      ["another vector", lines.with(2, { ...lines[2], vector: Array(256).fill(9) }), 1],
      ["a record more", [...lines.slice(0, 1), { text: "More." }], 1],
    ];
    for (const [what, records, unchanged] of changes) {
      const input = folder.write("in.jsonl", jsonl(records));
      const run = await sluice(["ingest", input, ...args, "--report", report]);
      const { counts } = JSON.parse(readFileSync(report, "utf8")) as { counts: object };
      expect({ what, status: run.status, counts }).toMatchObject({
        what,
        status: 0,
        counts: { written: records.length, unchanged },
      });
      if (unchanged > 0) expect(run.stderr).toMatch(new RegExp(`unchanged .* ${unchanged} `));
    }
  });

  test("vectors that a file brings are stored as they are, in a collection without an embedder", async () => {
    const folder = new TemporaryFolder();
    const { url, args } = inFolder(folder);
    const input = folder.write(
      "in.jsonl",
      jsonl([
        { id: 1, vector: [3, 4] },
        { id: 2, text: "two", vector: [0, 2] },
      ]),
    );
    expect(await sluice(["ingest", input, ...args, "--metric", "dot"])).toMatchObject({ status: 0 });
    expect((await scrollOf(url)).map(({ vector }) => [...(vector ?? [])])).toEqual([
      [3, 4],
      [0, 2],
    ]);
  });

  test("the report counts, and names the fields that are not stored", async () => {
    const folder = new TemporaryFolder();
    const { args } = inFolder(folder);
    const input = folder.write("in.jsonl", jsonl([...LINES, { text: LINES[0]?.text, title: "twice" }]));
    const report = folder.file("report.json");
    await sluice(["ingest", input, ...args, "--report", report]);
    expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({
      stage: "ingest",
      counts: { records: 4, written: 3, superseded: 1, failed: 0, embedded: 4, resumed: 0 },
      limits: ['Fields outside of the payload are not stored: "title".'],
    });
  });
});

describe("what is refused", () => {
  test.each<[what: string, line: string, code: string]>([
    ["no JSON", "{", "INPUT_JSON"],
    ["a list", "[1]", "INPUT_JSON"],
    ["no text", "{}", "COLUMN_MISSING"],
    ["a text that is none", '{"text":1}', "COLUMN_NOT_TEXT"],
    ["a vector that is none", '{"text":"x","vector":["a"]}', "RECORD_INVALID"],
    ["a payload that is none", '{"text":"x","payload":[]}', "PAYLOAD_INVALID"],
    ["an id that is none", '{"text":"x","id":true}', "POINT_ID_INVALID"],
  ])(
    "a line that has %s ends the run with its number, and the batch before it is stored",
    async (_, line, code) => {
      const folder = new TemporaryFolder();
      const { url, args } = inFolder(folder);
      const input = folder.write("in.jsonl", `${jsonl(LINES.slice(0, 1))}${line}\n`);
      const { status, stderr } = await sluice(["ingest", input, ...args, "--batch", "1", "--quiet"]);
      expect(status).toBe(2);
      expect(stderr).toMatch(new RegExp(`^sluice: ${code}: .*line 2`));
      expect((await scrollOf(url)).length).toBe(1);
    },
  );

  test("points that the store refuses are named, the others are stored, and the status is 1", async () => {
    const folder = new TemporaryFolder();
    const { url, args } = inFolder(folder);
    const input = folder.write(
      "in.jsonl",
      jsonl([...LINES, { text: " ", id: "blank" }, { text: "x y", id: 0.5 }]),
    );
    const { status, stderr } = await sluice(["ingest", input, ...args, "--quiet"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^sluice: PARTIAL_WRITE: Refused: 2, stored: 3\. line 4: VECTOR_ZERO: .*line 5: POINT_ID_INVALID: /,
    );
    expect((await scrollOf(url)).length).toBe(3);
  });

  test("another embedder than the collection's, before any work", async () => {
    const folder = new TemporaryFolder();
    const { url, args } = inFolder(folder);
    const input = folder.write("in.jsonl", jsonl(LINES));
    await sluice(["ingest", input, ...args]);
    const more = folder.write("more.jsonl", jsonl([{ text: "more" }]));
    const { status, stderr } = await sluice(["ingest", more, ...args, "--embedder", "hash", "--quiet"]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^sluice: EMBEDDER_MISMATCH: .*--embedder/);
    expect((await scrollOf(url)).length).toBe(LINES.length);
  });

  test.each<[wrong: string[], words: RegExp]>([
    [["--collection", "c"], /--store is missing/],
    [["--store", "file:a"], /--collection is missing/],
    [["--store", "ftp:a", "--collection", "c"], /\(--store, /],
    [["--store", "file:a", "--collection", "c", "--batch", "0"], /--batch/],
    [["--store", "file:a", "--collection", "c", "--metric", "hamming"], /--metric/],
    [["--store", "file:a", "--collection", "c", "--report", "r.csv"], /--report/],
  ])("%j is OPTION_INVALID, and no file is made", async (wrong, words) => {
    const folder = new TemporaryFolder();
    folder.write("in.jsonl", jsonl(LINES));
    const { status, stderr } = await sluice(["ingest", "in.jsonl", ...wrong], { cwd: folder.path });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^sluice: OPTION_INVALID: /);
    expect(stderr).toMatch(words);
    expect(stderr).toContain("sluice ingest --help");
    expect(folder.names()).toEqual(["in.jsonl"]);
  });
});

describe("a run that is interrupted", () => {
  const RECORDS = 6_000;
  const DISTINCT = RECORDS - 100;
  const BATCH = 25;
  const corpus = jsonl(
    Array.from({ length: RECORDS }, (_, n) => ({
      // The last ones are texts of the first ones with another payload: the later one counts.
      text: `passage ${n % DISTINCT} speaks of topic ${(n % DISTINCT) % 97}`,
      payload: { n },
    })),
  );

  function checkpointLines(folder: TemporaryFolder): number {
    const name = readdirSync(folder.path).find((entry) => /-ingest-[0-9a-f]+$/.test(entry));
    if (name === undefined) return 0;
    const [, content = ""] = readFileSync(folder.file(name), "utf8").split("\n");
    // Written by the command.
    return (JSON.parse(content) as { state: { lines: number } }).state.lines;
  }

  async function interrupted(
    folder: TemporaryFolder,
    input: string,
    args: readonly string[],
    signal: NodeJS.Signals,
  ) {
    const child = startSluice(["ingest", input, ...args, "--batch", String(BATCH), "--quiet"]);
    const ended = outcomeOf(child);
    while (checkpointLines(folder) < 4 * BATCH) await pause(1);
    child.kill(signal);
    return ended;
  }

  test("Ctrl-C ends it in order, and says that the same command goes on", async () => {
    const folder = new TemporaryFolder();
    const { url, args } = inFolder(folder);
    const { status, stderr } = await interrupted(folder, folder.write("in.jsonl", corpus), args, "SIGINT");
    expect(status).toBe(1);
    expect(stderr).toMatch(/^sluice: ABORTED: .*SIGINT.*\n.*run the same command again/);
    expect((await scrollOf(url)).length).toBeGreaterThanOrEqual(4 * BATCH);
  });

  test.each<[what: string, change: (folder: TemporaryFolder, input: string) => Promise<void> | void]>([
    [
      "the input changed",
      (_, input) => {
        writeFileSync(input, `${corpus}\n`);
      },
    ],
    [
      "the collection lost its points",
      async (folder) => {
        const hub = new VectorStoreHub(inFolder(folder).url);
        await hub.deletePoints("c", { filter: { n: { gte: 0 } }, allowUnscoped: true });
        await hub.close();
      },
    ],
  ])("it begins anew when %s", async (_, change) => {
    const folder = new TemporaryFolder();
    const { url, args } = inFolder(folder);
    const input = folder.write("in.jsonl", corpus);
    await interrupted(folder, input, args, "SIGKILL");
    await change(folder, input);
    const report = folder.file("report.json");
    expect(await sluice(["ingest", input, ...args, "--report", report])).toMatchObject({ status: 0 });
    expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({
      counts: { records: RECORDS, resumed: 0 },
    });
    expect((await scrollOf(url)).length).toBe(DISTINCT);
  });

  test("it begins anew, and says so, when a digit of the checkpoint flipped", async () => {
    const folder = new TemporaryFolder();
    const { url, args } = inFolder(folder);
    const input = folder.write("in.jsonl", corpus);
    await interrupted(folder, input, args, "SIGKILL");
    const name = folder.names().find((entry) => /-ingest-[0-9a-f]+$/.test(entry)) ?? "";
    const text = readFileSync(folder.file(name), "utf8");
    writeFileSync(folder.file(name), text.replace(/"bytes":\d/, '"bytes":9'));
    const report = folder.file("report.json");
    expect(await sluice(["ingest", input, ...args, "--report", report])).toMatchObject({ status: 0 });
    expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({
      counts: { records: RECORDS, resumed: 0 },
      limits: [expect.stringContaining("damaged") as string],
    });
    expect((await scrollOf(url)).length).toBe(DISTINCT);
  });
});

describe("an output that is a file of the store", () => {
  const names = ["s.sluice", "./s.sluice", "s.sluice-wal", "s.sluice-shm", "s.sluice-ingest-0123456789ab"];
  const commands: ReadonlyArray<readonly [string, (out: string) => string[]]> = [
    ["ingest --report", (out) => ["ingest", "in.jsonl", "--report", out]],
    ["retrieve --report", (out) => ["retrieve", "--query", "red", "--report", out]],
    ["index build --out", (out) => ["index", "build", "--out", out]],
  ];
  test.each(commands)("is refused by %s, and the store stays as it was", async (_what, argsFor) => {
    const folder = new TemporaryFolder();
    folder.write("in.jsonl", jsonl(LINES));
    const store = ["--store", "s.sluice", "--collection", "c"];
    const options = { cwd: folder.path };
    expect(await sluice(["ingest", "in.jsonl", ...store, "--quiet"], options)).toMatchObject({ status: 0 });
    expect(folder.names()).toEqual(["in.jsonl", "s.sluice"]);
    const before = readFileSync(folder.file("s.sluice"));
    for (const name of names) {
      const { status, stderr } = await sluice([...argsFor(name), ...store], options);
      // A report has a name that ends in .json: then the name is refused already.
      expect([status, stderr]).toEqual([2, expect.stringMatching(/OUTPUT_IN_USE|--report/)]);
      expect(readFileSync(folder.file("s.sluice"))).toEqual(before);
    }
    symlinkSync(folder.file("s.sluice"), folder.file("link.json"));
    const { status, stderr } = await sluice([...argsFor("link.json"), ...store], options);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/OUTPUT_IN_USE/)]);
    expect(readFileSync(folder.file("s.sluice"))).toEqual(before);
  });
});
