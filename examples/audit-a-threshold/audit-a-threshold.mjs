// Which threshold is right for this corpus? Run once with a low floor, look at what lies near the cut, then move it.
import assert from "node:assert/strict";
import { dedup } from "sluice";

const notes = [
  "The backup runs every night at 2 am.",
  "Every night at 2 am the backup runs.",
  "The backup runs every night at 3 am.",
  "The backup does not run every night at 2 am.",
  "A backup is made each night, at 2 am.",
  "Restore the database from the latest snapshot.",
  "Use the newest snapshot to restore the database.",
  "The office is closed on public holidays.",
];

// One run; everything down to 0.6 is stored, so that nothing is embedded again below.
const result = await dedup(notes, { threshold: 0.9, floor: 0.6 });
console.log("score        pairs");
for (const { from, to, count } of result.histogram(8))
  console.log(`${from.toFixed(2)} - ${to.toFixed(2)}  ${"#".repeat(count)}`);

console.log("the least similar pairs that were taken for copies:");
for (const { record, score, duplicates } of result.leastSimilar(3, "semantic"))
  console.log(`${score.toFixed(3)}  ${record}  ~  ${duplicates[0].record}`);

// Stricter or looser costs one walk.
const kept = [0.6, 0.8, 0.9, 0.99].map((threshold) => [
  threshold,
  result.rethreshold(threshold).selected.length,
]);
for (const [threshold, count] of kept) console.log(`at ${threshold}: ${count} of ${notes.length} stay`);
assert.deepEqual(
  kept.map(([, count]) => count),
  [3, 3, 4, 7],
);

// No threshold tells 2 am from 3 am, or a negation. Guards do, and say which pair they kept apart.
const guarded = await dedup(notes, { threshold: 0.8, guards: ["numbers", "negation"] });
for (const { record, comparedWith, score, guard } of guarded.vetoed)
  console.log(
    `kept by the guard ${guard} at ${score.toFixed(3)}: ${record}  ~  ${notes[comparedWith.position]}`,
  );
assert.ok(guarded.selected.includes(notes[2]));
assert.ok(guarded.selected.includes(notes[3]));
assert.ok(!guarded.selected.includes(notes[1]));
