/**
 * Errors of the library name its options; whoever types a command knows flags.
 *
 * Which flag stands for which option is known to the table of each command alone. `columns` and `id` are words as well: they are
 * options where the library marks them so, or where the whole error is about an option.
 */
import type { ErrorCode, ErrorDetails, SluiceError } from "../errors.js";
import type { FlagsByOption } from "./command-flags.js";

/** What of an error is printed. */
export type ToldError = Pick<SluiceError, "message" | "details">;

/** Errors whose `field` is an option; in the others it is a column. */
const ABOUT_OPTIONS: ReadonlySet<ErrorCode> = new Set([
  "OPTION_INVALID",
  "THRESHOLD_BELOW_FLOOR",
  "MEMORY_LIMIT",
]);

/** An error with flags in the place of options. */
export function inFlags({ code, message, details }: SluiceError, known: FlagsByOption): ToldError {
  const [option = ""] = details.field?.split(".") ?? [];
  const flags = known.get(option);
  if (flags === undefined || !ABOUT_OPTIONS.has(code)) return { message: withFlags(message, known), details };
  const told: ErrorDetails = { ...details, field: flags.join(" or ") };
  return { message: [...known].reduce(withWord, withFlags(message, known)), details: told };
}

/** A text with flags in the place of options that stand in backticks or cannot be mistaken for a word. */
export function withFlags(text: string, known: FlagsByOption): string {
  let told = text;
  for (const [option, flags] of known) {
    told = told.replaceAll(`\`${option}\``, flags.map((flag) => `\`${flag}\``).join(" or "));
    if (/[A-Z]/.test(option)) told = withWord(told, [option, flags]);
  }
  return told;
}

/** A text with flags in the place of an option that stands there as a word, unquoted. */
function withWord(text: string, [option, flags]: readonly [string, readonly string[]]): string {
  return text.replaceAll(new RegExp(`(?<![-\\w"'\`])${option}(?![-\\w"'\`])`, "g"), flags.join(" or "));
}
