/**
 * The cosines beside the edited pairs, by which the guards are judged, are those of the embedder that ships.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { loadEmbedder } from "../../src/main.js";

const linesOf = (path: string): string[] =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8")
    .trimEnd()
    .split("\n");

it("every one, to four digits", async () => {
  const pairs = linesOf("bench/evaluation/data/edit-pairs/pairs.tsv").map((line) =>
    line.split("\t").map((column) => column.replaceAll("\\n", "\n")),
  );
  const written = linesOf("crates/guard/tests/data/edit-pairs-cosines.txt");
  const embedder = await loadEmbedder("static-en");
  const texts = pairs.flatMap(([, , a = "", b = ""]) => [a, b]);
  const rows = await embedder.embed(texts);

  const row = (at: number): Float32Array =>
    rows.subarray(at * embedder.dimension, (at + 1) * embedder.dimension);
  const cosines = pairs.map((_, pair) =>
    row(2 * pair).reduce((sum, component, at) => sum + component * (row(2 * pair + 1)[at] ?? NaN), 0),
  );
  expect(written).toHaveLength(pairs.length);
  const strayed = cosines.filter((cosine, pair) => !(Math.abs(cosine - Number(written[pair])) <= 0.000051));
  expect(strayed).toEqual([]);
});
