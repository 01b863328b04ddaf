/** The committed corpus: paragraphs of six releases of the etcd documentation (see `examples/etcd/NOTICE.md`). */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** A paragraph. */
export interface Passage {
  readonly id: number;
  readonly src: string;
  readonly text: string;
  readonly [column: string]: unknown;
}

/** All 16,207 paragraphs, in the order of the file. */
export function readEtcd(): Passage[] {
  const packed = readFileSync(new URL("../../examples/etcd/passages.jsonl.gz", import.meta.url));
  return gunzipSync(packed)
    .toString("utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Passage);
}
