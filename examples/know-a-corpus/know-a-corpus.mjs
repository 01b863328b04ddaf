// A folder of support questions nobody has read: what is it about, and what does not belong?
import assert from "node:assert/strict";
import { Deduper } from "sluice";

const questions = [
  "How do I reset my password?",
  "Where can I change my password?",
  "I forgot my password, what can I do?",
  "My password is not accepted any more.",
  "When will my parcel arrive?",
  "Where is my parcel now?",
  "The parcel has not arrived yet.",
  "Can I change the address of my parcel?",
  "How do I cancel my order?",
  "Can I change my order after payment?",
  "I want to send back part of my order.",
  "zx81 poke 16384,255",
];
const corpus = await Deduper.from(questions);

// The least typical tenth: the mean cosine to the nearest neighbours is lowest.
const { selected: ordinary, filtered: strange } = await corpus.filterOutliers({
  share: 1 / questions.length,
  neighbours: 3,
});
for (const { record, score } of strange) console.log(`does not belong, ${score.toFixed(2)}: ${record}`);
assert.deepEqual(
  strange.map(({ record }) => record),
  ["zx81 poke 16384,255"],
);

// The few that stand for the others: typical, and unlike each other.
const topics = await Deduper.from(ordinary.map(({ record }) => record));
const { selected: few } = await topics.findRepresentative({ count: 3, neighbours: 3, diversity: 0.6 });
for (const { record, score } of few) console.log(`stands for many, ${score.toFixed(2)}: ${record}`);
const about = ["password", "parcel", "order"].map((word) =>
  few.filter(({ record }) => record.includes(word)),
);
assert.deepEqual(
  about.map((found) => found.length),
  [1, 1, 1],
);

corpus.close();
topics.close();
