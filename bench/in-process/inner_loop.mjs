/**
 * Measures one module's work on records already in memory, with `benchmark`, in a process of its own.
 *
 *   node --expose-gc bench/in-process/inner_loop.mjs MODULE CORPUS
 *
 * MODULE exports `keep(texts, options)`, an async function that gives the kept positions. `benchmark` decides how often to call
 * it, and each call is timed by itself: its strings are new ones, made and collected before its clock starts, because a string
 * that was hashed once keeps its hash, and no user hashes the same strings twice. CPU is that of the whole process, native
 * threads included. Memory is what one call adds to the resident set at its peak. Arguments after CORPUS are `--name value`
 * pairs for the module.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import Benchmark from "benchmark";

import { positionsHash, readTexts } from "../peers/passages.mjs";

const SECONDS = 2;
const SAMPLES = 3;

const [, , modulePath = "", corpusPath = "", ...pairs] = process.argv;
/** @type {{keep(texts: readonly string[], options: Record<string, string>): Promise<ArrayLike<number> & Iterable<number>>}} */
const { keep } = await import(pathToFileURL(resolve(modulePath)).href);
const options = optionsFrom(pairs);

const peakBytes = await addedBytes();
const positions = await keep(newTexts(), options);
const { runs, cpuSeconds, wallSeconds } = await timed();
const answer = {
  records: newTexts().length,
  selected: positions.length,
  positionsHash: positionsHash(positions),
};
const inner = { cpuSeconds, wallSeconds, peakBytes, runs };
console.log(JSON.stringify({ ...answer, inner }));

function newTexts() {
  const texts = readTexts(corpusPath);
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
  return texts;
}

/** CPU and wall seconds of one call, as means over the calls that `benchmark` made. */
async function timed() {
  let [calls, cpuMicros, wallMillis] = [0, 0, 0];
  /** @param {{resolve(): void}} deferred */
  const call = async (deferred) => {
    const texts = newTexts();
    const started = { cpu: process.cpuUsage(), wall: performance.now() };
    await keep(texts, options);
    const { user, system } = process.cpuUsage(started.cpu);
    calls += 1;
    cpuMicros += user + system;
    wallMillis += performance.now() - started.wall;
    deferred.resolve();
  };
  await new Promise((/** @type {(value?: unknown) => void} */ done, failed) => {
    new Benchmark("keep", {
      defer: true,
      fn: call,
      maxTime: SECONDS,
      minSamples: SAMPLES,
      onComplete: done,
      onError: (/** @type {{target: {error: unknown}}} */ event) => {
        failed(event.target.error);
      },
    }).run({ async: true });
  });
  return { runs: calls, cpuSeconds: cpuMicros / 1e6 / calls, wallSeconds: wallMillis / 1e3 / calls };
}

/** What one call adds to the resident set at its peak; 0 where the system does not tell. */
async function addedBytes() {
  const texts = newTexts();
  try {
    writeFileSync("/proc/self/clear_refs", "5");
    const before = statusBytes("VmRSS");
    await keep(texts, options);
    return Math.max(0, statusBytes("VmHWM") - before);
  } catch {
    return 0;
  }
}

/** @param {string} field */
function statusBytes(field) {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(readFileSync("/proc/self/status", "utf8"));
  return Number(line?.[1] ?? 0) * 1024;
}

/** @param {readonly string[]} list @returns {Record<string, string>} */
function optionsFrom(list) {
  /** @type {Record<string, string>} */
  const options = {};
  for (let at = 0; at + 1 < list.length; at += 2)
    options[(list[at] ?? "").replace(/^--/, "")] = list[at + 1] ?? "";
  return options;
}
