/** How a run begins, reports and ends: reports, readers that leave, signals, and what stays on the disk. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createReadStream, existsSync, readFileSync, rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import { SLUICE, outcomeOf, sluice, startSluice } from "../support/command-line.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

/** Time after which a run has begun to wait for the other end of a pipe. */
const WAITING_MS = 800;

/** Distinct passages, enough to keep a run busy for a while. */
function passages(count: number): string {
  return Array.from(
    { length: count },
    (_, n) => `{"text":"passage number ${n} about topic ${n * 7919} and ${n ^ 0x5555}"}\n`,
  ).join("");
}

describe("report", () => {
  test("it is one object with the documented keys, snake_case throughout", async () => {
    const folder = new TemporaryFolder();
    const input = folder.write("in.jsonl", '{"text":"a"}\n{"text":"a"}\n{"text":"a "}\n{"text":"b"}\n');
    const report = folder.file("report.json");
    const run = await sluice(["dedup", input, "--method", "lexical", "--memory", "1GiB", "--report", report]);
    expect(run.status).toBe(0);
    // The file is what the contract says it is.
    const written = JSON.parse(readFileSync(report, "utf8")) as Record<string, Record<string, unknown>>;
    expect(Object.keys(written)).toEqual([
      "stage",
      "version",
      "options",
      "counts",
      "seconds",
      "bytes",
      "limits",
    ]);
    expect(written).toMatchObject({
      stage: "dedup",
      counts: { records: 4, exact: 1, normalized: 1, lexical: 0, semantic: 0, selected: 2, filtered: 2 },
      limits: [],
    });
    const keys = ["options", "counts", "seconds", "bytes"].flatMap((part) =>
      Object.keys(written[part] ?? {}),
    );
    for (const key of keys) expect(key).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(written["options"]).toMatchObject({ jaccard: 0.8, normalize: "space", memory_bytes: 2 ** 30 });
    expect(written["seconds"]?.["total"]).toBeGreaterThan(0);
    expect(written["bytes"]?.["peak_memory"]).toBeGreaterThan(2 ** 20);
  });

  test("the table goes to standard error; --quiet leaves it out", async () => {
    const input = '{"text":"a"}\n{"text":"a"}\n';
    const loud = await sluice(["dedup", "-", "--method", "exact"], { input });
    expect(loud.stdout.toString()).toBe('{"text":"a"}\n');
    for (const word of ["records", "exact", "selected", "filtered", "50.00 %", "total", "peak memory"]) {
      expect(loud.stderr).toContain(word);
    }
    const quiet = await sluice(["dedup", "-", "--method", "exact", "--quiet"], { input });
    expect(quiet.stderr).toBe("");
  });

  test("the same input gives the same bytes for any number of threads", async () => {
    const folder = new TemporaryFolder();
    const input = folder.write("in.jsonl", passages(2000));
    const outputs = await Promise.all(
      ["1", "2", "5"].map(async (threads) => {
        const drops = folder.file(`drops-${threads}`);
        const { stdout } = await sluice([
          "dedup",
          input,
          "--threads",
          threads,
          "--filtered",
          drops,
          "--quiet",
        ]);
        return [stdout.toString(), readFileSync(drops, "utf8")];
      }),
    );
    expect(outputs[1]).toEqual(outputs[0]);
    expect(outputs[2]).toEqual(outputs[0]);
  });
});

describe("memory", () => {
  test("beyond --memory it is MEMORY_LIMIT with status 1, and nothing is written", async () => {
    const folder = new TemporaryFolder();
    const input = folder.write("in.jsonl", passages(20_000));
    const args = ["--method", "lexical", "--memory", "64KiB", "--out", folder.file("out.jsonl")];
    const { status, stderr } = await sluice(["dedup", input, ...args]);
    expect(status).toBe(1);
    expect(stderr).toContain("sluice: MEMORY_LIMIT: ");
    expect(folder.names()).toEqual(["in.jsonl"]);
  });
});

describe("readers that leave", () => {
  test("a broken pipe ends quietly with status 0, and the other outputs are whole", () => {
    const folder = new TemporaryFolder();
    const input = folder.write("in.jsonl", `${passages(30_000)}{"text":"twice"}\n{"text":"twice"}\n`);
    const drops = folder.file("drops.jsonl");
    const command = `"$0" "$1" dedup "$2" --method exact --quiet --filtered "$3" | head -n 1; exit "\${PIPESTATUS[0]}"`;
    const run = spawnSync("bash", ["-c", command, process.execPath, SLUICE, input, drops], {
      encoding: "utf8",
    });
    expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: "" });
    expect(run.stdout.split("\n")).toHaveLength(2);
    expect(readFileSync(drops, "utf8")).toContain('"position":30001');
    expect(folder.names()).toEqual(["drops.jsonl", "in.jsonl"]);
  });

  test("a named pipe is read and written straight through", async () => {
    const folder = new TemporaryFolder();
    expect(spawnSync("mkfifo", [folder.file("in"), folder.file("out")]).status).toBe(0);
    const args = ["--method", "exact", "--out", folder.file("out"), "--quiet"];
    const ended = sluice(["dedup", folder.file("in"), ...args], { env: { TMPDIR: folder.path } });
    spawn("bash", ["-c", 'printf "%s" "$1" > "$0"', folder.file("in"), '{"text":"a"}\n{"text":"a"}\n']);
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(folder.file("out"))) chunks.push(chunk as Buffer);
    expect(await ended).toMatchObject({ status: 0, stderr: "" });
    expect(Buffer.concat(chunks).toString()).toBe('{"text":"a"}\n');
    expect(folder.names()).toEqual(["in", "out"]);
  });
});

