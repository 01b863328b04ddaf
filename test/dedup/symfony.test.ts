/**
 * The real job, whole: 661,239 paragraphs of 32 releases. The expected positions come from the brute-force reference of
 * the bench (`bench/reference/greedy.py`), which shares no code with the product.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { dedupFile } from "../../src/main.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

const path = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url));

const UNPACK =
  "import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2], 'wb'), 1 << 20)";

describe("symfony", () => {
  test("every drop is right and none is missed", async (context) => {
    const corpus = new TemporaryFolder().file("symfony.jsonl");
    const packed = path("bench/corpora/symfony-docs-versions/passages.jsonl.xz");
    const unpacked = spawnSync("python3", ["-c", UNPACK, packed, corpus]);
    context.skip(unpacked.status !== 0, "unpacking .xz needs a Python with lzma");
    // The definition is ours; its schema is checked by the bench.
    const { expected } = JSON.parse(readFileSync(path("bench/definitions/dedup-lexical.json"), "utf8")) as {
      expected: { records: number; selected: number; positionsHash: string };
    };

    const result = await dedupFile(corpus, { methods: ["exact", "normalized", "lexical"] });
    const dropped = new Set([...result.filtered()].map(({ position }) => position));
    result.close();

    const { records = 0, selected = 0 } = result.report.counts;
    const kept = Array.from({ length: records }, (_, position) => position).filter((at) => !dropped.has(at));
    expect({ records, selected, kept: kept.length }).toEqual({
      records: expected.records,
      selected: 66_602,
      kept: 66_602,
    });
    expect(createHash("sha256").update(kept.join(",")).digest("hex")).toBe(expected.positionsHash);
  });
});
