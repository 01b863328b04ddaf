/**
 * No panic unwinds into Node, which would abort the process: every exported function catches it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const binding = fileURLToPath(new URL("../../bindings/node/src", import.meta.url));

/** An attribute of napi, and the line of what it stands before. */
interface Exported {
  readonly attribute: string;
  readonly item: string;
}

function exportsOf(source: string): Exported[] {
  // Other attributes and comments may stand between.
  const pattern = /#\[napi(\([\s\S]*?\))?\]\n(?:\s*(?:#\[|\/\/).*\n)*([^\n]*)/g;
  return [...source.matchAll(pattern)].map(([, attribute = "", item = ""]) => ({ attribute, item }));
}

const exported = readdirSync(binding)
  .filter((name) => name.endsWith(".rs"))
  .flatMap((name) => exportsOf(readFileSync(`${binding}/${name}`, "utf8")));
const functions = exported.filter(({ item }) => /\bfn\b/.test(item));

it("exports are found, and each is a function, a class or an object", () => {
  const others = exported.filter((one) => !functions.includes(one));
  expect(functions.length).toBeGreaterThan(70);
  expect(others.filter(({ item }) => !/^(?:pub struct|impl) Native/.test(item))).toEqual([]);
});

it("every exported function catches panics", () => {
  expect(functions.filter(({ attribute }) => !/\bcatch_unwind\b/.test(attribute))).toEqual([]);
});
