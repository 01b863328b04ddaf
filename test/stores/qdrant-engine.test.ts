/**
 * The driver of Qdrant against Qdrant's own engine: everything that a store must do. Filters have a file of their own.
 */
import { afterAll, beforeAll, describe, it } from "vitest";
import { STORE_CONFORMANCE } from "../../src/stores/conformance.js";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import { ENGINES, QdrantEdge } from "../support/qdrant-edge.js";

describe.each(ENGINES)("$title", (engine) => {
  describe.skipIf(!engine.here)("as a store", () => {
    let edge: QdrantEdge;
    let store: VectorStoreHub;
    beforeAll(async () => {
      edge = await QdrantEdge.start(engine);
      store = new VectorStoreHub(edge.url);
    });
    afterAll(async () => {
      await store.close();
      await edge[Symbol.asyncDispose]();
    });

    it.each(STORE_CONFORMANCE)("$name", (check) => check.run({ store, prefix: "conformance" }));
  });
});
