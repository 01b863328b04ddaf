/**
 * An error as a user sees it: `sluice: CODE: message (where)` and, on a second line, what to do.
 */
import { CommanderError } from "commander";
import { ERRORS, SluiceError, type ErrorCode } from "../errors.js";
import type { FlagsByOption } from "./command-flags.js";
import { inFlags, withFlags, type ToldError } from "./flag-names.js";

/** Whether a stack is printed. */
export type Detail = "lines" | "stack";

/** Every failure as our own error: usage errors of commander are `OPTION_INVALID`, the unexpected is `INTERNAL`. */
export function asSluiceError(error: unknown): SluiceError {
  if (error instanceof SluiceError) return error;
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, "");
    return new SluiceError("OPTION_INVALID", message, {}, { cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new SluiceError("INTERNAL", message, {}, { cause: error });
}

/** The command that failed, as its user calls it. */
export interface FailedCommand {
  /** `sluice dedup`. */
  readonly name: string;
  readonly flags: FlagsByOption;
  /** What to do about a code, where it is another thing for this command than in general. */
  readonly advice?: Partial<Record<ErrorCode, string>>;
}

/** What failed where no command is named. */
export const SLUICE: FailedCommand = { name: "sluice", flags: new Map() };

/** The lines for standard error, with a line break at the end. */
export function errorLines(error: SluiceError, detail: Detail, command: FailedCommand): string {
  const told = inFlags(error, command.flags);
  const where = describeWhere(told);
  const usage = `See \`${command.name} --help\`.`;
  const lines = [
    `sluice: ${error.code}: ${told.message}${where === "" ? "" : ` (${where})`}`,
    `  ${error.code === "OPTION_INVALID" ? usage : (command.advice?.[error.code] ?? withFlags(ERRORS[error.code].meaning, command.flags))}`,
  ].map(printable);
  if (detail === "stack") lines.push(...stacks(error));
  return lines.map((line) => `${line}\n`).join("");
}

/** What the details add to the message: nothing is said twice. */
function describeWhere({ message, details }: ToldError): string {
  const { field, path, position, line, byte, expected, received } = details;
  const said = message.toLowerCase();
  return [
    path,
    field,
    line === undefined ? undefined : `line ${line}`,
    byte === undefined ? undefined : `byte ${byte}`,
    position === undefined ? undefined : `record ${position}`,
    expected === undefined ? undefined : `expected ${expected}`,
    received === undefined ? undefined : `received ${received}`,
  ]
    .filter((part) => part !== undefined && !said.includes(part.toLowerCase()))
    .join(", ");
}

function stacks(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  return [...(error.stack ?? "").split("\n"), ...stacks(error.cause)];
}

/** One line, without control characters: a file name must not move the cursor. */
function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
}
