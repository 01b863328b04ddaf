/** Wrong usage and wrong input end with status 2, failures with 1, each with one code and no stack. */
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, linkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { SLUICE, sluice } from "../support/command-line.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

const LINES = '{"text":"one passage"}\n{"text":"another passage"}\n';

describe("help and version", () => {
  test.each([["--help"], ["--version"], ["dedup", "--help"], ["doctor", "--help"], ["help"]])(
    "%s %s is data on standard output with status 0",
    async (...args) => {
      const { status, stdout, stderr } = await sluice(args);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(stdout.length).toBeGreaterThan(0);
    },
  );

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
  ])("an input that is %s is INPUT_NOT_FOUND", async (_, input) => {
    const folder = new TemporaryFolder();
    const path = input(folder);
    for (const args of [[path], [folder.write("in.jsonl", LINES), "--against", path]]) {
      const { status, stderr } = await sluice(["dedup", ...args, "--out", folder.file("out.jsonl")]);
      expect(status).toBe(2);
      expect(stderr).toMatch(/^sluice: INPUT_NOT_FOUND: /);
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

  test("a name that does not tell the format is INPUT_FORMAT", async () => {
    const folder = new TemporaryFolder();
    const { status, stderr } = await sluice(["dedup", folder.write("passages", LINES)]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^sluice: INPUT_FORMAT: /);
  });

  test.each<[what: string, args: (folder: TemporaryFolder) => string[]]>([
    ["--out is the input", (folder) => ["--out", folder.file("in.jsonl")]],
    ["--out is the input by another path", (folder) => ["--out", `${folder.path}/./in.jsonl`]],
    ["--report is the input", (folder) => ["--report", folder.file("in.jsonl")]],
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
    ["in a folder that is not there", (folder) => folder.file("no/out.jsonl")],
    ["below a file", (folder) => folder.file("in.jsonl/out.jsonl")],
    ["a full device", () => "/dev/full"],
    ["in a folder that takes no files", () => "/proc/out.jsonl"],
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
