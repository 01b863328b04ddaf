/**
 * Which driver a store URL asks for. The one place that knows all kinds of stores.
 */
import { EmbeddedDriver } from "./embedded/embedded-driver.js";
import { QdrantDriver } from "./qdrant/qdrant-driver.js";
import type { QdrantOptions } from "./qdrant/qdrant-driver.js";
import type { StoreDriver } from "./store-driver.js";
import { parseStoreUrl } from "./store-url.js";

/** The driver for a URL; nothing is opened yet. */
export function openDriver(url: string, options: QdrantOptions): StoreDriver {
  const location = parseStoreUrl(url);
  switch (location.kind) {
    case "qdrant":
      return new QdrantDriver(location, options);
    case "embedded":
      return new EmbeddedDriver(location);
  }
}
