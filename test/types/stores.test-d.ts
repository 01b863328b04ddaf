/**
 * What must not compile about stores, checked by `tsc`: each `@ts-expect-error` fails the build when the line below it becomes
 * legal.
 */
import type { CollectionInfo, CollectionName, VectorStoreHub } from "../../src/main.js";

/** Never called: only its types count. */
export function names(hub: VectorStoreHub, made: string): ReadonlyArray<Promise<CollectionInfo>> {
  const chosen: CollectionName<"manuals-2026.v1"> = "manuals-2026.v1";
  return [
    hub.ensureCollection("manuals"),
    hub.ensureCollection(chosen),
    // A text that is put together is checked when the call is made.
    hub.ensureCollection(made),
    hub.ensureCollection(`tenant_${made}`),
    // @ts-expect-error a name has a letter at least
    hub.ensureCollection(""),
    // @ts-expect-error a name has no blank
    hub.ensureCollection("my manuals"),
    // @ts-expect-error a name is no path
    hub.ensureCollection("../manuals"),
    // @ts-expect-error a name begins with no dash
    hub.ensureCollection("-manuals"),
    // @ts-expect-error a number is no name
    hub.ensureCollection(5),
  ];
}
