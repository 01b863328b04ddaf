/**
 * Writes `THIRD-PARTY-NOTICES`: what the package contains of others, and the texts that their licences ask for.
 *
 * The npm packages are those that the command line bundles, from `package-lock.json`; the crates are those that the addon
 * links on Linux x64, from `cargo tree`. Where a licence is a choice, the first of `CHOICES` is taken. A text that several
 * share stands once, below all their copyright lines. A test compares what this would write with what is committed.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { root } from "./setup.mjs";

/** Licences that we take where we may choose, the one we like best first. */
const CHOICES = ["MIT", "CC0-1.0", "Apache-2.0"];
/** Licences whose text is not repeated: CC0 asks for no notice, Apache-2.0 for its text, which is LICENSE. */
const NOT_REPEATED = ["CC0-1.0", "Apache-2.0"];
/** Names of the file that holds the text of a licence, best first; a package has one of them. */
const PLAIN_FILE = /^licen[cs]e(\.\w+)?$/i;
const FILES = {
  "MIT": [/^licen[cs]e-mit(\.\w+)?$/i, PLAIN_FILE],
  "Unicode-3.0": [/^license-unicode$/i],
};
/** Files of several licences hold this one among others. */
const MIT = /Permission is hereby granted, free of charge[^]*?DEALINGS\s+IN\s+THE\s+SOFTWARE\./;
/** A line that names a holder, and is no part of the terms. */
const HOLDER = /^[\s-]*Copyright (\([cC]\)|©|\d{4}|[A-Z][a-z]+ ).*$/;
/** Crates that are published without their licence, and where the licence of their repository lies. */
const ELSEWHERE = { "napi": "node_modules/@napi-rs/cli", "napi-sys": "node_modules/@napi-rs/cli" };

const text = (...path) => readFileSync(join(root, ...path), "utf8");

/** The whole file. */
export function notices() {
  const [bundled, linked] = [npmPackages(), crates()];
  const wordnet = text("crates/guard/data/WORDNET-LICENSE.txt").trimEnd();
  return [
    "Third-party notices of Sluice",
    "",
    "Made by `node scripts/write-notices.mjs`. Sluice itself: LICENSE and NOTICE. Shipped weights: models/.",
    "",
    "Bundled into dist/cli:",
    ...bundled.map(line),
    "",
    "Linked into native/ (besides the Rust standard library, Copyright The Rust Project contributors, taken under",
    "Apache-2.0, whose text is LICENSE):",
    ...linked.map(line),
    "  WordNet 3.0 (WordNet), from which the antonyms of the guard are derived",
    "",
    ...grouped([...bundled, ...linked]).flatMap(section),
    ...section({ heads: ["WordNet 3.0"], body: wordnet }),
  ].join("\n");
}

const line = ({ name, version, licences }) => `  ${name} ${version} (${licences.join(" and ")})`;

function section({ heads, body }) {
  return ["-".repeat(80), ...heads, "", body, ""];
}

/** The packages that `src/` imports, their dependencies included: all of them are bundled. */
function npmPackages() {
  const { packages } = JSON.parse(text("package-lock.json"));
  const found = new Map();
  const visit = (name, from) => {
    // As Node resolves it: in the folder of who asks, else one further out.
    const path = `${from}node_modules/${name}`;
    if (packages[path] === undefined && from !== "") visit(name, outerOf(from));
    if (packages[path] === undefined || found.has(path)) return;
    const { version, license, dependencies, optionalDependencies } = packages[path];
    found.set(path, { name, version, licences: chosen(license), folder: join(root, path) });
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) visit(next, `${path}/`);
  };
  for (const name of importedPackages()) visit(name, "");
  return [...found.values()].sort(byName);
}

/** `a/node_modules/b/` lies in `a/`, `node_modules/a/` in the root. */
function outerOf(folder) {
  return folder.slice(0, folder.lastIndexOf("node_modules/"));
}

