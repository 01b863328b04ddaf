// The harness's own laws: a wrong answer never has a time. Real processes, no peers. Run with `node --test bench/harness/`.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { faultsOf, keptPositionsHash } from "./answer.mjs";
import { chooseDefinitions, readDefinitions } from "./definition.mjs";
import { corpusNames } from "./corpus.mjs";
import { judgeReach } from "./reach.mjs";
import { race } from "./rounds.mjs";
import { median, rotated } from "./statistics.mjs";
import { positionsHash } from "../peers/passages.mjs";

const EXPECTED = { records: 4, selected: 2, positionsHash: positionsHash([0, 2]) };

/**
 * A contender that prints one line of JSON, or whatever else the script does.
 * @param {string} name
 * @param {string} script
 * @param {"exact" | "approximate"} method
 * @returns {import("./definition.mjs").BenchmarkContender}
 */
function contender(name, script, method = "exact") {
  const command = /** @type {[string, ...string[]]} */ (["{node}", "-e", script]);
  return { name, version: "1", side: "peer", command, checkArguments: [], answerIn: "stdout", method };
}

/** @param {number[]} positions */
const printing = (positions) => {
  const answer = { records: 4, selected: positions.length, positionsHash: positionsHash(positions) };
  return `console.log('${JSON.stringify(answer)}')`;
};

/** @param {import("./definition.mjs").BenchmarkContender[]} contenders */
function raceOf(contenders) {
  const definition = readDefinitions()[0];
  assert.ok(definition !== undefined);
  const corpus = { name: "four", title: "four", records: 4, bytes: 0, sha256: "", path: "/dev/null" };
  const row = { ...definition, expected: EXPECTED, cost: /** @type {const} */ ("process"), limitSeconds: 3 };
  return race(row, { corpus, repeats: 2, contenders, say: () => {} });
}

test("only a right or an approximate answer has a time", async () => {
  const standings = await raceOf([
    contender("right", printing([0, 2])),
    contender("wrong positions", printing([0, 3])),
    contender("approximate", printing([0, 1, 2]), "approximate"),
    contender("crash", "process.exit(3)"),
    contender("endless", "setInterval(() => {}, 1000)"),
    contender("silent", ""),
  ]);
  const verdicts = standings.map(({ name, verdict, runs, median }) => [
    name,
    verdict,
    runs.length,
    median !== undefined,
  ]);
  assert.deepEqual(verdicts, [
    ["right", "right", 2, true],
    ["wrong positions", "wrong", 0, false],
    ["approximate", "approximate", 2, true],
    ["crash", "failed", 0, false],
    ["endless", "failed", 0, false],
    ["silent", "failed", 0, false],
  ]);
});

test("the cost of a process includes the child that it waits for", async () => {
  const burn = "const end = Date.now() + 400; while (Date.now() < end);";
  const parent = `require("node:child_process").execFileSync(process.execPath, ["-e", ${JSON.stringify(burn)}]);`;
  const [idle, busy] = await raceOf([
    contender("idle", printing([0, 2])),
    contender("busy child", `${parent} ${printing([0, 2])}`),
  ]);
  const added = (busy?.median?.cpuSeconds ?? 0) - (idle?.median?.cpuSeconds ?? 0);
  assert.ok(added > 0.05, `the child's CPU-seconds are missing: ${added}`);
});

test("an expected field that is absent or different is a fault", () => {
  const right = { ...EXPECTED, probe: [0.5] };
  /** @type {[string, import("./answer.mjs").BenchmarkAnswer, number][]} */
  const cases = [
    ["equal", right, 0],
    ["probe within the tolerance", { ...right, probe: [0.5015] }, 0],
    ["probe beyond it", { ...right, probe: [0.51] }, 1],
    ["probe not a number", { ...right, probe: [NaN] }, 1],
    ["probe absent", { ...EXPECTED }, 2],
    ["records", { ...right, records: 5 }, 1],
    ["selected absent", { records: 4, positionsHash: EXPECTED.positionsHash, probe: [0.5] }, 1],
    ["hash absent", { records: 4, selected: 2, probe: [0.5] }, 1],
  ];
  for (const [name, answer, faults] of cases) assert.equal(faultsOf(answer, right).length, faults, name);
});

test("kept positions are those that the filtered file does not list", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const path = join(folder, "filtered.jsonl");
  writeFileSync(path, '{"position":1}\n{"position":3}\n');
  assert.equal(keptPositionsHash(path, 4), positionsHash([0, 2]));
  rmSync(folder, { recursive: true });
});

test("median and rotation", () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.throws(() => median([]), RangeError);
  assert.deepEqual(rotated(["a", "b", "c"], 4), ["b", "c", "a"]);
  assert.deepEqual(rotated([], 4), []);
});

test("a promise is met, missed, or open when a side has no time", async () => {
  const [slow, fast] = await raceOf([
    contender("slow", printing([0, 2])),
    contender("fast", printing([0, 2])),
  ]);
  assert.ok(slow?.median !== undefined && fast?.median !== undefined);
  slow.median.cpuSeconds = 10;
  fast.median.cpuSeconds = 2;
  const target = { contender: "fast", measure: /** @type {const} */ ("cpuSeconds"), against: "slow" };
  const judged = judgeReach(
    [
      { ...target, atLeast: 5 },
      { ...target, atLeast: 6 },
      { ...target, against: "nobody", atLeast: 1 },
      { contender: "fast", measure: "cpuSeconds", atMost: 2 },
    ],
    [slow, fast],
  );
  assert.deepEqual(
    judged.map(({ met }) => met),
    [true, false, null, true],
  );
});

test("every definition names a corpus, contenders and targets that exist", () => {
  const definitions = readDefinitions();
  for (const { name, corpus, contenders, reach, smoke } of definitions) {
    const names = contenders.map((one) => one.name);
    assert.ok(corpusNames().includes(corpus), `${name}: corpus ${corpus}`);
    assert.equal(new Set(names).size, names.length, `${name}: two contenders of one name`);
    for (const mentioned of [
      smoke.contender,
      ...reach.flatMap((target) => [target.contender, target.against ?? target.contender]),
    ]) {
      assert.ok(names.includes(mentioned), `${name}: no contender ${mentioned}`);
    }
  }
  assert.throws(() => chooseDefinitions(definitions, ["nosuch"]), /no benchmark and no group "nosuch"/);
});
