/** Loads an npm peer with native code, which `install.mjs` puts apart from the project's own packages. */
import { createRequire } from "node:module";
import { join } from "node:path";

import { NODE_PEERS } from "../harness/places.mjs";

/** @param {string} name @returns what the package exports */
export function loadPeer(name) {
  return createRequire(join(NODE_PEERS, "package.json"))(name);
}
