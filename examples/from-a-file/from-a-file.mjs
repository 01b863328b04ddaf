// A file is deduplicated without its records ever becoming objects: bytes in, the same bytes out, and a line for every drop.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dedupFile, SluiceError } from "sluice";

const lines = [
  '{"id": "a1", "text": "Close the valve before you open the lid."}',
  '{"id": "a2", "text": "Close the valve  before you open the lid."}',
  '{"id": "b1", "text": "The lid weighs twelve kilograms.", "page": 4}',
  '{"id": "a3", "text": "Before you open the lid, close the valve."}',
];
const folder = await mkdtemp(join(tmpdir(), "sluice-example-"));
try {
  const [input, output] = [join(folder, "manual.jsonl"), join(folder, "unique.jsonl")];
  await writeFile(input, `${lines.join("\n")}\n`);

  const result = await dedupFile(input, { threshold: 0.9 });
  for (const { id, reason, score, duplicate_of: witness } of result.filtered())
    console.log(`${id} goes: ${reason} copy of ${witness.id}, ${score.toFixed(2)}`);
  await writeFile(output, result.selected());
  console.log(`${result.selectedCount} of ${result.report.counts.records} records stay`);
  result.close(); // Its keys and texts lie outside the JavaScript heap.
  assert.equal(await readFile(output, "utf8"), `${lines[0]}\n${lines[2]}\n`);

  // A failure says what and where, and never quotes a record.
  await writeFile(input, `${lines[0]}\n{"id": "b2", "text": 12}\n`);
  const failure = await dedupFile(input).catch((error) => error);
  assert.ok(failure instanceof SluiceError);
  console.log(`line ${failure.details.line}: ${failure.code}. ${failure.meaning.meaning}`);
  assert.deepEqual([failure.code, failure.details.line], ["COLUMN_NOT_TEXT", 2]);
} finally {
  await rm(folder, { recursive: true });
}
