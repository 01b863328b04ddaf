/** Every example runs, as a user would run it, and its own assertions hold. They import the built package. */
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("../../examples", import.meta.url));
const programs = readdirSync(folder).map((name) => `${name}/${name}.mjs`);

describe("examples", () => {
  it("there are some", () => {
    expect(programs).toContain("quick-start/quick-start.mjs");
  });

  it.each(programs)("%s runs, prints something and asserts its outcome", async (program) => {
    // Rejects when the exit status is not 0, with what was written to stderr.
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [`${folder}/${program}`]);
    expect(stdout).not.toBe("");
    expect(stderr).toBe("");
  });
});
