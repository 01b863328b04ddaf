/**
 * Writes the pages that are made from tables in the code: `docs/errors.md` and `docs/defaults.md`.
 *
 * A test compares what this would write with what is committed.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import {
  CROSS_ENCODER_DEFAULTS,
  DEDUP_DEFAULTS,
  ERRORS,
  OUTLIER_DEFAULTS,
  REPRESENTATIVE_DEFAULTS,
} from "../dist/main.js";
import { root } from "./setup.mjs";

/** The generated pages by path. */
export function pages() {
  return { "docs/errors.md": errorPage(), "docs/defaults.md": defaultsPage() };
}

function errorPage() {
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

function defaultsPage() {
  return [
    "# Defaults",
    "",
    "`threads` defaults to the available parallelism, but for a cross-encoder.",
    "",
    "## `dedup`, `dedupFile` and `Deduper.from`",
    "",
    "Made from the table in `src/dedup/options.ts`. `floor` defaults to `threshold`.",
    "",
    ...defaultsTable(DEDUP_DEFAULTS),
    "## `filterOutliers` and `filterOutliersIn`",
    "",
    "Made from the table in `src/dedup/outliers.ts`.",
    "",
    ...defaultsTable(OUTLIER_DEFAULTS),
    "## `findRepresentative` and `findRepresentativeIn`",
    "",
    "Made from the table in `src/dedup/representative.ts`.",
    "",
    ...defaultsTable(REPRESENTATIVE_DEFAULTS),
    "## `loadCrossEncoder`",
    "",
    "Made from the table in `src/rerank/cross-encoder-options.ts`. `maxTokens` is less where tokenizer or model say less; `batchSize`",
    "is 1 for a dynamically quantized graph.",
    "",
    ...defaultsTable(CROSS_ENCODER_DEFAULTS),
  ].join("\n");
}

function defaultsTable(defaults) {
  const rows = Object.entries(defaults).map(
    ([name, value]) => `| \`${name}\` | \`${JSON.stringify(value)}\` |`,
  );
  return ["| Option | Default |", "|---|---|", ...rows, ""];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(pages())) writeFileSync(join(root, path), text);
}
