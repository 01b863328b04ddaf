/** Choosing rows of a Parquet file keeps schema and values, whatever the types; damage is an error, never a hang. */
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { parquetMetadata, parquetReadObjects, type FileMetaData } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import { SluiceError } from "../../src/errors.js";
import { ParquetFile } from "../../src/parquet/parquet-file.js";
import { parquetLeaves } from "../../src/parquet/parquet-schema.js";
import { writeParquetSelection } from "../../src/parquet/parquet-sink.js";
import { parquetRecords } from "../../src/parquet/parquet-source.js";
import { spoolParquet } from "../../src/parquet/parquet-spool.js";
import { sluice } from "../support/command-line.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

const DATA = fileURLToPath(new URL("data/", import.meta.url));
const FILES = readdirSync(DATA).filter((name) => name.endsWith(".parquet"));
const ROWS = 40;

/** Rows as another reader sees them. The annotations of integers move to their older form, so both are read alike. */
async function rowsOf(bytes: Uint8Array): Promise<unknown[]> {
  const file = new Uint8Array(bytes).buffer;
  return parquetReadObjects({ file, compressors, utf8: false });
}

/** The schema without the newer annotation of integers, which the older one repeats. */
function schemaOf({ schema }: FileMetaData): unknown {
  return schema.map(({ logical_type, ...element }) => ({
    ...element,
    logical_type: logical_type?.type === "INTEGER" ? undefined : logical_type,
  }));
}

function metadataOf(bytes: Uint8Array): FileMetaData {
  return parquetMetadata(new Uint8Array(bytes).buffer);
}

async function copy(path: string, has: (position: number) => boolean): Promise<Buffer> {
  const file = await ParquetFile.open(path);
  try {
    const parts: Buffer[] = [];
    await writeParquetSelection(
      file,
      { has },
      {
        write: (bytes) => {
          parts.push(Buffer.from(bytes));
          return Promise.resolve();
        },
      },
    );
    return Buffer.concat(parts);
  } finally {
    await file.close();
  }
}

/** Reads all texts and copies all rows: everything a run does with a file. */
async function useAll(path: string): Promise<void> {
  const file = await ParquetFile.open(path);
  try {
    for await (const record of parquetRecords(file, { texts: ["text"], others: ["id"] })) {
      expect(record).toHaveProperty("text");
    }
  } finally {
    await file.close();
  }
  await copy(path, () => true);
}

describe.each(FILES)("%s", (name) => {
  const path = `${DATA}${name}`;
  const source = readFileSync(path);

  test("any choice of rows is those rows under the same schema", async () => {
    const rows = await rowsOf(source);
    expect(rows).toHaveLength(ROWS);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(ROWS - 1)), async (positions) => {
        const chosen = new Set(positions);
        const output = await copy(path, (position) => chosen.has(position));
        expect(await rowsOf(output)).toEqual(rows.filter((_, position) => chosen.has(position)));
        const [before, after] = [metadataOf(source), metadataOf(output)];
        expect(schemaOf(after)).toEqual(schemaOf(before));
        expect(after.key_value_metadata).toEqual(before.key_value_metadata);
      }),
      { numRuns: 12, examples: [[[]], [[ROWS - 1]], [Array.from({ length: ROWS }, (_, index) => index)]] },
    );
  });

  test("a copy of a copy has the same bytes", async () => {
    const folder = new TemporaryFolder();
    const first = await copy(path, () => true);
    expect(await copy(folder.write("first.parquet", first), () => true)).toEqual(first);
  });

  test("a copy without rows is a file like any other", async () => {
    const folder = new TemporaryFolder();
    const none = await copy(path, () => false);
    const file = await ParquetFile.open(folder.write("none.parquet", none));
    expect(file.rows).toBe(0);
    expect(await parquetRecords(file, { texts: ["text"], others: [] }).next()).toMatchObject({ done: true });
    await file.close();
    expect(await copy(file.path, () => true)).toEqual(none);
  });

  test("the texts and ids are read in order", async () => {
    const file = await ParquetFile.open(path);
    const records: unknown[] = [];
    for await (const record of parquetRecords(file, { texts: ["text", "name"], others: ["id", "no such"] })) {
      records.push(record);
    }
    await file.close();
    const expected = (await rowsOf(source)) as Array<{ text: string; name: string | null; id: bigint }>;
    expect(records).toEqual(
      expected.map(({ text, name: second, id }) => ({ text, name: second ?? null, id: Number(id) })),
    );
  });

  test("cut short anywhere it is INPUT_PARQUET", async () => {
    const folder = new TemporaryFolder();
    for (let length = 0; length < source.length; length += 997) {
      const cut = folder.write("cut.parquet", source.subarray(0, length));
      await expect(ParquetFile.open(cut), `cut at ${length}`).rejects.toMatchObject({
        code: "INPUT_PARQUET",
      });
    }
  });

  test("damaged anywhere it is read, or it is a typed error", { timeout: 120_000 }, async () => {
    const folder = new TemporaryFolder();
    const damage = fc.tuple(fc.nat(source.length - 1), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (changes) => {
        const bytes = Buffer.from(source);
        for (const [position, difference] of changes) bytes[position] = (bytes[position] ?? 0) ^ difference;
        const damaged = folder.write("damaged.parquet", bytes);
        try {
          await useAll(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(SluiceError);
          // Damage may turn a text into other bytes, a name into another, or a row number into one of another row.
          expect(["INPUT_PARQUET", "INPUT_ENCODING", "COLUMN_MISSING", "COLUMN_NOT_TEXT"]).toContain(
            (error as SluiceError).code,
          );
        }
      }),
      { numRuns: 150 },
    );
  });
});

