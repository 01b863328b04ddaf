/**
 * Everything that must hold, in the order in which it fails fastest. `npm test`, and what CI runs.
 *
 * Each check is a command. Test runners are counted by their own numbers, any other command as one test.
 * The last line is `N passed, N failed`.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { reportEngines } from "./qdrant-edge.mjs";
import { root, setUp } from "./setup.mjs";

const vitestReport = join(root, "node_modules/.vitest-report.json");

/** What a check runs by the name that it has in `package.json`. */
const npm = (script, ...more) => [
  "npm",
  "run",
  "--silent",
  script,
  ...(more.length > 0 ? ["--", ...more] : []),
];

/** Sums `test result: ok. 12 passed; 0 failed` over all crates and doc tests. */
function countCargo(output) {
  let passed = 0;
  let failed = 0;
  for (const [, p, f] of output.matchAll(/^test result: .*? (\d+) passed; (\d+) failed/gm)) {
    passed += Number(p);
    failed += Number(f);
  }
  return { passed, failed };
}

/** Reads `# pass 12` and `# fail 0` of Node's own test runner. */
function countNode(output) {
  const number = (name) => Number(new RegExp(`^# ${name} (\\d+)`, "m").exec(output)?.[1]);
  return { passed: number("pass"), failed: number("fail") };
}

/** Reads the closing line `bench: 10 passed, 0 failed`. */
function countClosingLine(output) {
  const [, passed, failed] = /^(?:\w+: )?(\d+) passed, (\d+) failed$/m.exec(output) ?? [];
  return { passed: Number(passed), failed: Number(failed) };
}

function countVitest() {
  const { numPassedTests, numFailedTests, numFailedTestSuites, testResults } = JSON.parse(
    readFileSync(vitestReport, "utf8"),
  );
  // A file that cannot be loaded has no tests to count, yet it has failed.
  const broken = testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  ).length;
  return {
    passed: numPassedTests,
    failed: Math.max(numFailedTests + broken, numFailedTestSuites > 0 ? 1 : 0),
  };
}

const checks = [
  { name: "format (TypeScript)", command: npm("format", "--log-level", "warn") },
  { name: "format (Rust)", command: ["cargo", "fmt", "--all", "--check"] },
  { name: "types", command: npm("typecheck") },
  { name: "lint (TypeScript)", command: npm("lint") },
  {
    name: "lint (Rust)",
    command: ["cargo", "clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"],
  },
  { name: "tests (Rust)", command: ["cargo", "test", "--workspace", "--quiet"], count: countCargo },
  {
    name: "documentation (Rust)",
    command: ["cargo", "doc", "--workspace", "--no-deps", "--quiet"],
    env: { RUSTDOCFLAGS: "-D warnings" },
  },
  {
    name: "tests (TypeScript)",
    command: npm("vitest", "--reporter=default", "--reporter=json", `--outputFile.json=${vitestReport}`),
    count: countVitest,
  },
  {
    name: "tests (bench)",
    command: [process.execPath, "--test", "--test-reporter=tap", "bench/harness/", "bench/evaluation/"],
    count: countNode,
  },
  {
    name: "bench definitions",
    command: npm("bench", "--smoke"),
    count: countClosingLine,
  },
  {
    // The figures of the shipped embedder and of the guards, against `bench/evaluation/expected.json`. No record is kept.
    name: "evaluation",
    command: npm("evaluate", "--embedder", "static-en", "--out", join(root, "node_modules/.evaluation")),
  },
];

setUp();
reportEngines();
const total = { passed: 0, failed: 0 };
for (const { name, command, env, count } of checks) {
  const started = performance.now();
  console.log(`\n== ${name}`);
  rmSync(vitestReport, { force: true });
  const [program, ...args] = command;
  const { status, stdout } = spawnSync(program, args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", count === undefined || count === countVitest ? "inherit" : "pipe", "inherit"],
    maxBuffer: 1 << 28,
    env: { ...process.env, ...env },
  });
  if (stdout) process.stdout.write(stdout);
  let { passed, failed } = { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1 };
  if (count !== undefined) {
    try {
      ({ passed, failed } = count(stdout));
      if (!Number.isInteger(passed + failed)) throw new Error("no numbers");
      if (status !== 0 && failed === 0) failed = 1;
    } catch {
      // A runner that prints no numbers has not run.
      [passed, failed] = [0, 1];
    }
  }
  total.passed += passed;
  total.failed += failed;
  console.log(
    `== ${name}: ${passed} passed, ${failed} failed in ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
}
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
