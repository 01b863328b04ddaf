/**
 * Imports point down, and neighbours do not know each other. Read from the sources, so that nobody can forget.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const source = fileURLToPath(new URL("../../src", import.meta.url));

/** Lowest layer first. A file may import from its own folder and from lower layers. */
const LAYERS: ReadonlyArray<readonly string[]> = [
  ["abort.ts", "errors.ts", "metric.ts", "report.ts", "package.ts"],
  ["argument.ts", "file-state.ts", "turns.ts"],
  ["native.ts", "text"],
  ["guard", "embed", "filter", "rerank"],
  ["dedup", "index", "parquet", "stores"],
  ["retrieve"],
  ["memory"],
  ["cli"],
  ["main.ts", "testing.ts"],
];

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : path.endsWith(".ts") ? [path] : [];
  });
}

/** The unit a file belongs to: its folder below `src`, or the file itself. */
function unitOf(path: string): string {
  return relative(source, path).split("/")[0] ?? "";
}

function layerOf(unit: string): number {
  const layer = LAYERS.findIndex((units) => units.includes(unit));
  if (layer === -1) throw new Error(`src/${unit} belongs to no layer: add it to LAYERS.`);
  return layer;
}

const files = filesBelow(source);
const imports = files.flatMap((file) =>
  // What is imported when needed counts as well.
  [
    ...readFileSync(file, "utf8").matchAll(
      /^(?:import|export)\b[^;]*?from "([^"]+)"|\bimport\("([^"]+)"\)/gms,
    ),
  ].map((match) => ({ from: file, to: match[1] ?? match[2] ?? "" })),
);

describe("imports", () => {
  it("are found", () => {
    expect(imports.length).toBeGreaterThan(20);
  });

  it("point down", () => {
    const upward = imports
      .filter(({ to }) => to.startsWith("."))
      .map(({ from, to }) => ({
        from: unitOf(from),
        to: unitOf(normalize(join(dirname(from), to)).replace(/\.js$/, ".ts")),
      }))
      .filter(({ from, to }) => from !== to && layerOf(to) >= layerOf(from))
      .map(({ from, to }) => `${from} -> ${to}`);
    expect(upward).toEqual([]);
  });

  it("reach the native core through one door", () => {
    const others = files.filter((file) => relative(source, file) !== "native.ts");
    const doors = others.filter((file) => {
      const text = readFileSync(file, "utf8");
      // Types may come from anywhere; they are gone when the program runs.
      return text.replaceAll(/^import type \{[^}]*\} from "#native";/gm, "").includes('"#native"');
    });
    expect(doors).toEqual([]);
  });
});
