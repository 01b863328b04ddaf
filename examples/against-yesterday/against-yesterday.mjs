// Every day brings documents; only what yesterday did not say should be indexed.
import assert from "node:assert/strict";
import { Deduper } from "sluice";

const yesterday = [
  { id: "y1", text: "The cluster must have an odd number of members." },
  { id: "y2", text: "Snapshots are taken every hour and kept for a week." },
];
const days = [
  [
    { id: "m1", text: "The cluster must have an odd number of members." },
    { id: "m2", text: "Certificates are renewed automatically before they expire." },
  ],
  [
    { id: "t1", text: "Certificates are renewed automatically, before they expire." },
    { id: "t2", text: "Learners join the cluster without a vote." },
  ],
];

const indexed = await Deduper.from(yesterday);
for (const batch of days) {
  const { selected, filtered } = await indexed.deduplicate(batch, { add: true });
  console.log(`new: ${selected.map(({ id }) => id).join(", ")}`);
  for (const { id, reason, duplicateOf } of filtered)
    console.log(`${id} is known: ${reason} copy of ${duplicateOf.referenceId}`);
  assert.equal(selected.length, 1);
}
console.log(`${indexed.size} documents are indexed`);
assert.equal(indexed.size, 4);
indexed.close();
