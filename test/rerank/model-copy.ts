/** The cross-encoder folders of the tests, and copies of them with something changed. */
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TemporaryFolder } from "../support/temporary-folder.js";

/** The path of a folder: `bert` or `xlm-roberta`. */
export function modelFolder(name: string): string {
  return fileURLToPath(new URL(`data/${name}`, import.meta.url));
}

/** The path of a graph that a cross-encoder must refuse. */
export function wrongGraph(name: string): string {
  return join(modelFolder("wrong"), `${name}.onnx`);
}

/** The content of a file of the BERT folder. */
export function bertFile(name: string): Buffer {
  return readFileSync(join(modelFolder("bert"), name));
}

/** A copy of the BERT folder in which some files have another content, or are not there. */
export function bertWith(changes: Readonly<Record<string, string | Uint8Array | undefined>>): string {
  const folder = new TemporaryFolder();
  for (const name of ["config.json", "tokenizer.json", "onnx/model.onnx"]) {
    const path = folder.file(name);
    mkdirSync(dirname(path), { recursive: true });
    if (!(name in changes)) copyFileSync(join(modelFolder("bert"), name), path);
  }
  for (const [name, content] of Object.entries(changes))
    if (content !== undefined) folder.write(name, content);
  return folder.path;
}
