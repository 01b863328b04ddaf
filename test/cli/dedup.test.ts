/** What `sluice dedup` writes, for every format and packing, and what it says about it. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { describe, expect, test } from "vitest";
import { sluice } from "../support/command-line.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

const PARQUET = fileURLToPath(new URL("data/snappy-pages-1.parquet", import.meta.url));

const ZSTD = fileURLToPath(new URL("data/two-frames.jsonl.zst", import.meta.url));

/** Records 0 and 3 stay; 1 is an exact copy of 0, 2 a normalized one, 4 a lexical one of 3. */
const LONG =
  "the quick brown fox jumps over the lazy dog while the band plays on in the old town hall tonight";
const TEXTS = ["a passage", "a passage", "a  passage ", LONG, `${LONG} again`];
const SELECTED = [0, 3];
const FILTERED = [
  { position: 1, reason: "exact", score: 1, duplicate_of: 0 },
  { position: 2, reason: "normalized", score: 1, duplicate_of: 0 },
  { position: 4, reason: "lexical", score: 18 / 19, duplicate_of: 3 },
];

interface Format {
  readonly name: string;
  readonly line: (text: string, position: number) => string;
  readonly head: string;
  readonly id: (position: number) => unknown;
}

const FORMATS: readonly Format[] = [
  {
    name: "jsonl",
    // Spaces, order and escapes must come out as they went in.
    line: (text, position) =>
      `{ "id": "r${position}",  "text":${JSON.stringify(text).replace("a", "\\u0061")} }\n`,
    head: "",
    id: (position) => `r${position}`,
  },
  {
    name: "csv",
    line: (text, position) => `r${position},"${text}"\r\n`,
    head: "id,text\r\n",
    id: (position) => `r${position}`,
  },
  {
    name: "tsv",
    line: (text, position) => `r${position}\t"${text}"\n`,
    head: "id\ttext\n",
    id: (position) => `r${position}`,
  },
  { name: "txt", line: (text) => `${text}\n`, head: "", id: () => null },
];

const PACKINGS: ReadonlyArray<{ readonly name: string; readonly pack: (text: string) => Uint8Array }> = [
  { name: "plain", pack: (text) => Buffer.from(text) },
  { name: "gzip", pack: (text) => gzipSync(text) },
  {
    name: "gzip of two members",
    pack: (text) => Buffer.concat([gzipSync(text.slice(0, 40)), gzipSync(text.slice(40))]),
  },
];

describe.each(FORMATS)("$name", ({ name, line, head, id }) => {
  const whole = head + TEXTS.map(line).join("");
  const chosen = head + SELECTED.map((position) => line(TEXTS[position] ?? "", position)).join("");
  const filtered = FILTERED.map(({ position, reason, score, duplicate_of: witness }) => ({
    position,
    id: id(position),
    reason,
    score,
    duplicate_of: { position: witness, id: id(witness) },
  }));

  test.each(PACKINGS)(
    "$name: selected bytes are unchanged, and every drop has its witness",
    async ({ name: packing, pack }) => {
      const folder = new TemporaryFolder();
      const input = folder.write(`in.${name}${packing === "plain" ? "" : ".gz"}`, pack(whole));
      const [out, drops] = [folder.file("out"), folder.file("filtered.jsonl")];
      const run = await sluice(["dedup", input, "--method", "lexical", "--out", out, "--filtered", drops]);
      expect(run).toMatchObject({ status: 0, stdout: Buffer.alloc(0) });
      expect(readFileSync(out, "utf8")).toBe(chosen);
      expect(linesOf(readFileSync(drops, "utf8"))).toEqual(filtered);
      expect(folder.names()).toEqual(["filtered.jsonl", input.split("/").at(-1), "out"].sort());
    },
  );

  test("from standard input to standard output it is the same", async () => {
    for (const { pack } of PACKINGS) {
      const folder = new TemporaryFolder();
      const args = ["dedup", "-", "--format", name, "--method", "lexical", "--quiet"];
      const { status, stdout, stderr } = await sluice(args, {
        input: pack(whole),
        env: { TMPDIR: folder.path },
      });
      expect({ status, stdout: stdout.toString(), stderr }).toEqual({
        status: 0,
        stdout: chosen,
        stderr: "",
      });
      expect(folder.names()).toEqual([]);
    }
  });

  test("an input without records gives an output without records", async () => {
    for (const content of ["", head]) {
      const { status, stdout } = await sluice(["dedup", "-", "--format", name, "--method", "lexical"], {
        input: content,
      });
      // A CSV without a header is none.
      if (head !== "" && content === "") continue;
      expect({ status, stdout: stdout.toString() }).toEqual({ status: 0, stdout: content });
    }
  });
});

