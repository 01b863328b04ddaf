/** A file appears under its name when it is whole, or not at all. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { AtomicOutput, findTarget } from "../../src/cli/atomic-output.js";
import { OutputSet } from "../../src/cli/output-set.js";
import { StandardOutput } from "../../src/cli/standard-output.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

const BYTES = new TextEncoder().encode("new content\n");

async function open(path: string): Promise<AtomicOutput> {
  return AtomicOutput.open(await findTarget(path));
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
    await expect(OutputSet.open(paths, [], new StandardOutput())).rejects.toMatchObject({ code: "IO" });
    expect(folder.names()).toEqual([]);
  });

  test("they get their names together", async () => {
    const folder = new TemporaryFolder();
    const names = ["out", "filtered", "report"] as const;
    const outputs = await OutputSet.open(
      new Map(names.map((name) => [name, folder.file(name)])),
      [],
      new StandardOutput(),
    );
    for (const name of names) await outputs.sink(name)?.write(BYTES);
    expect(folder.names().every((name) => name.endsWith(".tmp"))).toBe(true);
    await outputs.commit();
    expect(folder.names()).toEqual(["filtered", "out", "report"]);
  });
});