/** The npm packages that `src/` names in an import, but for those that the user installs: optional peers are in nothing of ours. */
export function importedPackages(folder = "src") {
  const sources = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => text(folder, path));
  const names = sources.flatMap((source) =>
    [...source.matchAll(/\b(?:from|import\()\s*"((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/[^"]*)?"/g)].map(
      ([, name]) => name,
    ),
  );
  const { peerDependencies } = JSON.parse(text("package.json"));
  return [...new Set(names)].filter((name) => !(name in peerDependencies)).sort();
}

/** What the addon links. */
function crates() {
  const target = "x86_64-unknown-linux-gnu";
  const { packages } = JSON.parse(
    cargo("metadata", "--format-version=1", `--filter-platform=${target}`, "--locked", "--offline"),
  );
  const linked = cargo(
    ...["tree", "--package=sluice-node", "--edges=normal,no-proc-macro", `--target=${target}`],
    ...["--prefix=none", "--format={p}", "--locked", "--offline"],
  );
  const names = new Set(linked.split("\n").map((crate) => crate.split(" ").slice(0, 2).join(" ")));
  return packages
    .filter(({ name, version, source }) => source !== null && names.has(`${name} v${version}`))
    .map(({ name, version, license, manifest_path: manifest }) => ({
      name,
      version,
      licences: chosen(license),
      folder: name in ELSEWHERE ? join(root, ELSEWHERE[name]) : dirname(manifest),
    }))
    .sort(byName);
}

function cargo(...args) {
  const { status, stdout, stderr } = spawnSync("cargo", args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`cargo ${args[0]} failed: ${stderr}`);
  return stdout;
}

/** The licences of an SPDX expression that we take: all that stand beside each other, one of each choice. */
function chosen(expression) {
  return expression.split(" AND ").map((part) => {
    const offered = part.replace(/[()]/g, "").split(/ OR |\//);
    if (offered.length === 1) return offered[0];
    const ours = CHOICES.find((licence) => offered.includes(licence));
    if (ours === undefined) throw new Error(`None of the licences ${part} is among our choices.`);
    return ours;
  });
}

/** Texts with the copyright lines of all who share them, in the order of the packages. */
function grouped(packages) {
  const groups = new Map();
  for (const { name, version, licences, folder } of packages) {
    for (const licence of licences.filter((each) => !NOT_REPEATED.includes(each))) {
      const lines = licenceText(folder, licence).split("\n");
      const isHolder = (each) => HOLDER.test(each) && !each.includes("[yyyy]");
      const rest = lines.filter((each) => !isHolder(each)).join("\n");
      const body = (licence === "MIT" ? MIT.exec(rest)?.[0] : rest)?.trim();
      if (body === undefined) throw new Error(`The text of ${licence} in ${folder} is not what we know.`);
      // Line breaks and the kind of quotes make no other text.
      const key = body.replace(/\s+/g, " ").replaceAll("'", '"');
      if (!groups.has(key)) groups.set(key, { heads: [], body });
      const holders = lines
        .filter(isHolder)
        .map((holder) => `    ${holder.replace(/^[\s-]+/, "").trimEnd()}`);
      groups.get(key).heads.push(`${name} ${version}`, ...holders);
    }
  }
  return [...groups.values()];
}

function licenceText(folder, licence) {
  const names = readdirSync(folder).sort();
  const file = (FILES[licence] ?? [PLAIN_FILE])
    .map((pattern) => names.find((name) => pattern.test(name)))
    .find((name) => name !== undefined);
  if (file === undefined) throw new Error(`${folder} has no text of ${licence}.`);
  return readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n");
}

function byName(a, b) {
  const [first, second] = [`${a.name} ${a.version}`, `${b.name} ${b.version}`];
  return first < second ? -1 : first > second ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(join(root, "THIRD-PARTY-NOTICES"), notices());
}
