/** WRK-04: more threads than the process may use were started, which crashed some and slowed all. */
import { availableParallelism } from "node:os";
import { expect, it } from "vitest";
import { dedup } from "../../src/main.js";

it("WRK-04: asking for too many threads is clamped and reported", async () => {
  const available = availableParallelism();
  const { report } = await dedup(["a", "b"], { threads: available + 14 });
  expect(report.options["threads"]).toBe(available);
  expect(report.limits).toEqual([
    `${available + 14} threads were asked for; this process may use ${available}.`,
  ]);
});

it("WRK-04: what is available is the default, and says nothing", async () => {
  const { report } = await dedup(["a", "b"]);
  expect(report.options["threads"]).toBe(availableParallelism());
  expect(report.limits).toEqual([]);
});
