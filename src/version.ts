/** The version of this package, read once from its manifest. */
import { createRequire } from "node:module";

// `require` types a JSON file as `any`; the manifest is ours.
const manifest = createRequire(import.meta.url)("../package.json") as { readonly version: string };

/** Version of the package, as in `package.json`. */
export const VERSION: string = manifest.version;
