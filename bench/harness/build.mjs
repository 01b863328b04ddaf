/** Builds a contender that is a program of this repository, so that a race never times an older one. */
import { spawnSync } from "node:child_process";

import { ROOT } from "./places.mjs";

/**
 * Runs a contender's build command; one that is up to date costs no more than the tool's look at it.
 * @param {import("./definition.mjs").BenchmarkContender} contender
 * @returns {string | undefined} why it could not be built
 */
export function buildFault({ build }) {
  if (build === undefined) return undefined;
  const [program = "", ...programArguments] = build;
  const { status, error } = spawnSync(program, programArguments, {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return status === 0 ? undefined : `${build.join(" ")}: ${error?.message ?? `exit ${status}`}`;
}
