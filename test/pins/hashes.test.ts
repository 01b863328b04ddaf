/**
 * Every SHA-256 that a document gives for a committed file is that file's.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** The hash of a committed file, and that of what a gzip file holds. */
const file = (path: string): string => sha256(readFileSync(join(root, path)));
const unpacked = (path: string): string => sha256(gunzipSync(readFileSync(join(root, path))));

/** xz is not in Node: what the bench compares the unpacked corpus with before every race. */
function unpackedCorpus(name: string): string {
  const corpora = JSON.parse(readFileSync(join(root, "bench/corpora/corpora.json"), "utf8")) as Readonly<
    Record<string, { readonly sha256: string }>
  >;
  return corpora[name]?.sha256 ?? "";
}

const DATA = "bench/evaluation/data";
const packed = (name: string): [string, string[]] => [
  `${DATA}/${name.split("/")[0] ?? ""}/SOURCE.md`,
  [file(`${DATA}/${name}`), unpacked(`${DATA}/${name}`)],
];

/** Document, the hashes in it from top to bottom. */
const DOCUMENTS: ReadonlyArray<readonly [document: string, hashes: readonly string[]]> = [
  packed("banking77/intents.jsonl.gz"),
  packed("clinc150/intents.jsonl.gz"),
  [`${DATA}/edit-pairs/SOURCE.md`, [file(`${DATA}/edit-pairs/pairs.tsv`)]],
  packed("hwu64/intents.jsonl.gz"),
  packed("sts2016-answer-answer/pairs.jsonl.gz"),
  packed("sts2016-postediting/pairs.jsonl.gz"),
  packed("sts2016-question-question/pairs.jsonl.gz"),
  [
    "bench/corpora/symfony-docs-versions/SOURCE.md",
    [file("bench/corpora/symfony-docs-versions/passages.jsonl.xz"), unpackedCorpus("symfony")],
  ],
  [
    "examples/etcd/NOTICE.md",
    [file("examples/etcd/passages.jsonl.gz"), unpacked("examples/etcd/passages.jsonl.gz")],
  ],
  [
    "models/static-en/CARD.md",
    [file("models/static-en/static-en-256-int4.safetensors"), file("models/static-en/vocab.txt")],
  ],
  [
    "training/static-en/data/LICENCES.md",
    [file("training/static-en/data/corpus.tsv.xz"), file("training/static-en/data/pairs.tsv.xz")],
  ],
];

function hashesIn(path: string): string[] {
  return readFileSync(join(root, path), "utf8").match(/\b[0-9a-f]{64}\b/g) ?? [];
}

/** What is not ours, not committed, or the record of a race, whose hashes are those of answers. */
const LEFT_OUT = new Set(["node_modules", "target", "dist", "native", "records", ".git", ".peers", ".venv"]);

function documentsBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : documentsBelow(path);
    return /\.md$|NOTICE/.test(entry.name) ? [path] : [];
  });
}

describe("hashes in documents", () => {
  it.each(DOCUMENTS)("%s gives those of the files", (document, hashes) => {
    expect(hashesIn(document)).toEqual(hashes);
  });

  it("stand in no other document", () => {
    const known = DOCUMENTS.map(([document]) => document);
    const others = documentsBelow("").filter((path) => !known.includes(path) && hashesIn(path).length > 0);
    expect(others).toEqual([]);
  });
});
