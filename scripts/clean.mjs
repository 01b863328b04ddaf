/** Empties the folder of built JavaScript, so that what was deleted is not published. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.mjs";

rmSync(join(root, "dist"), { recursive: true, force: true });