describe("signals", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const)(
    "%s while it works: ABORTED, status 1, no file is left",
    async (signal) => {
      const folder = new TemporaryFolder();
      const input = folder.write("in.jsonl", passages(200_000));
      const before = readFileSync(input);
      const child = startSluice(["dedup", input, "--method", "semantic", "--out", folder.file("out.jsonl")], {
        env: { TMPDIR: folder.path },
      });
      const ended = outcomeOf(child);
      while (!folder.names().some((name) => name.endsWith(".tmp"))) await pause(10);
      await pause(150);
      child.kill(signal);
      const { status, stderr } = await ended;
      expect(stderr).toContain("sluice: ABORTED: ");
      expect(status).toBe(1);
      expect(folder.names()).toEqual(["in.jsonl"]);
      expect(readFileSync(input).equals(before)).toBe(true);
    },
  );

  test.each<[what: string, args: string[]]>([
    ["a pipe to write to has no reader", ["in.jsonl", "--out", "pipe"]],
    ["a pipe for the dropped has no reader", ["in.jsonl", "--out", "out.jsonl", "--filtered", "pipe"]],
    ["a pipe to read from has no writer", ["pipe", "--out", "out.jsonl"]],
    ["the pipe of the reference has no writer", ["in.jsonl", "--against", "pipe", "--out", "out.jsonl"]],
  ])("while %s it ends too", async (_, args) => {
    const folder = new TemporaryFolder();
    folder.write("in.jsonl", '{"text":"a"}\n');
    expect(spawnSync("mkfifo", [folder.file("pipe")]).status).toBe(0);
    const child = startSluice(["dedup", ...args, "--method", "exact"], {
      cwd: folder.path,
      env: { TMPDIR: folder.path },
    });
    const ended = outcomeOf(child);
    await pause(WAITING_MS);
    child.kill("SIGTERM");
    const { status, stderr } = await ended;
    expect(stderr).toContain("sluice: ABORTED: ");
    expect(status).toBe(1);
    expect(folder.names()).toEqual(["in.jsonl", "pipe"]);
  });

  test("while a reader does not read it ends too", async () => {
    const folder = new TemporaryFolder();
    const input = folder.write("in.jsonl", passages(30_000));
    expect(spawnSync("mkfifo", [folder.file("pipe")]).status).toBe(0);
    const reader = spawn("bash", ["-c", 'exec 3< "$0"; read -r', folder.file("pipe")]);
    const child = startSluice(["dedup", input, "--method", "exact", "--out", folder.file("pipe")]);
    const ended = outcomeOf(child);
    await pause(2 * WAITING_MS);
    child.kill("SIGTERM");
    const { status, stderr } = await ended;
    reader.stdin.end();
    expect(stderr).toContain("sluice: ABORTED: ");
    expect(status).toBe(1);
  });

  test("the second ends it at once, though the first waits for a reader, and no file is left", async () => {
    const folder = new TemporaryFolder();
    const input = folder.write("in.jsonl", passages(30_000));
    const args = ["--method", "exact", "--filtered", folder.file("drops.jsonl")];
    // Nobody reads its standard output.
    const child = spawn(process.execPath, [SLUICE, "dedup", input, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const exit = once(child, "exit");
    await pause(2 * WAITING_MS);
    child.kill("SIGINT");
    await pause(200);
    expect(folder.names()).toHaveLength(2);
    child.kill("SIGTERM");
    expect(await exit).toEqual([null, "SIGTERM"]);
    expect(folder.names()).toEqual(["in.jsonl"]);
  });

  test.runIf(existsSync("/dev/ptmx"))(
    "the second ends it at once, though the system does not answer",
    async () => {
      const folder = new TemporaryFolder();
      // Reading the master of a terminal that nobody types on cannot be called off.
      const args = ["dedup", "/dev/ptmx", "--out", folder.file("out.jsonl")];
      const child = startSluice(args, { env: { TMPDIR: folder.path } });
      const ended = outcomeOf(child);
      await pause(WAITING_MS);
      child.kill("SIGTERM");
      await pause(200);
      expect(child.exitCode).toBeNull();
      child.kill("SIGTERM");
      expect((await ended).signal).toBe("SIGTERM");
      expect(folder.names()).toEqual([]);
    },
  );

  test("while standard input is awaited it ends too", async () => {
    const folder = new TemporaryFolder();
    const child = spawn(process.execPath, [SLUICE, "dedup", "-", "--out", folder.file("out.jsonl")], {
      env: { ...process.env, TMPDIR: folder.path },
    });
    const ended = outcomeOf(child);
    child.stdin.write('{"text":"a"}\n');
    while (!folder.names().some((name) => name.startsWith("sluice-"))) await pause(10);
    child.kill("SIGINT");
    const { status, stderr } = await ended;
    expect(stderr).toContain("sluice: ABORTED: ");
    expect(status).toBe(1);
    expect(folder.names()).toEqual([]);
  });
});

