/**
 * Pages that are made from tables are fresh, and pages that name files name files that are there.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as main from "../../src/main.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(`${root}/${path}`, "utf8");

describe("generated pages", async () => {
  // A program without types of its own.
  const { pages } = (await import(`${root}/scripts/write-docs.mjs`)) as {
    pages: (tables: typeof main) => Readonly<Record<string, string>>;
  };

  it("hold every exported table of defaults", () => {
    const tables = Object.keys(main).filter((name) => name.endsWith("_DEFAULTS"));
    const page = read("docs/defaults.md");
    expect(tables.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it.each(Object.entries(pages(main)))(
    "%s is what `node scripts/write-docs.mjs` would write",
    (path, text) => {
      expect(read(path)).toBe(text);
    },
  );
});

/** Paths in backticks: with a slash inside or at the end, perhaps behind `node`. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/`(?:node )?((?:[\w.-]+\/)+[\w.-]*)`/g)].map((match) => match[1] ?? "");
}

describe("named files", () => {
  it.each([
    ["CONTRIBUTING.md, its recipes", read("CONTRIBUTING.md"), 15],
    [
      "ARCHITECTURE.md, its code map",
      read("ARCHITECTURE.md").split("## Code map")[1]?.split("## Dedup")[0] ?? "",
      10,
    ],
  ])("are there: %s", (_, text, least) => {
    const paths = pathsIn(text);
    // Several paths in one pair of braces would escape the check.
    expect(text.match(/`[^`\n]*\/[^`\n]*\{[^`\n]*`/g)).toBeNull();
    expect(paths.length).toBeGreaterThanOrEqual(least);
    expect(paths.filter((path) => !existsSync(`${root}/${path}`))).toEqual([]);
  });
});
