// The harness's own laws: a wrong answer never has a time. Real processes, no peers. Run with `node --test bench/harness/`.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { faultsOf, keptPositionsHash } from "./answer.mjs";
import { chooseDefinitions, readDefinitions } from "./definition.mjs";
import { corpusNames } from "./corpus.mjs";
import { isMeasure, judgeReach } from "./reach.mjs";
import { race } from "./rounds.mjs";
import { median, rotated } from "./statistics.mjs";
import { joinCorpus } from "../corpora/join.mjs";
import { positionsHash, readTexts } from "../peers/passages.mjs";

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

/** @param {number[]} positions @param {import("./answer.mjs").BenchmarkAnswer["inner"]} inner */
const printing = (positions, inner = undefined) => {
  const answer = { records: 4, selected: positions.length, positionsHash: positionsHash(positions), inner };
  return `console.log('${JSON.stringify(answer)}')`;
};

/**
 * @param {import("./definition.mjs").BenchmarkContender[]} contenders
 * @param {import("./definition.mjs").CostKind} cost
 * @param {import("./definition.mjs").ExpectedAnswer} expected
 */
function raceOf(contenders, cost = "process", expected = EXPECTED) {
  const definition = readDefinitions()[0];
  assert.ok(definition !== undefined);
  const corpus = { name: "four", title: "four", records: 4, bytes: 0, sha256: "", path: "/dev/null" };
  const row = { ...definition, expected, cost, limitSeconds: 3 };
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

test("an inner cost counts when the program reports it", async () => {
  const times = { cpuSeconds: 0.5, wallSeconds: 0.25, runs: 4 };
  const contenders = [
    contender("all", printing([0, 2], { ...times, peakBytes: 7, bytesPerKey: 30 })),
    contender("times", printing([0, 2], { ...times, loadSeconds: 0.01 })),
    contender("nothing", printing([0, 2])),
  ];
  const [all, withoutMemory, nothing] = await raceOf(contenders, "inner");
  assert.deepEqual(all?.median, {
    cpuSeconds: 0.5,
    wallSeconds: 0.25,
    peakBytes: 7,
    recordsPerCpuSecond: 8,
    loadSeconds: undefined,
    bytesPerKey: 30,
    measures: {},
    spread: 0,
  });
  assert.deepEqual([withoutMemory?.verdict, nothing?.verdict], ["failed", "failed"]);

  const [, timed, silent] = await raceOf(contenders, "inner-time");
  assert.deepEqual([timed?.median?.cpuSeconds, timed?.median?.loadSeconds], [0.5, 0.01]);
  assert.ok((timed?.median?.peakBytes ?? 0) > 1e6, "memory is that of the process");
  assert.equal(silent?.verdict, "failed");
});

test("a contender finds three variables and nothing of the caller's", async () => {
  process.env["SLUICE_BENCH_STRAY"] = "1";
  try {
    const [sealed] = await raceOf([
      contender(
        "sealed",
        `if (Object.keys(process.env).sort().join() !== "HOME,LANG,PATH") process.exit(9); ${printing([0, 2])}`,
      ),
    ]);
    assert.equal(sealed?.verdict, "right", sealed?.faults.join());
  } finally {
    delete process.env["SLUICE_BENCH_STRAY"];
  }
});

test("a contender that cannot be built does not race", async () => {
  const right = contender("built", printing([0, 2]));
  const [built, broken, absent] = await raceOf([
    { ...right, build: [process.execPath, "-e", ""] },
    { ...right, build: [process.execPath, "-e", "process.exit(4)"] },
    { ...right, build: ["no-such-program-anywhere"] },
  ]);
  assert.deepEqual([built?.verdict, broken?.verdict, absent?.verdict], ["right", "missing", "missing"]);
  assert.match(broken?.faults[0] ?? "", /exit 4$/);
  assert.match(absent?.faults[0] ?? "", /ENOENT/);
});

test("joined passages are of one page, long enough, and each text comes once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const [input, output] = [join(folder, "in.jsonl"), join(folder, "out.jsonl")];
  const [a, b, c] = ["a".repeat(300), "b".repeat(300), "c".repeat(600)];
  const records = [
    ["1/x", a],
    ["1/x", b],
    ["1/x", "left out"],
    ["1/y", a],
    ["1/y", c],
    ["1/z", "é".repeat(250)],
  ];
  writeFileSync(input, records.map(([src, text]) => `${JSON.stringify({ src, text })}\n`).join(""));
  await joinCorpus(input, output);
  assert.deepEqual(readTexts(output), [`${a} ${b}`, c, "é".repeat(250)]);
  rmSync(folder, { recursive: true });
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

test("what a program reports of itself is shown as a median, bounded and promised", async () => {
  const reporting = (/** @type {string} */ name, /** @type {Record<string, number>} */ measures) =>
    contender(name, `console.log('${JSON.stringify({ records: 4, measures })}')`);
  const contenders = [
    reporting("ours", { rate: 30, size: 2, recall: 0.98 }),
    reporting("peer", { rate: 10, size: 8, recall: 0.96 }),
    reporting("low", { rate: 90, size: 1, recall: 0.9 }),
    reporting("silent", { rate: 90 }),
  ];
  const expected = { records: 4, bounds: { recall: { atLeast: 0.95, atMost: 1 } } };
  const standings = await raceOf(contenders, "process", expected);
  assert.deepEqual(
    standings.map(({ verdict, median }) => [verdict, median?.measures]),
    [
      ["right", { rate: 30, size: 2, recall: 0.98 }],
      ["right", { rate: 10, size: 8, recall: 0.96 }],
      ["wrong", undefined],
      ["wrong", undefined],
    ],
  );
  assert.deepEqual(standings[2]?.faults, ["recall: expected 0.95 to 1, received 0.9"]);
  assert.deepEqual(standings[3]?.faults, ["recall: expected 0.95 to 1, received undefined"]);

  const measures = /** @type {const} */ ({
    rate: { title: "rate", unit: "rate", better: "more" },
    size: { title: "size", unit: "bytes", better: "less" },
  });
  const promise = { contender: "ours", against: "peer", atLeast: 3.5 };
  const judged = judgeReach(
    [
      { ...promise, measure: "rate" },
      { ...promise, measure: "size" },
      { contender: "ours", measure: "rate", atLeast: 30 },
      { ...promise, against: "low", measure: "rate" },
    ],
    standings,
    measures,
  );
  assert.deepEqual(
    judged.map(({ measured, met }) => [measured, met]),
    [
      [3, false],
      [4, true],
      [30, true],
      [null, null],
    ],
  );
});

test("every definition names a corpus, contenders and targets that exist", () => {
  const definitions = readDefinitions();
  for (const { name, corpus, contenders, reach, measures, expected, smoke } of definitions) {
    const names = contenders.map((one) => one.name);
    for (const one of [corpus, smoke.corpus ?? corpus])
      assert.ok(corpusNames().includes(one), `${name}: corpus ${one}`);
    for (const { measure } of reach) assert.ok(isMeasure(measure, measures), `${name}: measure ${measure}`);
    const bounds = contenders.map((one) => one.expected?.bounds ?? {}).concat(expected.bounds ?? {});
    for (const bound of bounds.flatMap((one) => Object.keys(one)))
      assert.ok(Object.hasOwn(measures, bound), `${name}: bound ${bound}`);
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
