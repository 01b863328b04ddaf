/**
 * The report as a file: one JSON object, snake_case, with the same keys in the same order for every run.
 */
import type { StageReport } from "../report.js";

/** The text of a `--report` file. */
export function reportJson(report: StageReport): string {
  const { stage, strategy, version, options, counts, seconds, bytes, limits } = report;
  const told = { stage, strategy, version, options, counts, seconds, bytes, limits };
  return `${JSON.stringify(snakeCase(told), null, 2)}\n`;
}

function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snakeCase(inner),
    ]),
  );
}
