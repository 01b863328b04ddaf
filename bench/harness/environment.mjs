/**
 * The environment that every contender starts with: three variables, and nothing else of the caller's.
 *
 * A variable can cost one side what it does not cost the other: a list of extra certificates makes each start of Node parse
 * them all, and thread limits or locales change what a peer does.
 */
import process from "node:process";

/** What stands under "Fairness" in every record. */
export const ENVIRONMENT_NOTE =
  "Every contender starts with the same three environment variables: PATH, HOME and LANG.";

/** @returns {NodeJS.ProcessEnv} */
export function contenderEnvironment() {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, LANG: "C.UTF-8" };
}
