/**
 * What to do about a column that is missing: the advice names the flag that asked for it.
 */
import type { ErrorDetails } from "../errors.js";
import type { FlagsByOption } from "./command-flags.js";
import { readKeep } from "./dedup-flags.js";

/** The flags of a command that name columns, as the user typed them. */
export interface ColumnFlags {
  readonly text?: string;
  readonly columns?: string;
  readonly id?: string;
  readonly keep?: string;
}

/** The options of all commands whose default is a column of that name. */
const DEFAULT_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  text: ["columns", "text"],
  id: ["id"],
};

/** The advice about `COLUMN_MISSING`. */
export function columnAdvice({ field = "" }: ErrorDetails, typed: ColumnFlags, known: FlagsByOption): string {
  const flags = flagsFor(field, typed, known).map((flag) => `\`${flag}\``);
  if (flags.length === 0) return "A record lacks a field that it needs; repair the record.";
  return `A chosen column is not there; choose another with ${flags.join(" or ")}, or repair the record.`;
}

function flagsFor(column: string, typed: ColumnFlags, known: FlagsByOption): readonly string[] {
  const { text, columns = "", id, keep } = typed;
  const named = [
    { flag: "--text", names: [text] },
    { flag: "--columns", names: columns.split(",").map((name) => name.trim()) },
    { flag: "--id", names: [id] },
    { flag: "--keep", names: keep === undefined ? [] : fieldOf(keep) },
  ].filter(({ names }) => names.includes(column));
  if (named.length > 0) return named.map(({ flag }) => flag);
  // A column may be called like what all objects inherit.
  const options = Object.hasOwn(DEFAULT_COLUMNS, column) ? (DEFAULT_COLUMNS[column] ?? []) : [];
  return options.flatMap((option) => known.get(option) ?? []);
}

function fieldOf(keep: string): readonly string[] {
  const policy = readKeep(keep);
  return typeof policy === "string" ? [] : [policy.field];
}
