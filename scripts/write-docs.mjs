/**
 * Writes the pages that are made from tables in the code: `docs/errors.md` and `docs/defaults.md`.
 *
 * It builds the TypeScript first, so that the tables are those of the sources. A test compares what this would write with
 * what is committed.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { root, run } from "./setup.mjs";

/** The generated pages by path, from what `src/main.ts` exports. */
export function pages(tables) {
  return { "docs/errors.md": errorPage(tables), "docs/defaults.md": defaultsPage(tables) };
}

function errorPage({ ERRORS }) {
  const rows = Object.entries(ERRORS).map(
    ([code, { meaning, exit, http, retryable }]) =>
      `| \`${code}\` | ${meaning} | ${exit} | ${http} | ${retryable ? "yes" : "no"} |`,
  );
  return [
    "# Error codes",
    "",
    "Made from the table in `src/errors.ts`. Every failure is a `SluiceError` with one of these codes; `details` says where",
    "(position, line, field), what was expected and what came. No error holds the text of a record.",
    "",
    "| Code | What happened, what to do | Exit status | HTTP | Retry can help |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

/** Which calls a table is for, its name among the exports, where it stands, and what is to be said of it. */
const DEFAULTS = [
  [
    "`dedup`, `dedupFile` and `Deduper.from`",
    "DEDUP_DEFAULTS",
    "src/dedup/options.ts",
    "`floor` defaults to `threshold`.",
  ],
  ["`filterOutliers` and `filterOutliersIn`", "OUTLIER_DEFAULTS", "src/dedup/outliers.ts"],
  [
    "`findRepresentative` and `findRepresentativeIn`",
    "REPRESENTATIVE_DEFAULTS",
    "src/dedup/representative.ts",
  ],
  [
    "`retrieve`",
    "RETRIEVE_DEFAULTS",
    "src/retrieve/options.ts",
    "`topKReranked` is that of `topK` where a `reranker` is given; `hybridK` and `hybridPool` are those of `hybrid.k` and `hybrid.pool`.",
  ],
  [
    "`loadCrossEncoder`",
    "CROSS_ENCODER_DEFAULTS",
    "src/rerank/cross-encoder-options.ts",
    "`maxTokens` is less where tokenizer or model say less; `batchSize` is 1 for a dynamically quantized graph.",
  ],
  [
    "`Memory`",
    "MEMORY_DEFAULTS",
    "src/memory/options.ts",
    "`threshold` is the least cosine of a search; `semanticThreshold` is that of semantic `dedup`, where a fact counts as known.",
  ],
  ["`retry` of a `VectorStoreHub`", "RETRY_DEFAULTS", "src/stores/retry.ts"],
];

function defaultsPage(tables) {
  const sections = DEFAULTS.flatMap(([calls, name, path, note]) => [
    `## ${calls}`,
    "",
    `Made from the table \`${name}\` in \`${path}\`.${note === undefined ? "" : ` ${note}`}`,
    "",
    ...defaultsTable(tables[name]),
  ]);
  return [
    "# Defaults",
    "",
    "`threads` defaults to the available parallelism, but for a cross-encoder.",
    "",
    ...sections,
  ].join("\n");
}

function defaultsTable(defaults) {
  const rows = Object.entries(defaults).map(
    ([name, value]) => `| \`${name}\` | \`${JSON.stringify(value)}\` |`,
  );
  return ["| Option | Default |", "|---|---|", ...rows, ""];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  run("npm", ["run", "--silent", "build:ts"]);
  const tables = await import("../dist/main.js");
  for (const [path, text] of Object.entries(pages(tables))) writeFileSync(join(root, path), text);
}
