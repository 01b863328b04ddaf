/**
 * The numbers of a stage as a table for people; `report-file.ts` writes them for programs.
 */
import Table from "cli-table3";
import type { StageReport } from "../report.js";

/** The numbers of a stage as a table: counts with their share of the input, seconds, sizes, and every limit that bit. */
export function reportTable(report: StageReport): string {
  const records = report.counts["records"] ?? 0;
  const table = new Table({
    head: [report.stage, "number", "share"],
    colAligns: ["left", "right", "right"],
    style: { head: [], border: [], compact: true },
  });
  if (report.strategy !== undefined) table.push(["strategy", report.strategy, ""]);
  for (const [name, count] of Object.entries(report.counts)) {
    const isShare = SHARES.has(name);
    // What is not part of the sum is shown when there is something to see.
    if (count === 0 && !isShare && name !== "records") continue;
    const share = isShare && records > 0 ? `${((100 * count) / records).toFixed(2)} %` : "";
    table.push([words(name), grouped(count), share]);
  }
  for (const [step, seconds] of Object.entries(report.seconds)) {
    if (seconds < SECONDS_LEAST && step !== "total") continue;
    table.push([`${words(step)} time`, `${seconds.toFixed(3)} s`, ""]);
  }
  for (const [name, bytes] of Object.entries(report.bytes)) table.push([words(name), size(bytes), ""]);
  const limits = report.limits.map((limit) => `limit: ${limit}`);
  return [table.toString(), ...limits].join("\n");
}

/** Counts of records, which are shares of the input. */
const SHARES: ReadonlySet<string> = new Set([
  "exact",
  "normalized",
  "lexical",
  "semantic",
  "selected",
  "filtered",
]);

/** Steps shorter than this are not worth a row. */
const SECONDS_LEAST = 0.0005;

function words(name: string): string {
  return name.replaceAll("_", " ");
}

function grouped(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
}

function size(bytes: number): string {
  let value = bytes;
  for (const unit of ["B", "KiB", "MiB"]) {
    if (value < 1024) return `${unit === "B" ? value : value.toFixed(1)} ${unit}`;
    value /= 1024;
  }
  return `${value.toFixed(2)} GiB`;
}
