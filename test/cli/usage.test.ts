/** Wrong usage and wrong input end with status 2, failures with 1, each with one code and no stack. */
import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { FLAGS_BY_OPTION } from "../../src/cli/dedup-flags.js";
import { errorLines, type FailedCommand } from "../../src/cli/error-line.js";
import { ERRORS, SluiceError, type ErrorCode } from "../../src/errors.js";
import { SLUICE, sluice } from "../support/command-line.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

const PARQUET = fileURLToPath(new URL("data/snappy-pages-1.parquet", import.meta.url));

const LINES = '{"text":"one passage"}\n{"text":"another passage"}\n';

const DEDUP: FailedCommand = { name: "sluice dedup", flags: FLAGS_BY_OPTION };

describe("help and version", () => {
  test.each([
    ["--help"],
    ["--version"],
    ["dedup", "--help"],
    ["doctor", "--help"],
    ["ingest", "--help"],
    ["index", "search", "--help"],
    ["retrieve", "--help"],
    ["help"],
  ])("%s %s is data on standard output with status 0", async (...args) => {
    const { status, stdout, stderr } = await sluice(args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.length).toBeGreaterThan(0);
  });

  test("without a command the help goes to standard error with status 2", async () => {
    const { status, stdout, stderr } = await sluice([]);
    expect({ status, stdout: stdout.toString() }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("Usage: sluice");
    expect(stderr).not.toContain("OPTION_INVALID");
  });
});

describe("options are read strictly", () => {
  test.each<[wrong: string[], names: string]>([
    [["--threshold", "0.9x"], "--threshold"],
    [["--threshold", "2"], "--threshold"],
    [["--threshold", "-0.1"], "--threshold"],
    [["--threshold", "NaN"], "--threshold"],
    [["--threshold", "Infinity"], "--threshold"],
    [["--threshold", ""], "--threshold"],
    [["--threshold", "0x1"], "--threshold"],
    [["--jaccard", "0"], "--jaccard"],
    [["--jaccard", "1.01"], "--jaccard"],
    [["--floor", "one"], "--floor"],
    [["--floor", "0.95"], "floor"],
    [["--threads", "0"], "--threads"],
    [["--threads", "1.5"], "--threads"],
    [["--threads", "99999999999"], "--threads"],
    [["--memory", "2 gigs"], "--memory"],
    [["--memory", "0"], "--memory"],
    [["--memory", "-1GiB"], "--memory"],
    [["--method", "fuzzy"], "--method"],
    [["--normalize", "Space"], "--normalize"],
    [["--empty", "maybe"], "--empty"],
    [["--shingles", "word"], "--shingles"],
    [["--shingles", "word:0"], "--shingles"],
    [["--shingles", "letter:3"], "--shingles"],
    [["--shingles", "word:3:4"], "--shingles"],
    [["--guard", "numbers,dates"], "--guard"],
    [["--guard", "numbers,numbers"], "--guard"],
    [["--columns", "a,,b"], "--columns"],
    [["--columns", "a", "--text", "b"], "--columns"],
    [["--format", "xml"], "--format"],
    [["--vetoed", "pairs.jsonl"], "--guard"],
    [["--profile", "paper"], "--profile"],
    [["--keep", ""], "--keep"],
    [["--shard", "1/4"], "--shard"],
    [["--resume", "folder"], "--resume"],
    [["--store", "file:x"], "--store"],
    [["--recall", "0.9"], "--recall"],
    [["second.jsonl"], "too many arguments"],
  ])("%j is OPTION_INVALID and names %s", async (wrong, names) => {
    const folder = new TemporaryFolder();
    const input = folder.write("in.jsonl", LINES);
    const { status, stdout, stderr } = await sluice(["dedup", input, ...wrong]);
    expect({ status, stdout: stdout.toString() }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^sluice: OPTION_INVALID: /);
    expect(stderr).toContain(names);
    expect(stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(2);
    expect(folder.names()).toEqual(["in.jsonl"]);
  });

  test("--debug adds the stack", async () => {
    const { status, stderr } = await sluice(["--debug", "dedup", "in.jsonl", "--threshold", "2"]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/\n {4}at /);
  });
});

describe("inputs and outputs", () => {
  test.each<[what: string, input: (folder: TemporaryFolder) => string]>([
    ["missing", (folder) => folder.file("none.jsonl")],
    ["a directory", (folder) => folder.path],
    ["below a file", (folder) => `${folder.write("file", "x")}/in.jsonl`],
    [
      "a link to nothing",
      (folder) => (symlinkSync("nothing", folder.file("link.jsonl")), folder.file("link.jsonl")),
    ],
  ])("an input that is %s is INPUT_NOT_FOUND", async (what, input) => {
    const folder = new TemporaryFolder();
    const path = input(folder);
    for (const args of [[path], [folder.write("in.jsonl", LINES), "--against", path]]) {
      const { status, stderr } = await sluice(["dedup", ...args, "--out", folder.file("out.jsonl")]);
      expect(status).toBe(2);
      expect(stderr).toMatch(/^sluice: INPUT_NOT_FOUND: /);
      if (what === "a directory") expect(stderr).toContain("is a directory.");
      expect(folder.names()).not.toContain("out.jsonl");
    }
  });

  test.each<[what: string, redirection: string]>([
    ["a directory", "< /"],
    ["closed", "<&-"],
  ])("a standard input that is %s is INPUT_NOT_FOUND", (_, redirection) => {
    const folder = new TemporaryFolder();
    const reference = folder.write("in.jsonl", LINES);
    for (const args of [["-"], [reference, "--against", "-"]]) {
      const out = folder.file("out.jsonl");
      const command = [
        "-c",
        `"$0" "$@" ${redirection}`,
        process.execPath,
        SLUICE,
        "dedup",
        ...args,
        "--out",
        out,
      ];
      const { status, stderr } = spawnSync("bash", command, { encoding: "utf8" });
      expect(status).toBe(2);
      expect(stderr).toMatch(/^sluice: INPUT_NOT_FOUND: /);
      expect(folder.names()).toEqual(["in.jsonl"]);
    }
  });

  test("a standard input without bytes is a file without records", () => {
    const command = `"$0" "$1" dedup - --method exact --quiet < /dev/null`;
    const run = spawnSync("bash", ["-c", command, process.execPath, SLUICE], { encoding: "utf8" });
    expect(run).toMatchObject({ status: 0, stdout: "", stderr: "" });
  });

  test.each([
    ["nothing at all", ""],
    ["empty lines only", "\r\n\n"],
  ])("a CSV of %s has no header, and is INPUT_CSV", async (_, content) => {
    const folder = new TemporaryFolder();
    for (const name of ["in.csv", "in.tsv"]) {
      const { status, stderr } = await sluice(["dedup", folder.write(name, content)]);
      expect(status).toBe(2);
      expect(stderr).toMatch(/^sluice: INPUT_CSV: .*expected a header row/);
    }
  });

  test("a name that does not tell the format is INPUT_FORMAT", async () => {
    const folder = new TemporaryFolder();
    const { status, stderr } = await sluice(["dedup", folder.write("passages", LINES)]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^sluice: INPUT_FORMAT: /);
  });

  test.each<[what: string, args: (folder: TemporaryFolder) => string[]]>([
    ["--out is the input", (folder) => ["--out", folder.file("in.jsonl")]],
    ["--out is the input by another path", (folder) => ["--out", `${folder.path}/./in.jsonl`]],
    [
      "--report is the input",
      (folder) => (linkSync(folder.file("in.jsonl"), folder.file("h")), ["--report", folder.file("h")]),
    ],
    [
      "--out and --filtered are one new file",
      (folder) => ["--out", folder.file("x"), "--filtered", folder.file("x")],
    ],
    [
      "--filtered and --report are one new file",
      (folder) => ["--filtered", folder.file("x"), "--report", folder.file("x")],
    ],
    [
      "--out is a symbolic link to the input",
      (folder) => (symlinkSync("in.jsonl", folder.file("l")), ["--out", folder.file("l")]),
    ],
    [
      "--out is a hard link to the input",
      (folder) => (linkSync(folder.file("in.jsonl"), folder.file("h")), ["--out", folder.file("h")]),
    ],
    [
      "--out is the reference",
      (folder) => ["--against", folder.write("r.jsonl", LINES), "--out", folder.file("r.jsonl")],
    ],
    ["--filtered is standard output too", () => ["--filtered", "/dev/stdout"]],
  ])("it is OUTPUT_IN_USE when %s", async (_, args) => {
    const folder = new TemporaryFolder();
    const input = folder.write("in.jsonl", LINES);
    const { status, stderr } = await sluice(["dedup", input, ...args(folder)]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^sluice: OUTPUT_IN_USE: /);
    expect(folder.names().filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test.each<[what: string, out: (folder: TemporaryFolder) => string]>([
    ["a directory", (folder) => folder.path],
    ["named as a directory", (folder) => `${folder.file("new")}/`],
    ["in a folder that is not there", (folder) => folder.file("no/out")],
    ["below a file", (folder) => folder.file("in.jsonl/out")],
    ["a full device", () => "/dev/full"],
    ["in a folder that takes no files", () => "/proc/out"],
  ])("an output that is %s is IO with status 1, and no other output appears", async (_, out) => {
    const folder = new TemporaryFolder();
    const input = folder.write("in.jsonl", LINES);
    mkdirSync(folder.file("others"));
    for (const flag of ["--out", "--filtered", "--report"]) {
      const others = ["--out", "--filtered", "--report"]
        .filter((other) => other !== flag)
        .flatMap((other) => [other, folder.file(`others/${other}`)]);
      const method = ["--method", "exact"];
      const { status, stderr } = await sluice(["dedup", input, ...method, flag, out(folder), ...others]);
      // Nothing is dropped here, so nothing is written to --filtered.
      if (flag === "--filtered" && out(folder) === "/dev/full") continue;
      expect(stderr).toMatch(/^(?:sluice: \w+\n)*sluice: IO: /);
      expect(status).toBe(1);
      expect(new Set(folder.names())).toEqual(new Set(["in.jsonl", "others"]));
    }
  });
});

describe("an output is what its name says", () => {
  test.each<[input: string, flag: string, output: string]>([
    ["in.jsonl", "--out", "out.jsonl.gz"],
    ["in.jsonl", "--out", "out.GZ"],
    ["in.jsonl", "--out", "out.zst"],
    ["in.jsonl", "--out", "out.jsonl.zip"],
    ["in.jsonl", "--out", "out.csv"],
    ["in.jsonl", "--out", "out.tsv"],
    ["in.jsonl", "--out", "out.txt"],
    ["in.jsonl", "--out", "out.parquet"],
    ["in.jsonl.gz", "--out", "out.jsonl.gz"],
    ["in.csv", "--out", "out.jsonl"],
    ["in.csv", "--out", "out.json"],
    ["in.csv", "--out", "out.tsv"],
    ["in.tsv", "--out", "out.csv"],
    ["in.txt", "--out", "out.ndjson"],
    ["in.parquet", "--out", "out.csv"],
    ["in.parquet", "--out", "out.parquet.gz"],
    ["-", "--out", "out.csv"],
    ["-", "--out", "out.jsonl.gz"],
    ["in.csv", "--filtered", "drops.csv"],
    ["in.jsonl", "--filtered", "drops.jsonl.gz"],
    ["in.jsonl", "--vetoed", "pairs.parquet"],
    ["in.jsonl", "--report", "report.jsonl"],
    ["in.jsonl", "--report", "report.json.gz"],
  ])("%s %s %s is OPTION_INVALID before anything is read", async (input, flag, output) => {
    const folder = new TemporaryFolder();
    // The input is not there, which is not noticed.
    const args = ["dedup", input, flag, output, "--guard", "numbers"];
    const { status, stderr } = await sluice(args, { cwd: folder.path });
    expect(status).toBe(2);
    expect(stderr).toMatch(
      new RegExp(`^sluice: OPTION_INVALID: .*${flag}.*expected a name that ends in \\.`),
    );
    expect(folder.names()).toEqual([]);
  });

  test.each<[input: string, flag: string, output: string]>([
    ["in.jsonl", "--out", "out.jsonl"],
    ["in.jsonl", "--out", "out.ndjson"],
    ["in.jsonl", "--out", "out.json"],
    ["in.jsonl", "--out", "unique"],
    ["in.jsonl", "--out", "unique.2026-01-01"],
    ["in.jsonl", "--out", "gz"],
    ["in.jsonl", "--out", "unique.constructor"],
    ["in.jsonl", "--filtered", "drops.jsonl"],
    ["in.jsonl", "--vetoed", "pairs.jsonl"],
    ["in.jsonl", "--report", "report.json"],
  ])("%s %s %s is written", async (input, flag, output) => {
    const folder = new TemporaryFolder();
    folder.write(input, LINES);
    const args = ["dedup", input, flag, output, "--method", "exact", "--guard", "numbers", "--quiet"];
    expect(await sluice(args, { cwd: folder.path })).toMatchObject({ status: 0, stderr: "" });
    expect(folder.names()).toEqual([input, output].toSorted());
  });

  test("a format that a flag tells counts more than the name of the input", async () => {
    const folder = new TemporaryFolder();
    const args = [
      "dedup",
      folder.write("in.jsonl", LINES),
      "--format",
      "csv",
      "--out",
      folder.file("out.jsonl"),
    ];
    const { status, stderr } = await sluice(args);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^sluice: OPTION_INVALID: .*--out promises \.jsonl, but CSV/);
  });

  test("a format that only the bytes tell is looked at before anything is decided", async () => {
    const folder = new TemporaryFolder();
    const bytes = readFileSync(PARQUET);
    for (const args of [["-"], [folder.write("passages", bytes)]]) {
      const out = folder.file("out.jsonl");
      const { status, stderr } = await sluice(["dedup", ...args, "--out", out], { input: bytes });
      expect(status).toBe(2);
      expect(stderr).toMatch(/^sluice: OPTION_INVALID: .*--out promises \.jsonl, but Parquet/);
      expect(folder.names()).not.toContain("out.jsonl");
    }
  });
});

describe("errors speak of flags", () => {
  /** Flags of the command line alone; the library has no such options. */
  const OWN = ["--out", "--filtered", "--vetoed", "--report", "--quiet", "--help"];

  test("every flag of the help stands for an option of the library, or is one of the command line's own", async () => {
    const { stdout } = await sluice(["dedup", "--help"]);
    const offered = [...stdout.toString().matchAll(/^ {2}(?:-h, )?(--[a-z]+)/gm)].map((match) => match[1]);
    expect(offered.toSorted()).toEqual([...[...FLAGS_BY_OPTION.values()].flat(), ...OWN].toSorted());
  });

  test("the README lists every flag of the help, and no other", async () => {
    const { stdout } = await sluice(["dedup", "--help"]);
    const offered = [...stdout.toString().matchAll(/^ {2}(--[a-z]+)/gm)].map((match) => match[1]);
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const [, table = ""] = readme.split("\n## The command line\n");
    const [dedup = ""] = table.split("\n### ");
    expect([...dedup.matchAll(/^\| `(--[a-z]+)/gm)].map((match) => match[1])).toEqual(offered);
  });

  test.each([...FLAGS_BY_OPTION])("an error about the option %s names %j", (option, flags) => {
    for (const code of ["OPTION_INVALID", "THRESHOLD_BELOW_FLOOR", "MEMORY_LIMIT"] as const) {
      const error = new SluiceError(code, `The option ${option} is beyond ${option}.`, { field: option });
      const [line = ""] = errorLines(error, "lines", DEDUP).split("\n");
      expect(line).toBe(`sluice: ${code}: The option ${flags.join(" or ")} is beyond ${flags.join(" or ")}.`);
    }
  });

  test("a column is no option, even where it is called like one", () => {
    const error = new SluiceError("COLUMN_MISSING", "The record has no format.", { field: "columns" });
    expect(errorLines(error, "lines", DEDUP)).toMatch(/: The record has no format\. \(columns\)\n/);
  });

  // The keys of an object that is not widened are its codes.
  test.each(Object.keys(ERRORS) as ErrorCode[])("the advice of %s names no option of the library", (code) => {
    const advice = errorLines(new SluiceError(code, "It failed."), "lines", DEDUP).split("\n")[1] ?? "";
    for (const option of FLAGS_BY_OPTION.keys()) expect(advice).not.toContain(`\`${option}\``);
    expect(advice).not.toContain("memoryBytes");
  });

  test.each<[args: string[], words: RegExp]>([
    [["--memory", "1KiB"], /than --memory allows.*raise it/s],
    [["--floor", "0.95"], /--floor must not lie above --threshold/],
    [["--columns", "missing"], /choose another with `--columns`, or repair/],
    [["--columns", "text,missing"], /choose another with `--columns`, or repair/],
    [["--text", "missing"], /choose another with `--text`, or repair/],
  ])("%j", async (args, words) => {
    const input = `${LINES}${LINES}`;
    const { stderr } = await sluice(["dedup", "-", "--quiet", ...args], { input });
    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/memoryBytes|`columns`/);
  });

  test.each<[args: string[], flag: string]>([
    [[], "`--text` or `--columns`"],
    [["--text", "nope"], "`--text`"],
    [["--columns", "b,nope"], "`--columns`"],
    [["--text", "b", "--id", "nope"], "`--id`"],
    [["--text", "b", "--keep", "nope"], "`--keep`"],
    [["--text", "b", "--keep", "nope:lowest"], "`--keep`"],
    [["--text", "b", "--id", "nope", "--keep", "nope"], "`--id` or `--keep`"],
  ])("a column that no CSV header has is blamed on the flag that asked for it: %j", async (args, flag) => {
    const input = "a,b\n1,2\n";
    const { status, stderr } = await sluice(["dedup", "-", "--format", "csv", "--quiet", ...args], { input });
    expect(status).toBe(2);
    expect(stderr).toContain(`choose another with ${flag}, or repair the record.`);
  });
});