test.each([
  ["an empty file", ""],
  ["another format", '{"text": "a"}\n'],
  ["only the magic bytes", "PAR1PAR1"],
  ["a footer that is longer than the file", `PAR1\u00ff\u00ff\u00ff\u007fPAR1`],
])("%s is INPUT_PARQUET", async (_, content) => {
  const folder = new TemporaryFolder();
  const path = folder.write("file.parquet", Buffer.from(content, "latin1"));
  await expect(ParquetFile.open(path)).rejects.toMatchObject({ code: "INPUT_PARQUET", details: { path } });
});

test.each<[what: string, element: Record<string, unknown>]>([
  ["a logical type that the writer cannot write", { type: "BYTE_ARRAY", logical_type: { type: "FILE" } }],
  ["a logical type that is newer than the reader", { type: "BYTE_ARRAY", logical_type: { field_99: {} } }],
  ["a group without fields", { num_children: 0 }],
])("%s is refused before any work, by the name of its column", (_, element) => {
  const schema = [
    { name: "root", num_children: 2 },
    { name: "text", type: "BYTE_ARRAY", repetition_type: "REQUIRED" },
    { name: "odd", repetition_type: "OPTIONAL", ...element },
  ];
  const metadata = { version: 2, schema, num_rows: 0n, row_groups: [], metadata_length: 0 };
  // What a reader makes of a file need not fit its own types.
  expect(() => parquetLeaves("in.parquet", metadata as unknown as FileMetaData)).toThrow(
    expect.objectContaining({
      code: "INPUT_PARQUET",
      details: { path: "in.parquet", field: "odd" },
    }) as Error,
  );
});

describe("a file that is written to while it is open", () => {
  test.each<[what: string, work: (path: string) => void]>([
    ["and read to the end", () => undefined],
    [
      "and found damaged",
      (path) => {
        throw new SluiceError("INPUT_PARQUET", "It is damaged.", { path });
      },
    ],
  ])("%s is INPUT_CHANGED", async (_, work) => {
    const path = new TemporaryFolder().write("in.parquet", readFileSync(`${DATA}lz4-plain.parquet`));
    const file = await ParquetFile.open(path);
    const reading = (after: () => void): Promise<string> =>
      file.whileUnchanged(async () => {
        await Promise.resolve();
        after();
        work(path);
        return "read";
      });
    await expect(
      reading(() => {
        appendFileSync(path, "more");
      }),
    ).rejects.toMatchObject({ code: "INPUT_CHANGED", details: { path } });
    await file.close();
  });

  test("keeps a failure that is not about its content, and a damage that was there before", async () => {
    const path = new TemporaryFolder().write("in.parquet", readFileSync(`${DATA}lz4-plain.parquet`));
    const file = await ParquetFile.open(path);
    const damage = new SluiceError("INPUT_PARQUET", "It is damaged.", { path });
    await expect(file.whileUnchanged(() => Promise.reject(damage))).rejects.toBe(damage);
    expect(await file.whileUnchanged(() => Promise.resolve("read"))).toBe("read");
    appendFileSync(path, "more");
    const full = new SluiceError("IO", "The disk is full.", { path: "out" });
    await expect(file.whileUnchanged(() => Promise.reject(full))).rejects.toBe(full);
    await file.close();
  });
});

test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
  "a column may be called %s",
  async (name) => {
    const folder = new TemporaryFolder();
    const values = ["one", "one", "two"];
    const bytes = parquetWriteBuffer({ columnData: [{ name, data: values, type: "STRING" }] });
    const path = folder.write("in.parquet", new Uint8Array(bytes));
    const out = folder.file("out.parquet");
    const drops = folder.file("drops.jsonl");
    const args = ["--text", name, "--id", name, "--method", "exact", "--out", out, "--filtered", drops];
    expect(await sluice(["dedup", path, ...args, "--quiet"])).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(readFileSync(drops, "utf8"))).toMatchObject({
      position: 1,
      id: "one",
      duplicate_of: { position: 0, id: "one" },
    });
    const copied: unknown[] = [];
    const file = await ParquetFile.open(out);
    for await (const record of parquetRecords(file, { texts: [name], others: [] })) copied.push(record);
    await file.close();
    expect(copied.map((record) => Object.entries(record as object))).toEqual([
      [[name, "one"]],
      [[name, "two"]],
    ]);
  },
);

test.each([
  ["missing", "COLUMN_MISSING"],
  ["__proto__", "COLUMN_MISSING"],
  ["constructor", "COLUMN_MISSING"],
  ["int32", "COLUMN_NOT_TEXT"],
  ["list", "COLUMN_NOT_TEXT"],
  ["decimal38", "COLUMN_NOT_TEXT"],
])("the column %s as text is %s", async (column, code) => {
  const file = await ParquetFile.open(`${DATA}lz4-plain.parquet`);
  const records = parquetRecords(file, { texts: [column], others: [] });
  await expect(records.next()).rejects.toMatchObject({ code, details: { field: column } });
  await file.close();
});

test("integers of every size are spooled as their digits", async () => {
  const folder = new TemporaryFolder();
  const ids = [7n, 9007199254740993n, -5n, 0n, -(2n ** 63n), 2n ** 63n - 1n];
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: "text", data: ids.map(() => "a"), type: "STRING" },
      { name: "id", data: ids, type: "INT64" },
    ],
  });
  const file = await ParquetFile.open(folder.write("in.parquet", new Uint8Array(bytes)));
  const path = folder.file("texts.jsonl");
  await spoolParquet(file, { texts: ["text"], others: ["id"] }, path, {});
  await file.close();
  expect(readFileSync(path, "utf8")).toBe(ids.map((id) => `{"text":"a","id":${id}}\n`).join(""));
});