describe("inputs that go away", () => {
  test("an input that is removed during the run is INPUT_CHANGED", async () => {
    const folder = new TemporaryFolder();
    const input = folder.write("in.jsonl", '{"text":"a"}\n');
    expect(spawnSync("mkfifo", [folder.file("pipe")]).status).toBe(0);
    // The run waits for the reference, so that it is known to have looked at the input.
    const args = ["dedup", input, "--against", folder.file("pipe"), "--method", "exact"];
    const ended = sluice([...args, "--out", folder.file("out.jsonl")]);
    await pause(WAITING_MS);
    rmSync(input);
    spawn("bash", ["-c", 'printf "%s" "$1" > "$0"', folder.file("pipe"), '{"text":"c"}\n']);
    const { status, stderr } = await ended;
    expect(stderr).toMatch(/^sluice: INPUT_CHANGED: /);
    expect(stderr).toContain(input);
    expect(status).toBe(1);
    expect(folder.names()).toEqual(["pipe"]);
  });
});

describe("inputs that change between the passes", () => {
  const lines = passages(30_000);
  const twins = Array.from({ length: 4000 }, () => "the same text");
  // A Parquet file is copied when the dropped are listed; the others, before that.
  test.each<[what: string, name: string, content: Uint8Array, flag: string, others: string[]]>([
    ["JSON lines", "in.jsonl", Buffer.from(lines), "--out", []],
    ["packed JSON lines", "in.jsonl.gz", gzipSync(lines), "--out", []],
    [
      "Parquet",
      "in.parquet",
      new Uint8Array(
        parquetWriteBuffer({ columnData: [{ name: "text", data: twins, type: "STRING" }], codec: "SNAPPY" }),
      ),
      "--filtered",
      ["--out", "out.parquet"],
    ],
  ])("%s: INPUT_CHANGED, and nothing is written", async (_, name, content, flag, others) => {
    const folder = new TemporaryFolder();
    const input = folder.write(name, content);
    expect(spawnSync("mkfifo", [folder.file("pipe")]).status).toBe(0);
    const args = ["dedup", input, "--method", "exact", "--quiet", flag, "pipe", ...others];
    const ended = sluice(args, { cwd: folder.path });
    // What comes first out of the pipe comes after the decision, and the rest does not fit into the pipe.
    const reader = 'exec 3< pipe; read -r <&3; printf "no records at all" > "$0"; cat <&3 > /dev/null';
    spawn("bash", ["-c", reader, input], { cwd: folder.path });
    const { status, stderr } = await ended;
    expect(stderr).toMatch(/^sluice: INPUT_CHANGED: /);
    expect(stderr).toContain(input);
    expect(status).toBe(1);
    expect(folder.names()).toEqual([name, "pipe"]);
  });
});

describe("doctor", () => {
  test("it says what is installed, as lines and as JSON", async () => {
    const json = await sluice(["doctor", "--json"]);
    expect(json.status).toBe(0);
    const findings: unknown = JSON.parse(json.stdout.toString());
    expect(findings).toMatchObject({
      node: process.version,
      core: { status: "ok", instructions_available: expect.arrayContaining(["scalar"]) as unknown },
      models: [{ status: "ok", name: "static-en", dimension: 256 }],
    });
    const lines = await sluice(["doctor"]);
    expect(lines.status).toBe(0);
    for (const word of ["native core", "instructions", "static-en", "threads", "memory"]) {
      expect(lines.stdout.toString()).toContain(word);
    }
  });
});

describe("what a command prints about itself", () => {
  const asked = [["--version"], ["--help"], ["dedup", "--help"], ["index", "build", "--help"], ["help"]];
  test.each(asked.map((args) => [args.join(" "), args] as const))(
    "%s to a full device is IO with status 1, in one line",
    (_, args) => {
      const command = '"$0" "$@" > /dev/full';
      const run = spawnSync("bash", ["-c", command, process.execPath, SLUICE, ...args], { encoding: "utf8" });
      expect(run.status).toBe(1);
      expect(run.stderr).toMatch(/^sluice: IO: [^\n]+\n {2}[^\n]+\n$/);
    },
  );

  test.each(asked.map((args) => [args.join(" "), args] as const))(
    "%s to a reader that has left ends quietly with status 0",
    (_, args) => {
      const command = '{ sleep 0.5; "$0" "$@"; echo "status $?" >&2; } | true';
      const run = spawnSync("bash", ["-c", command, process.execPath, SLUICE, ...args], { encoding: "utf8" });
      expect(run.stderr).toBe("status 0\n");
    },
  );
});
