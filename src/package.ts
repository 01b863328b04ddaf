/**
 * The package as it is installed: its version, and where its files lie.
 *
 * The package asks for itself by name, so that the answer does not depend on where the build puts this file.
 */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

// `require` types a JSON file as `any`; the manifest is ours.
const manifest = require("sluice/package.json") as { readonly version: string };

/** Version of the package, as in `package.json`. */
export const VERSION: string = manifest.version;

/** Absolute path of a file of the package. */
export function packagePath(path: string): string {
  return join(dirname(require.resolve("sluice/package.json")), path);
}
