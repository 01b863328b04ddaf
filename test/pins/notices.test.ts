/**
 * The notices of others are fresh, and they name everything that the package contains of others.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(`${root}/${path}`, "utf8");

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly files: readonly string[];
}

interface NoticesProgram {
  readonly notices: () => string;
  readonly importedPackages: (folder?: string) => string[];
}

describe("THIRD-PARTY-NOTICES", async () => {
  // A program without types of its own.
  const { notices, importedPackages } = (await import(`${root}/scripts/write-notices.mjs`)) as NoticesProgram;
  const committed = read("THIRD-PARTY-NOTICES");
  // What package.json holds, as npm itself reads it.
  const { dependencies, files } = JSON.parse(read("package.json")) as Manifest;

  it("is what `node scripts/write-notices.mjs` would write", () => {
    expect(committed).toBe(notices());
  });

  it("names every package that the sources import", () => {
    const missing = importedPackages().filter((name) => !committed.includes(`\n  ${name} `));
    expect(missing).toEqual([]);
  });

  it("is about bundled code: who installs the package gets no other dependency than what the library imports", () => {
    const folders = readdirSync(`${root}/src`, { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const bundledOnly = ["cli", "parquet"];
    const library = folders
      .filter(({ name }) => !bundledOnly.includes(name))
      .flatMap(({ name }) => importedPackages(`src/${name}`));
    expect(Object.keys(dependencies)).toEqual([...new Set(library)].toSorted());
  });

  it("ships with the package, and so does every text that it points at", () => {
    expect(files).toEqual(expect.arrayContaining(["THIRD-PARTY-NOTICES", "LICENSE", "NOTICE", "models"]));
  });
});
