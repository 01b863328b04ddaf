/** Plain JavaScript from the file: `JSON.parse` a line at a time, then a `Set` of strings. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { performance } from "node:perf_hooks";

import { printAnswer } from "./passages.mjs";

const started = performance.now();
const seen = new Set();
const selected = [];
let position = 0;
for await (const line of createInterface({
  input: createReadStream(process.argv[2] ?? "", "utf8"),
  crlfDelay: Infinity,
})) {
  const { text } = JSON.parse(line);
  if (!seen.has(text)) {
    seen.add(text);
    selected.push(position);
  }
  position += 1;
}
printAnswer(position, selected, { read_and_deduplicate: (performance.now() - started) / 1000 });
