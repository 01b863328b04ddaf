/**
 * What must not be named as an output of a command on a store: the store itself, and what lies beside it.
 */
import { SluiceError } from "../errors.js";
import { parseStoreUrl } from "../stores/store-url.js";
import { findTarget } from "./atomic-output.js";

/** What SQLite and the lock of the writer put behind the name of a store. */
const SUFFIXES = ["", "-wal", "-shm", "-journal", "-lock"];
/** What the name of a checkpoint begins with, behind that of its store. */
export const CHECKPOINT_SUFFIX = "-ingest-";

/** `OUTPUT_IN_USE` for an output that would replace a file of the store; by device and inode, or by name. */
export async function requireApart(
  outputs: ReadonlyMap<string, string | undefined>,
  store: string,
): Promise<void> {
  const location = parseStoreUrl(store);
  if (location.kind !== "embedded") return;
  const own = await Promise.all(SUFFIXES.map((suffix) => findTarget(`${location.path}${suffix}`)));
  const checkpoints = `${own[0]?.realPath ?? location.path}${CHECKPOINT_SUFFIX}`;
  for (const [flag, path] of outputs) {
    if (path === undefined) continue;
    const target = await findTarget(path);
    const isOwn =
      target.realPath.startsWith(checkpoints) ||
      own.some(({ realPath, identity }) =>
        target.identity === undefined ? target.realPath === realPath : target.identity === identity,
      );
    if (!isOwn) continue;
    throw new SluiceError("OUTPUT_IN_USE", `The output ${flag} is a file of the store.`, {
      field: flag,
      path,
    });
  }
}
