/**
 * Every dependency has its reason written down, and nothing is named that is not there.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(`${root}/${path}`, "utf8");

// As npm itself reads it.
const { dependencies, devDependencies } = JSON.parse(read("package.json")) as Readonly<
  Record<"dependencies" | "devDependencies", Readonly<Record<string, string>>>
>;
// A program without types of its own.
const { importedPackages } = (await import(`${root}/scripts/write-notices.mjs`)) as {
  readonly importedPackages: () => string[];
};

/** The packages of the table in CONTRIBUTING.md whose first column has this heading. */
function tableOf(heading: string): string[] {
  const [, after = ""] = read("CONTRIBUTING.md").split(`| ${heading} | Why |\n|---|---|\n`);
  const [rows = ""] = after.split("\n\n");
  return rows
    .trim()
    .split("\n")
    .flatMap((row) => (row.split("|")[1] ?? "").split(",").map((name) => name.trim()))
    .toSorted();
}

describe("packages, in CONTRIBUTING.md", () => {
  const installed = Object.keys(dependencies).toSorted();
  const bundled = importedPackages().filter((name) => !installed.includes(name));
  const others = Object.keys(devDependencies).filter((name) => !bundled.includes(name));

  it.each<[heading: string, names: readonly string[]]>([
    ["Installed with it", installed],
    ["Bundled into it", bundled.toSorted()],
    ["For development", others.toSorted()],
  ])("%s", (heading, names) => {
    expect(tableOf(heading)).toEqual(names);
  });
});

it("every crate of others has its reason behind it, in Cargo.toml", () => {
  const [, after = ""] = read("Cargo.toml").split("# Each with its reason.\n");
  const [lines = ""] = after.split("\n\n");
  const crates = lines.split("\n");
  expect(crates.length).toBeGreaterThan(20);
  expect(crates.filter((line) => !/ = .* # \S/.test(line))).toEqual([]);
});
