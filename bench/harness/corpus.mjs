/**
 * Corpora by name: unpacked or generated on first use, and their SHA-256 checked on every use.
 *
 * `corpora/corpora.json` says what each is made of. A corpus with other bytes than it names is an error, because every expected
 * answer would then be about another text.
 */
import { createHash } from "node:crypto";
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { execFileSync } from "node:child_process";
import { createInterface } from "node:readline";

import { z } from "zod";

import { distinctCorpus } from "../corpora/distinct.mjs";
import { joinCorpus } from "../corpora/join.mjs";
import { mutateCorpus } from "../corpora/mutate.mjs";
import { vectorCorpus } from "../corpora/vectors.mjs";
import { BENCH, CORPORA, ROOT, SYSTEM_PYTHON } from "./places.mjs";

const Corpora = z.record(
  z.string(),
  z.strictObject({
    title: z.string(),
    records: z.int().positive(),
    sha256: z.string().length(64),
    source: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("packed"), path: z.string() }),
      z.strictObject({ kind: z.literal("first"), corpus: z.string() }),
      z.strictObject({ kind: z.literal("mutated"), corpus: z.string() }),
      z.strictObject({ kind: z.literal("joined"), corpus: z.string() }),
      /** Texts that differ: those of a corpus, then those of a packed file with tabs. */
      z.strictObject({ kind: z.literal("distinct"), corpus: z.string(), then: z.string().optional() }),
      /** Vectors of a corpus, some of which are queries, with the right answers. */
      z.strictObject({ kind: z.literal("vectors"), corpus: z.string(), queries: z.int().positive() }),
    ]),
  }),
);

/** @typedef {{name: string, title: string, records: number, bytes: number, sha256: string, path: string}} Corpus */

const UNPACK_XZ =
  "import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2], 'wb'), 1 << 20)";

/** The names in `corpora.json`. */
export function corpusNames() {
  return Object.keys(readCorpora());
}

/**
 * The named corpus as a plain JSONL file; vectors as the file that `corpora/vector-file.mjs` describes.
 * @param {string} name
 * @returns {Promise<Corpus>}
 */
export async function openCorpus(name) {
  const corpora = readCorpora();
  const entry = corpora[name];
  if (entry === undefined)
    throw new Error(`no corpus "${name}"; there are ${Object.keys(corpora).join(", ")}`);
  const path = join(CORPORA, `${name}.${entry.source.kind === "vectors" ? "vectors" : "jsonl"}`);
  if (!existsSync(path)) {
    mkdirSync(CORPORA, { recursive: true });
    const unfinished = `${path}.tmp`;
    await make(entry.source, entry.records, unfinished);
    renameSync(unfinished, path);
  }
  const sha256 = await sha256Of(path);
  if (sha256 !== entry.sha256) {
    throw new Error(
      `corpus "${name}": expected sha256 ${entry.sha256}, received ${sha256}; delete ${path} and run again`,
    );
  }
  return { name, title: entry.title, records: entry.records, bytes: statSync(path).size, sha256, path };
}

function readCorpora() {
  return Corpora.parse(JSON.parse(readFileSync(join(BENCH, "corpora", "corpora.json"), "utf8")));
}

/**
 * @param {z.infer<typeof Corpora>[string]["source"]} source
 * @param {number} records
 * @param {string} output
 */
async function make(source, records, output) {
  switch (source.kind) {
    case "packed": {
      const packed = join(ROOT, source.path);
      if (packed.endsWith(".gz"))
        return pipeline(createReadStream(packed), createGunzip(), createWriteStream(output));
      unpackXz(packed, output);
      return;
    }
    case "first": {
      const { path } = await openCorpus(source.corpus);
      return pipeline(firstLines(path, records), createWriteStream(output));
    }
    case "mutated": {
      const { path } = await openCorpus(source.corpus);
      await mutateCorpus(path, output);
      return;
    }
    case "joined": {
      const { path } = await openCorpus(source.corpus);
      await joinCorpus(path, output);
      return;
    }
    case "distinct": {
      const { path } = await openCorpus(source.corpus);
      const tabbed = `${output}.tsv`;
      if (source.then !== undefined) unpackXz(join(ROOT, source.then), tabbed);
      await distinctCorpus(source.then === undefined ? [path] : [path, tabbed], records, output);
      rmSync(tabbed, { force: true });
      return;
    }
    case "vectors": {
      const { path } = await openCorpus(source.corpus);
      await vectorCorpus(path, source.queries, output);
    }
  }
}

/** @param {string} packed @param {string} output */
function unpackXz(packed, output) {
  execFileSync(SYSTEM_PYTHON, ["-c", UNPACK_XZ, packed, output]);
}

/** @param {string} path @param {number} count @returns {AsyncGenerator<string>} */
async function* firstLines(path, count) {
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Infinity })) {
    if (line === count) return;
    line += 1;
    yield `${text}\n`;
  }
}

/** @param {string} path @returns {Promise<string>} */
async function sha256Of(path) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex");
}
