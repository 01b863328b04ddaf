/**
 * What `npm start` and `npm test` do first: check the tools, install, build the core, build the TypeScript.
 *
 * Each step is skipped when what it makes is newer than what it is made from.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** Root of the repository. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command with inherited output; exits with one line when it fails. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options });
  if (error !== undefined) stop(`${command} could not be started (${error.message}).`);
  if (status !== 0) stop(`\`${command} ${args.join(" ")}\` failed with status ${status}.`);
}

function stop(line) {
  console.error(`sluice: ${line}`);
  process.exit(1);
}

function works(command, args) {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

function requireTools() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    stop(`Node 20.19 or newer is needed, this is ${process.version}.`);
  if (!works("cargo", ["--version"]))
    stop("Rust is missing: install a stable toolchain (1.89 or newer) so that `cargo` is on the PATH.");
  const version = spawnSync("rustc", ["--version"], { encoding: "utf8" }).stdout ?? "";
  const rust = /^rustc 1\.(\d+)\./.exec(version);
  if (rust !== null && Number(rust[1]) < 89) stop(`Rust 1.89 or newer is needed, this is ${version.trim()}.`);
  if (
    !["cc", "gcc", "clang", "cl"].some((compiler) =>
      works(compiler, compiler === "cl" ? ["/?"] : ["--version"]),
    )
  ) {
    stop("A C compiler is missing: Rust needs one to link (on Debian: the package build-essential).");
  }
}

/** Time of the newest file below the given paths, in milliseconds; 0 when there is none. */
function newest(paths) {
  let latest = 0;
  for (const path of paths) {
    const full = join(root, path);
    if (!existsSync(full)) continue;
    const stat = statSync(full);
    if (!stat.isDirectory()) latest = Math.max(latest, stat.mtimeMs);
    else
      for (const name of readdirSync(full))
        if (name !== "target") latest = Math.max(latest, newest([join(path, name)]));
  }
  return latest;
}

function outdated(made, sources) {
  return !existsSync(join(root, made)) || statSync(join(root, made)).mtimeMs < newest(sources);
}

/** Installs and builds whatever is missing or older than its sources. */
export function setUp() {
  requireTools();
  if (outdated("node_modules/.package-lock.json", ["package-lock.json"]))
    run("npm", ["ci", "--no-fund", "--no-audit"]);
  if (outdated("native/binding.cjs", ["crates", "bindings", "Cargo.toml", "Cargo.lock"])) {
    console.log("sluice: building the native core (about two minutes the first time)");
    run("npm", ["run", "--silent", "build:native"]);
  }
  // The command line is built last: where it is fresh, the rest is too.
  const builtFrom = ["src", "package.json", "tsconfig.json", "tsconfig.build.json", "rolldown.config.js"];
  if (outdated("dist/cli/sluice.js", builtFrom)) run("npm", ["run", "--silent", "build:ts"]);
}
