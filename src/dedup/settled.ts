/**
 * Which options a call of a `Deduper` may still bring, after the fit has settled the rest.
 */
import { SluiceError } from "../errors.js";
import { requireObject } from "../argument.js";

/** Options that a `Deduper` settled when it was fitted. */
const SETTLED = ["columns", "id", "methods", "normalize", "empty", "shingles", "embedder"];

/**
 * The options of a call, but for those that are `undefined`, which leave the fit as it is. Options that the fit has
 * settled, and those in `useless`, would have no effect and are refused.
 */
export function changing<Options extends object>(options: Options, useless: readonly string[]): Options {
  requireObject(options);
  const present = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [name] of present) {
    if (SETTLED.includes(name)) {
      throw new SluiceError(
        "OPTION_INVALID",
        `The option ${name} belongs to the Deduper that is compared with.`,
        {
          field: name,
          expected: "the option at Deduper.from",
          received: "the option at a later call",
        },
      );
    }
    if (useless.includes(name)) {
      throw new SluiceError("OPTION_INVALID", `The option ${name} has no effect on this call.`, {
        field: name,
        expected: "no such option here",
        received: "the option",
      });
    }
  }
  // What was left out may be left out by the type of every options object.
  return Object.fromEntries(present) as Options;
}