test("zstd of two frames is unpacked, told by the name and by the bytes", async () => {
  const named = await sluice(["dedup", ZSTD, "--method", "exact"]);
  const piped = await sluice(["dedup", "-", "--method", "exact"], { input: readFileSync(ZSTD) });
  for (const { status, stdout } of [named, piped]) {
    expect({ status, stdout: stdout.toString() }).toEqual({
      status: 0,
      stdout: '{"text":"a"}\n{"text":"b"}\n',
    });
  }
});

describe("--vetoed", () => {
  const guarded = ["--method", "lexical", "--jaccard", "0.5", "--guard", "numbers", "--quiet"];
  const texts = [`${LONG} 25`, `${LONG} 26`, "something else", `${LONG} 25`];

  test("holds every pair that a guard kept apart: guard, score and the kept record", async () => {
    const folder = new TemporaryFolder();
    const input = texts.map((text, n) => `{"id":${n}.0,"text":"${text}"}\n`).join("");
    const pairs = folder.file("pairs.jsonl");
    const { status } = await sluice(["dedup", "-", ...guarded, "--vetoed", pairs], { input });
    expect(status).toBe(0);
    // 19 words have 17 shingles of 3 each; the last one differs. Ids are written as they came.
    expect(readFileSync(pairs, "utf8")).toMatch(/"id":1\.0,.*"id":0\.0\}/);
    expect(linesOf(readFileSync(pairs, "utf8"))).toEqual([
      {
        position: 1,
        id: 1,
        guard: "numbers",
        score: expect.closeTo(18 / 20, 12) as number,
        compared_with: { position: 0, id: 0 },
      },
    ]);
  });

  test("names a record of the reference as --filtered does", async () => {
    const folder = new TemporaryFolder();
    const reference = folder.write("old.jsonl", `{"text":"new"}\n{"text":"${LONG} 25"}\n`);
    const pairs = folder.file("pairs.jsonl");
    const input = `{"text":"${LONG} 26"}\n`;
    await sluice(["dedup", "-", ...guarded, "--against", reference, "--vetoed", pairs], { input });
    expect(linesOf(readFileSync(pairs, "utf8"))).toMatchObject([
      { position: 0, id: null, guard: "numbers", compared_with: { reference: { position: 1, id: null } } },
    ]);
  });

  test("is empty when nothing was vetoed", async () => {
    const folder = new TemporaryFolder();
    const pairs = folder.file("pairs.jsonl");
    await sluice(["dedup", "-", ...guarded, "--vetoed", pairs], { input: '{"text":"a"}\n' });
    expect(readFileSync(pairs, "utf8")).toBe("");
  });
});

