/**
 * Every store passes the same checks. With QDRANT_URL set (`qdrant://localhost:6333`) a real server does too.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { STORE_CONFORMANCE } from "../../src/stores/conformance.js";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import { referenceStore } from "../support/reference-store.js";

const folder = mkdtempSync(join(tmpdir(), "sluice-test-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const url = process.env["QDRANT_URL"];
const STORES = [
  { name: "reference", open: () => referenceStore() },
  { name: "embedded", open: () => new VectorStoreHub(`file:${folder}/conformance.sluice`) },
  ...(url === undefined ? [] : [{ name: "qdrant", open: () => new VectorStoreHub(url) }]),
];

it("has checks", () => {
  expect(STORE_CONFORMANCE.length).toBeGreaterThan(30);
});

it.skipIf(url !== undefined)("a real Qdrant is not asked: QDRANT_URL is not set", () => {
  expect(STORES.map(({ name }) => name)).not.toContain("qdrant");
});

describe.each(STORES)("$name", ({ open }) => {
  const store = open();
  afterAll(() => store.close());
  // Unique on a server that others use too.
  const prefix = `conformance-${process.pid}`;
  it.each(STORE_CONFORMANCE)("$name", (check) => check.run({ store, prefix }));
});
