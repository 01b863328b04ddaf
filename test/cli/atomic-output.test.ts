/** A file appears under its name when it is whole, or not at all. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { AtomicOutput, findTarget } from "../../src/cli/atomic-output.js";
import { OutputSet } from "../../src/cli/output-set.js";
import { StandardOutput } from "../../src/cli/standard-output.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

const BYTES = new TextEncoder().encode("new content\n");

async function open(path: string): Promise<AtomicOutput> {
  return AtomicOutput.open(await findTarget(path));
}

async function openAll<Name extends string>(paths: ReadonlyMap<Name, string>): Promise<OutputSet<Name>> {
  return OutputSet.open(paths, [], new StandardOutput(), new AbortController().signal);
}

describe("one file", () => {
  test("until it is committed the old content stays; then the new one is there, and nothing else", async () => {
    const folder = new TemporaryFolder();
    const path = folder.write("out.txt", "old content\n");
    const output = await open(path);
    await output.write(BYTES);
    await output.finish();
    expect(readFileSync(path, "utf8")).toBe("old content\n");
    await output.commit();
    expect(readFileSync(path, "utf8")).toBe("new content\n");
    expect(folder.names()).toEqual(["out.txt"]);
    // As for any file the user makes: readable by whom the umask lets.
    expect(statSync(path).mode & 0o777).toBe(statSync(folder.write("plain.txt", "")).mode & 0o777);
  });

  test.each(["before anything is written", "half-way", "when it is finished"])(
    "discarded %s it leaves nothing",
    async (when) => {
      const folder = new TemporaryFolder();
      const output = await open(folder.file("out.txt"));
      expect(folder.names()).toHaveLength(1);
      if (when !== "before anything is written") await output.write(BYTES);
      if (when === "when it is finished") await output.finish();
      await output.discard();
      await output.discard();
      expect(folder.names()).toEqual([]);
    },
  );

  test("a discard after the commit keeps the file", async () => {
    const folder = new TemporaryFolder();
    const output = await open(folder.file("out.txt"));
    await output.write(BYTES);
    await output.finish();
    await output.commit();
    await output.discard();
    expect(folder.names()).toEqual(["out.txt"]);
  });

  test("a symbolic link keeps being one: the file behind it is replaced", async () => {
    const folder = new TemporaryFolder();
    mkdirSync(folder.file("data"));
    folder.write("data/real.txt", "old content\n");
    symlinkSync("data/real.txt", folder.file("link.txt"));
    const output = await open(folder.file("link.txt"));
    await output.write(BYTES);
    await output.finish();
    await output.commit();
    expect(readFileSync(folder.file("data/real.txt"), "utf8")).toBe("new content\n");
    expect(folder.names()).toEqual(["data", "link.txt"]);
  });

  test.each([0o600, 0o640, 0o666, 0o400])(
    "the new file has the mode %o of the one replaced, at all times",
    async (mode) => {
      const folder = new TemporaryFolder();
      const path = folder.write("out.txt", "old content\n");
      chmodSync(path, mode);
      const output = await open(path);
      const modes = () => folder.names().map((name) => statSync(folder.file(name)).mode & 0o777);
      expect(modes()).toEqual([mode, mode]);
      await output.write(BYTES);
      await output.finish();
      await output.commit();
      expect(modes()).toEqual([mode]);
    },
  );

  test("the owner stays too, where this user may give files away", async (context) => {
    context.skip(process.getuid?.() !== 0, "only the superuser may");
    const folder = new TemporaryFolder();
    const path = folder.write("out.txt", "old content\n");
    chownSync(path, 12_345, 54_321);
    const output = await open(path);
    await output.finish();
    await output.commit();
    expect(statSync(path)).toMatchObject({ uid: 12_345, gid: 54_321 });
  });

  test.each([1, 200, 250, 255])("a name of %i bytes is no longer than the system allows", async (length) => {
    const folder = new TemporaryFolder();
    const output = await open(folder.file("x".repeat(length)));
    await output.finish();
    await output.commit();
    expect(folder.names()).toEqual(["x".repeat(length)]);
  });

  test.each([
    ["a new file", ["new/", "new//", "new/."]],
    ["a file", ["out.txt/", "out.txt/."]],
    ["a link to nothing", ["link/"]],
  ])("%s that is named as a directory is IO", async (_, names) => {
    const folder = new TemporaryFolder();
    folder.write("out.txt", "old content\n");
    symlinkSync("nothing", folder.file("link"));
    for (const name of names)
      await expect(open(`${folder.path}/${name}`)).rejects.toMatchObject({ code: "IO" });
    expect(folder.names()).toEqual(["link", "out.txt"]);
  });

  test("a device is written straight through", async () => {
    const output = await open("/dev/null");
    expect(output.target.kind).toBe("device");
    await output.write(BYTES);
    await output.finish();
    await output.commit();
  });

  test("a full device is IO", async () => {
    const output = await open("/dev/full");
    await expect(output.write(BYTES)).rejects.toMatchObject({
      code: "IO",
      message: expect.stringContaining("disk is full") as string,
    });
    await output.discard();
  });

  test("a full disk is IO, and the old content stays", async (context) => {
    const folder = new TemporaryFolder();
    mkdirSync(folder.file("disk"));
    // Needs the right to mount; without it `/dev/full` above stands for it.
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder.file("disk")]);
    context.skip(mounted.status !== 0, "this user may not mount a small disk");
    onTestFinished(() => void spawnSync("umount", [folder.file("disk")]));
    const path = folder.write("disk/out.txt", "old content\n");
    const output = await open(path);
    await expect(output.write(new Uint8Array(2 ** 20))).rejects.toMatchObject({ code: "IO" });
    await output.discard();
    expect(readFileSync(path, "utf8")).toBe("old content\n");
  });

  test("a folder that may not be written to is IO", async (context) => {
    context.skip(process.getuid?.() === 0, "the superuser may write everywhere");
    const folder = new TemporaryFolder();
    chmodSync(folder.path, 0o500);
    await expect(open(folder.file("out.txt"))).rejects.toMatchObject({ code: "IO" });
  });
});

describe("several files", () => {
  test("when one cannot be opened none is left behind", async () => {
    const folder = new TemporaryFolder();
    const paths = new Map([
      ["out", folder.file("out.txt")],
      ["report", folder.file("no/report.json")],
    ]);
    await expect(openAll(paths)).rejects.toMatchObject({ code: "IO" });
    expect(folder.names()).toEqual([]);
  });

  test("they get their names together", async () => {
    const folder = new TemporaryFolder();
    const names = ["out", "filtered", "report"] as const;
    const outputs = await openAll(new Map(names.map((name) => [name, folder.file(name)])));
    for (const name of names) await outputs.sink(name)?.write(BYTES);
    expect(folder.names().every((name) => name.endsWith(".tmp"))).toBe(true);
    await outputs.commit();
    expect(folder.names()).toEqual(["filtered", "out", "report"]);
  });

  test.each<[what: string, happen: (folder: TemporaryFolder) => void]>([
    [
      "a name becomes a directory",
      (folder) => {
        mkdirSync(folder.file("b/report"));
      },
    ],
    ["a name becomes a pipe", (folder) => void spawnSync("mkfifo", [folder.file("b/report")])],
    [
      "a folder goes",
      (folder) => {
        rmSync(folder.file("b"), { recursive: true });
      },
    ],
    [
      "a finished file is taken away",
      (folder) => {
        removeTemporaries(folder.file("b"));
      },
    ],
    [
      "a folder becomes a file",
      (folder) => {
        rmSync(folder.file("b"), { recursive: true });
        writeFileSync(folder.file("b"), "");
      },
    ],
  ])("when %s during the run none appears", async (_, happen) => {
    const folder = new TemporaryFolder();
    for (const name of ["a", "b"]) mkdirSync(folder.file(name));
    const outputs = await openAll(
      new Map([
        ["out", folder.file("a/out")],
        ["report", folder.file("b/report")],
      ]),
    );
    happen(folder);
    await expect(outputs.commit()).rejects.toMatchObject({ code: "IO" });
    await outputs.discard();
    expect(readdirSync(folder.file("a"))).toEqual([]);
  });
});

function removeTemporaries(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
}
