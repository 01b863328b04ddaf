/**
 * Pages that are made from tables are fresh, and pages that name files name files that are there.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(`${root}/${path}`, "utf8");

describe("generated pages", async () => {
  // A program without types of its own.
  const { pages } = (await import(`${root}/scripts/write-docs.mjs`)) as {
    pages: () => Readonly<Record<string, string>>;
  };
  it.each(Object.entries(pages()))("%s is what `node scripts/write-docs.mjs` would write", (path, text) => {
    expect(read(path)).toBe(text);
  });
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
    expect(paths.length).toBeGreaterThanOrEqual(least);
    expect(paths.filter((path) => !existsSync(`${root}/${path}`))).toEqual([]);
  });
});
