/**
 * Brings Qdrant's own engine for the tests: the in-process edition, from PyPI, in an environment of its own.
 *
 * Two versions, because servers differ in how they are asked for a substring; each with the server whose answers it gives.
 * `npm test` calls this; by hand it is `node scripts/qdrant-edge.mjs`. Where there is no Python or no wheel, one line says so
 * and the tests that need an engine are skipped.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The engines: version of `qdrant-edge-py`, and of a server that answers alike. */
export const ENGINES = [
  { version: "0.8.0", server: "1.19.0" },
  { version: "0.9.0", server: "1.20.0" },
];

const folder = fileURLToPath(new URL("../node_modules/.cache/qdrant-edge", import.meta.url));
const isWindows = process.platform === "win32";
/** Most milliseconds for one step; a machine without a network shall not wait longer. */
const STEP_MS_MAX = 120_000;

/** The Python that has the engine of a version, whether it is there or not. */
export function engineProgram(version) {
  return join(folder, version, ...(isWindows ? ["Scripts", "python.exe"] : ["bin", "python"]));
}

/** Makes what is missing; the reason where that fails, else undefined. */
export function bringEngines() {
  const missing = ENGINES.filter(({ version }) => !holds(version));
  if (missing.length === 0) return undefined;
  const python = ["python3", "python"].find((program) =>
    succeeds(program, ["-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))"]),
  );
  if (python === undefined) return "there is no Python 3.10 or newer with `venv` and `pip`";
  for (const { version } of missing) {
    const made = join(folder, version);
    rmSync(made, { recursive: true, force: true });
    mkdirSync(dirname(made), { recursive: true });
    console.log(`sluice: bringing qdrant-edge-py ${version} for the tests`);
    const wheel = ["--no-deps", "--only-binary", ":all:", `qdrant-edge-py==${version}`];
    const quiet = ["--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "20"];
    const steps = [
      [python, ["-m", "venv", made]],
      [engineProgram(version), ["-m", "pip", "install", ...quiet, ...wheel]],
    ];
    if (!steps.every(([program, args]) => succeeds(program, args)) || !holds(version)) {
      rmSync(made, { recursive: true, force: true });
      return `pip could not install qdrant-edge-py ${version}`;
    }
  }
  return undefined;
}

function holds(version) {
  return existsSync(engineProgram(version)) && succeeds(engineProgram(version), ["-c", "import qdrant_edge"]);
}

function succeeds(program, args) {
  return spawnSync(program, args, { stdio: "ignore", timeout: STEP_MS_MAX }).status === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) reportEngines();

/** The same with a line for whoever watches. */
export function reportEngines() {
  const reason = bringEngines();
  if (reason !== undefined) console.log(`sluice: tests on Qdrant's own engine are skipped: ${reason}.`);
}
