/**
 * A file by path: ids cross to the digit, the reference is read like the input, and what changed underneath is said.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { DedupFileOptions, FileDedup } from "../../src/main.js";
import { dedup, dedupFile, loadEmbedder } from "../../src/main.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

const exact: DedupFileOptions = { methods: ["exact"] };

async function bytesOf(result: FileDedup): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of result.selected()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe("an id", () => {
  const nested = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  it.each([
    { json: "7", value: 7 },
    { json: '"7"', value: "7" },
    { json: "1.50", value: 1.5 },
    { json: "9007199254740991", value: Number.MAX_SAFE_INTEGER },
    { json: "9007199254740993", value: "9007199254740993" },
    { json: "1e400", value: "1e400" },
    { json: '{"b":[1,  2]}', value: { b: [1, 2] } },
    { json: "null", value: null },
  ])("$json comes as it is", async ({ json, value }) => {
    const path = new TemporaryFolder().write("in.jsonl", `{"id":${json},"text":"a"}\n`.repeat(2));
    const result = await dedupFile(path, exact);
    expect([...result.filtered()]).toEqual([
      { position: 1, id: value, reason: "exact", score: 1, duplicate_of: { position: 0, id: value } },
    ]);
    const kept = `{"position":0,"id":${json}}`;
    expect([...result.filteredJson()]).toEqual([
      {
        position: 1,
        json: `{"position":1,"id":${json},"reason":"exact","score":1,"duplicate_of":${kept}}`,
      },
    ]);
  });

  it("that is nested deeply is written", async () => {
    const path = new TemporaryFolder().write("in.jsonl", `{"id":${nested},"text":"a"}\n`.repeat(2));
    const [line] = (await dedupFile(path, exact)).filteredJson();
    expect(line?.json).toContain(`"id":${nested},`);
  });

  it("stands in the field that was named, in the reference too", async () => {
    const folder = new TemporaryFolder();
    const line = (key: string): string => `{"key":"${key}","id":0,"text":"a"}\n`;
    const [input, against] = [folder.write("in.jsonl", line("i")), folder.write("old.jsonl", line("o"))];
    const result = await dedupFile(input, { ...exact, against, id: "key" });
    expect([...result.filtered()]).toMatchObject([
      { id: "i", duplicate_of: { reference: { position: 0, id: "o" } } },
    ]);
  });
});

describe("a path that names no regular file", () => {
  const pipe = (): string => {
    const path = new TemporaryFolder().file("pipe.jsonl");
    execFileSync("mkfifo", [path]);
    return path;
  };
  const kinds = [
    { kind: "a pipe without a writer", path: pipe, received: "no regular file" },
    { kind: "a device", path: (): string => "/dev/zero", received: "no regular file" },
    { kind: "a directory", path: (): string => new TemporaryFolder().path, received: "a directory" },
  ];
  it.each(kinds)("is INPUT_NOT_FOUND: $kind", async ({ path, received }) => {
    const [input, intact] = [path(), new TemporaryFolder().write("in.jsonl", '{"text":"a"}\n')];
    const failure = { code: "INPUT_NOT_FOUND", details: { path: input, expected: "a file", received } };
    await expect(dedupFile(input, exact)).rejects.toMatchObject(failure);
    await expect(dedupFile(input, { ...exact, format: "jsonl" })).rejects.toMatchObject(failure);
    await expect(dedupFile(intact, { ...exact, against: input })).rejects.toMatchObject(failure);
  });

  it("is INPUT_CHANGED where a file was", async () => {
    const path = new TemporaryFolder().write("in.jsonl", '{"text":"a"}\n');
    const result = await dedupFile(path, exact);
    rmSync(path);
    execFileSync("mkfifo", [path]);
    await expect(bytesOf(result)).rejects.toMatchObject({ code: "INPUT_CHANGED" });
  });
});

describe("the message about a path", () => {
  const main = new URL("../../dist/main.js", import.meta.url).href;
  it.each([
    ["dedupFile", "sluice.dedupFile('ff')", "Cannot read ff: it is a directory, expected a file."],
    [
      "dedupFile with a format",
      "sluice.dedupFile('ff', { format: 'txt' })",
      "Cannot read ff: it is a directory, expected a file.",
    ],
    [
      "dedupFile with a reference",
      "sluice.dedupFile('in.jsonl', { against: 'ff', format: 'jsonl' })",
      "Cannot read ff: it is a directory, expected a file.",
    ],
  ])("spells it as it is, also at its beginning: %s", (_, call, message) => {
    const folder = new TemporaryFolder();
    mkdirSync(folder.file("ff"));
    // Only a relative path can begin with a small letter, and a process has one folder it is relative to.
    const program = `import * as sluice from ${JSON.stringify(main)}; await ${call}.catch(({ message }) => console.log(message));`;
    const args = ["--input-type=module", "--eval", program];
    const printed = execFileSync(process.execPath, args, { cwd: folder.path, encoding: "utf8" });
    expect(printed.trim()).toBe(message);
  });
});

describe("many records", () => {
  const count = 3000;
  const lines = (prefix: string): string =>
    Array.from({ length: count }, (_, n) => `{"id":"${prefix}${n}","text":"${n}"}\n`).join("");

  it("each have their own id and that of their witness, in the file or in the reference", async () => {
    const folder = new TemporaryFolder();
    const against = folder.write("old.jsonl", lines("old"));
    const twice = await dedupFile(folder.write("in.jsonl", lines("a") + lines("b")), exact);
    const known = await dedupFile(folder.write("new.jsonl", lines("new")), { ...exact, against });
    const pairsOf = (result: FileDedup): unknown[] =>
      [...result.filtered()].map(({ position, id, duplicate_of }) => [position, id, duplicate_of]);
    const numbers = Array.from({ length: count }, (_, n) => n);
    expect(pairsOf(twice)).toEqual(numbers.map((n) => [count + n, `b${n}`, { position: n, id: `a${n}` }]));
    expect(pairsOf(known)).toEqual(
      numbers.map((n) => [n, `new${n}`, { reference: { position: n, id: `old${n}` } }]),
    );
  });
});

describe("a pair that a guard kept apart", () => {
  it("is listed as a value and as JSON", async () => {
    const words = "the order has arrived at the door of the shop in the morning with number";
    const path = new TemporaryFolder().write(
      "in.jsonl",
      [25, 26].map((n) => `{"id":1e${n},"text":"${words} ${n}"}\n`).join(""),
    );
    const result = await dedupFile(path, { methods: ["lexical"], jaccard: 0.5, guards: ["numbers"] });
    const [pair] = result.vetoed();
    const [line] = result.vetoedJson();
    expect(pair).toMatchObject({
      position: 1,
      id: "1e26",
      guard: "numbers",
      compared_with: { position: 0, id: "1e25" },
    });
    expect(line?.json).toBe(
      `{"position":1,"id":1e26,"guard":"numbers","score":${pair?.score},"compared_with":{"position":0,"id":1e25}}`,
    );
  });
});

describe("a date to keep by", () => {
  it("means the same moment in a file and in memory", async () => {
    const dates = [
      "2026-01-01T02:00:00+02:00",
      "2026-01-01T00:30:00Z",
      "2026-01-01",
      "2025-12-31T23:59:59.5Z",
    ];
    const records = dates.map((day) => ({ text: "a", day }));
    const lines = records.map((record) => `${JSON.stringify(record)}\n`);
    const path = new TemporaryFolder().write("in.jsonl", lines.join(""));
    const keep = { field: "day", prefer: "highest" } as const;
    expect((await dedup(records, { methods: ["exact"], keep })).selectedPositions).toEqual(Uint32Array.of(1));
    expect(await bytesOf(await dedupFile(path, { ...exact, keep }))).toBe(lines[1]);
  });
});

describe("what is no date to keep by", () => {
  it.each(["2024-01-01T10:00:00\u221202:00", "2024-01-01T10:00:00\uff0d02:00"])("%s", async (day) => {
    const path = new TemporaryFolder().write("in.jsonl", `${JSON.stringify({ text: "a", day })}\n`);
    const keep = { field: "day", prefer: "highest" } as const;
    const refused = { code: "COLUMN_NOT_ORDERED" };
    await expect(dedupFile(path, { ...exact, keep })).rejects.toMatchObject(refused);
    await expect(dedup([{ text: "a", day }], { methods: ["exact"], keep })).rejects.toMatchObject(refused);
  });
});

describe("a table without a header", () => {
  it.each(["in.csv", "in.tsv"])("is INPUT_CSV, with a byte order mark or without: %s", async (name) => {
    for (const content of ["", "\ufeff", "\ufeff\n"]) {
      const path = new TemporaryFolder().write(name, content);
      await expect(dedupFile(path, exact)).rejects.toMatchObject({ code: "INPUT_CSV" });
    }
  });
});

describe("an input", () => {
  const content = '{"text":"a"}\n{"text":"b"}\n';
  it.each([
    {
      title: "is no file of records any more",
      change: (path: string) => {
        writeFileSync(path, "no records at all");
      },
    },
    {
      title: "has other texts of the same length",
      change: (path: string) => {
        writeFileSync(path, content.replace("b", "a"));
      },
    },
    {
      title: "grew",
      change: (path: string) => {
        writeFileSync(path, content.repeat(2));
      },
    },
    {
      title: "is gone",
      change: (path: string) => {
        rmSync(path);
      },
    },
  ])("that $title between the passes is INPUT_CHANGED, with its path", async ({ change }) => {
    const path = new TemporaryFolder().write("in.jsonl", content);
    // Whatever is written now is later, however coarse the clock of the file system is.
    utimesSync(path, 0, 0);
    const result = await dedupFile(path, exact);
    change(path);
    await expect(bytesOf(result)).rejects.toMatchObject({ code: "INPUT_CHANGED", details: { path } });
  });

  it("whose copy is aborted ends with the signal's reason", async () => {
    // One chunk of output takes the whole input.
    const path = new TemporaryFolder().write("in.txt", `${"the same line\n".repeat(500_000)}the last\n`);
    const controller = new AbortController();
    const result = await dedupFile(path, { ...exact, signal: controller.signal });
    const reason = new Error("enough");
    const next = result.selected()[Symbol.asyncIterator]().next();
    controller.abort(reason);
    await expect(next).rejects.toBe(reason);
  });
});

describe("a closed file", () => {
  it("refuses to list what was dropped", async () => {
    const result = await dedupFile(new TemporaryFolder().write("in.txt", "a\na\n"), exact);
    result.close();
    expect(() => [...result.filtered()]).toThrow(expect.objectContaining({ code: "CLOSED" }));
    expect(() => [...result.filteredJson()]).toThrow(expect.objectContaining({ code: "CLOSED" }));
  });
});

describe("a file that goes out of use", () => {
  it("gives its memory back", async () => {
    const result = await dedupFile(new TemporaryFolder().write("in.txt", "a\na\n"), exact);
    await result[Symbol.asyncDispose]();
    expect(() => [...result.filtered()]).toThrow(expect.objectContaining({ code: "CLOSED" }));
  });
});

describe("an argument of the wrong type", () => {
  it.each([
    { title: "no path", field: "path", work: () => dedupFile(undefined as never) },
    { title: "a number for a path", field: "path", work: () => dedupFile(5 as never) },
    { title: "a URL for a path", field: "path", work: () => dedupFile(new URL("file:///x") as never) },
    { title: "a format", field: "format", work: () => dedupFile("x", { format: 7 as never }) },
    { title: "a packing", field: "compression", work: () => dedupFile("x", { compression: null as never }) },
    { title: "a reference", field: "against", work: () => dedupFile("x", { against: 7 as never }) },
    { title: "an embedder", field: "embedder", work: () => loadEmbedder(new URL("file:///x") as never) },
    {
      title: "null to embed",
      field: "texts",
      work: async () => (await loadEmbedder("hash")).embed(null as never),
    },
    {
      title: "numbers to embed",
      field: "texts.1",
      work: async () => (await loadEmbedder("hash")).embed(["a", 1 as never]),
    },
    {
      title: "null for options",
      field: "options",
      work: async () => (await loadEmbedder("hash")).embed(["a"], null as never),
    },
  ])("$title: OPTION_INVALID", async ({ field, work }) => {
    await expect(work()).rejects.toMatchObject({ code: "OPTION_INVALID", details: { field } });
  });
});