describe("Parquet", () => {
  test("the report names the size of the file, and that of the texts in it", async () => {
    const folder = new TemporaryFolder();
    const report = folder.file("report.json");
    const args = ["--method", "exact", "--report", report, "--out", "/dev/null", "--quiet"];
    const { status } = await sluice(["dedup", PARQUET, ...args]);
    expect(status).toBe(0);
    // The file is what the contract says it is.
    const { bytes } = JSON.parse(readFileSync(report, "utf8")) as { bytes: Record<string, number> };
    const rows = await rowsOf(readFileSync(PARQUET));
    const texts = rows.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    expect(bytes["input"]).toBe(readFileSync(PARQUET).length);
    expect(bytes["unpacked"]).toBeGreaterThan(texts);
  });

  test("the chosen rows come out under the same schema, with the dropped ones listed", async () => {
    const folder = new TemporaryFolder();
    const [out, drops] = [folder.file("out.parquet"), folder.file("filtered.jsonl")];
    const args = ["--method", "exact", "--out", out, "--filtered", drops];
    const { status } = await sluice(["dedup", PARQUET, ...args], { env: { TMPDIR: folder.path } });
    expect(status).toBe(0);
    const rows = await rowsOf(readFileSync(PARQUET));
    const first = new Map(rows.map(({ text }, position) => [text, position] as const).reverse());
    const isFirst = (text: string, position: number): boolean => first.get(text) === position;
    expect(await rowsOf(readFileSync(out))).toEqual(
      rows.filter(({ text }, position) => isFirst(text, position)),
    );
    expect(linesOf(readFileSync(drops, "utf8"))).toEqual(
      rows.flatMap(({ text }, position) =>
        isFirst(text, position)
          ? []
          : [
              {
                position,
                id: position,
                reason: "exact",
                score: 1,
                duplicate_of: { position: first.get(text), id: first.get(text) },
              },
            ],
      ),
    );
    expect(folder.names()).toEqual(["filtered.jsonl", "out.parquet"]);
  });

  test("it is recognised on standard input and behind any name", async () => {
    const folder = new TemporaryFolder();
    const bytes = readFileSync(PARQUET);
    const named = await sluice(["dedup", folder.write("passages", bytes), "--method", "exact"]);
    const piped = await sluice(["dedup", "-", "--method", "exact"], { input: bytes });
    expect(named.status).toBe(0);
    expect(piped.stdout.equals(named.stdout)).toBe(true);
    expect((await rowsOf(named.stdout)).length).toBeGreaterThan(0);
  });

  test("it can be the reference of lines, and lines can be its reference", async () => {
    const folder = new TemporaryFolder();
    const rows = await rowsOf(readFileSync(PARQUET));
    const lines = folder.write(
      "in.jsonl",
      [`{"text":"new"}`, JSON.stringify({ text: rows[5]?.text })].join("\n"),
    );
    const drops = folder.file("drops.jsonl");
    const common = ["--method", "exact", "--filtered", drops, "--out", "/dev/null"];
    expect((await sluice(["dedup", lines, "--against", PARQUET, ...common])).status).toBe(0);
    expect(linesOf(readFileSync(drops, "utf8"))).toMatchObject([
      { position: 1, duplicate_of: { reference: { position: 5, id: 5 } } },
    ]);
    expect((await sluice(["dedup", PARQUET, "--against", lines, ...common])).status).toBe(0);
    expect(linesOf(readFileSync(drops, "utf8"))).toContainEqual({
      position: 5,
      id: 5,
      reason: "exact",
      score: 1,
      duplicate_of: { reference: { position: 1, id: null } },
    });
  });

  test("a null text is COLUMN_NOT_TEXT at its row", async () => {
    const { status, stderr } = await sluice(["dedup", PARQUET, "--text", "name", "--method", "exact"]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/sluice: COLUMN_NOT_TEXT: /);
    expect(stderr).toMatch(/record \d+/i);
    expect(stderr).not.toContain("line");
    expect(stderr).not.toContain("input-texts");
  });

  test("cut short it is INPUT_PARQUET, and nothing is written", async () => {
    const folder = new TemporaryFolder();
    const bytes = readFileSync(PARQUET);
    for (const share of [0, 0.1, 0.5, 0.999]) {
      const cut = folder.write("cut.parquet", bytes.subarray(0, bytes.length * share));
      const { status, stderr } = await sluice(["dedup", cut, "--out", folder.file("out.parquet")]);
      expect(status).toBe(2);
      expect(stderr).toMatch(/^sluice: INPUT_PARQUET: /);
      expect(folder.names()).toEqual(["cut.parquet"]);
    }
  });
});

