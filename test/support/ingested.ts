/** A small collection, filled by the command itself. */
import { sluice } from "./command-line.js";
import { TemporaryFolder } from "./temporary-folder.js";

/** Its passages; the second and third differ in a sign. */
export const PASSAGES = [
  { id: 1, text: "Paris is the capital of France.", payload: { lang: "en", year: 1990 } },
  { id: 2, text: "The Seine flows through Paris.", payload: { lang: "en", year: 2001 } },
  { id: 3, text: "The Seine flows through Paris!", payload: { lang: "fr", year: 2001 } },
  { id: 4, text: "Bread needs flour and water.", payload: { lang: "fr", year: 2010 } },
];

/** A store in a fresh folder, and the flags that name its collection. */
export async function ingested(): Promise<{
  readonly folder: TemporaryFolder;
  readonly store: readonly string[];
}> {
  const folder = new TemporaryFolder();
  const input = folder.write("in.jsonl", PASSAGES.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const store = ["--store", `file:${folder.file("a.sluice")}`, "--collection", "c"];
  const { status, stderr } = await sluice(["ingest", input, ...store, "--quiet"]);
  if (status !== 0) throw new Error(stderr);
  return { folder, store };
}

/** JSON lines, read. */
export function hitsIn(
  stdout: Buffer,
): Array<{ id: number; score: number; text: string; payload: unknown; tokens?: number }> {
  // The caller knows which command wrote them.
  return stdout
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as ReturnType<typeof hitsIn>[number]);
}
