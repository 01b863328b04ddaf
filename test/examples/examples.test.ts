/** Every example runs, as a user would run it, and its own assertions hold. They import the built package. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
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

describe("what is exported", () => {
  const source = fileURLToPath(new URL("../../src", import.meta.url));
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const named = files.flatMap((file) =>
    [...readFileSync(`${source}/${file}`, "utf8").matchAll(/`examples\/([\w-]+)\/`/g)].map(
      (match) => match[1] ?? "",
    ),
  );
  const told = programs.map((program) => readFileSync(`${folder}/${program}`, "utf8")).join("\n");

  it("names examples that are there", () => {
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !programs.includes(`${name}/${name}.mjs`))).toEqual([]);
  });

  it.each([
    "dedup",
    "dedupFile",
    "Deduper.from",
    "loadCrossEncoder",
    "loadEmbedder",
    "veto",
    "retrieve",
    "Index.fromVectorsAndItems",
    "where",
  ])("is called in an example: %s", (call) => {
    expect(told).toContain(`${call}(`);
  });

  it.each([
    "SluiceError",
    "deduplicate",
    "filterOutliers",
    "findRepresentative",
    "histogram",
    "leastSimilar",
  ])("is used in an example: %s", (name) => {
    expect(told).toMatch(new RegExp(`\\b${name}\\b`));
  });
});