describe("records that are hard", () => {
  test.each<[what: string, content: string | Uint8Array, code: string, where: RegExp]>([
    ["no text", '{"text":"a"}\n{"other":"b"}\n', "COLUMN_MISSING", /line 2/i],
    ["a null", '{"text":"a"}\n{"text":null}\n', "COLUMN_NOT_TEXT", /line 2/i],
    ["a number", '{"text":7}\n', "COLUMN_NOT_TEXT", /line 1/i],
    ["half of a surrogate pair", '{"text":"\\ud800"}\n', "INPUT_JSON", /line 1/i],
    ["no JSON", '{"text":"a"}\n{"text":\n', "INPUT_JSON", /line 2/i],
    ["bytes that are not UTF-8", Buffer.from('{"text":"\xff"}\n', "latin1"), "INPUT_ENCODING", /line 1/i],
  ])("a record with %s is a typed error with its place", async (_, content, code, where) => {
    const folder = new TemporaryFolder();
    for (const run of [
      await sluice(["dedup", folder.write("in.jsonl", content), "--method", "exact"]),
      await sluice(["dedup", "-", "--method", "exact"], { input: content }),
    ]) {
      expect(run.status).toBe(2);
      expect(run.stderr).toContain(`sluice: ${code}: `);
      expect(run.stderr).toMatch(where);
      expect(run.stderr).not.toMatch(/sluice-\w+\/input/);
    }
  });

  test("a line of 100 MB passes", { timeout: 180_000 }, async () => {
    const line = `{"text":"${"many words ".repeat(9_600_000)}"}\n`;
    const { status, stdout } = await sluice(["dedup", "-", "--method", "exact"], { input: line + line });
    expect(status).toBe(0);
    expect(stdout.length).toBe(line.length);
  });

  test("packed input that is cut short is INPUT_COMPRESSED, and nothing is written", async () => {
    const folder = new TemporaryFolder();
    const packed = gzipSync('{"text":"a passage"}\n'.repeat(1000));
    const input = folder.write("in.jsonl.gz", packed.subarray(0, packed.length - 9));
    expect(gunzipSync(packed).length).toBeGreaterThan(0);
    const { status, stderr } = await sluice([
      "dedup",
      input,
      "--method",
      "exact",
      "--out",
      folder.file("out.jsonl"),
    ]);
    expect(status).toBe(2);
    expect(stderr).toContain("sluice: INPUT_COMPRESSED: ");
    expect(folder.names()).toEqual(["in.jsonl.gz"]);
  });
});

describe("options reach the core", () => {
  const lines = (texts: readonly string[]): string =>
    texts.map((text, n) => `${JSON.stringify({ text, n })}\n`).join("");
  test.each<[args: string[], texts: string[], kept: number[]]>([
    [
      ["--method", "exact", "--normalize", "none"],
      ["a", "a ", "A"],
      [0, 1, 2],
    ],
    [["--method", "exact", "--normalize", "case"], ["a", "a ", "A"], [0]],
    [["--method", "exact", "--empty", "drop"], ["a", " ", ""], [0]],
    [
      ["--method", "exact", "--empty", "collapse"],
      ["a", " ", ""],
      [0, 1],
    ],
    [
      ["--method", "exact", "--keep", "n"],
      ["a", "a", "b"],
      [1, 2],
    ],
    [
      ["--method", "exact", "--keep", "n:lowest"],
      ["a", "a", "b"],
      [0, 2],
    ],
    [
      ["--method", "exact", "--keep", "longest"],
      ["a", "a  ", "b"],
      [1, 2],
    ],
    [
      ["--method", "lexical", "--jaccard", "0.99"],
      [LONG, `${LONG} again`],
      [0, 1],
    ],
    [["--method", "lexical", "--shingles", "character:3", "--jaccard", "0.5"], ["colour", "colours"], [0]],
    [
      ["--method", "lexical", "--guard", "numbers"],
      [`${LONG} 1`, `${LONG} 2`],
      [0, 1],
    ],
    [
      ["--method", "semantic", "--threshold", "0.99"],
      ["how to reset a password", "how do I bake bread"],
      [0, 1],
    ],
    [["--method", "all", "--embedder", "hash"], ["how to reset a password", "how to reset a password."], [0]],
  ])("%j", async (args, texts, kept) => {
    const { status, stdout } = await sluice(["dedup", "-", "--quiet", ...args], { input: lines(texts) });
    expect(status).toBe(0);
    expect(linesOf(stdout.toString()).map((record) => (record as { n: number }).n)).toEqual(kept);
  });

  test("several columns are compared as a tuple", async () => {
    const input = '{"a":"x","b":"y"}\n{"a":"xy","b":""}\n{"b":"y","a":"x"}\n';
    const { stdout } = await sluice(["dedup", "-", "--columns", "a,b", "--method", "exact"], { input });
    expect(stdout.toString()).toBe(input.split("\n").slice(0, 2).join("\n") + "\n");
  });
});

function linesOf(text: string): unknown[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
}

async function rowsOf(bytes: Uint8Array): Promise<Array<{ text: string }>> {
  const file = new Uint8Array(bytes).buffer;
  return (await parquetReadObjects({ file, compressors, utf8: false })) as Array<{ text: string }>;
}
