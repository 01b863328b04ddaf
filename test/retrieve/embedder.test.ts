/**
 * Vectors of two embedders are never compared: a query's embedder is that of the collection, or the retrieval is refused.
 */
import { describe, expect, it } from "vitest";
import type { Embedder } from "../../src/embed/embedder.js";
import { Memory } from "../../src/memory/memory.js";
import type { RetrieveRequest } from "../../src/retrieve/options.js";
import { retrieve } from "../../src/retrieve/retrieve.js";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import { referenceStore } from "../support/reference-store.js";
import { failureOf } from "../support/refusal-table.js";
import { TemporaryFolder } from "../support/temporary-folder.js";
import { CountingEmbedder, fading, QUERY } from "./passages.js";

/** The same direction under another name: the vectors alone could not tell. */
class OtherEmbedder extends CountingEmbedder implements Embedder {
  override readonly id = "another-direction" as "one-direction";
}

const STORES: ReadonlyArray<readonly [name: string, open: () => VectorStoreHub]> = [
  ["embedded", () => new VectorStoreHub(`file:${new TemporaryFolder().file("a.sluice")}`)],
  ["a driver of one's own", referenceStore],
];

async function collectionOf(hub: VectorStoreHub, embedderId?: string): Promise<VectorStoreHub> {
  await hub.ensureCollection("texts", { dimension: 3, embedderId });
  await hub.storeVectors("texts", fading(3));
  return hub;
}

describe.each(STORES)("%s", (_, open) => {
  const words = { collection: "texts", query: "which one" };
  const vector = { collection: "texts", vector: QUERY };

  it.each<[what: string, recorded: string | undefined, request: RetrieveRequest, isRefused: boolean]>([
    ["its own embedder", "one-direction", { ...words, embedder: new CountingEmbedder() }, false],
    ["another embedder", "one-direction", { ...words, embedder: new OtherEmbedder() }, true],
    ["a vector of its own embedder", "one-direction", { ...vector, embedderId: "one-direction" }, false],
    ["a vector of another", "one-direction", { ...vector, embedderId: "another-direction" }, true],
    ["words with a vector of another", "one-direction", { ...words, ...vector, embedderId: "x" }, true],
    ["a vector of which nobody says whose", "one-direction", vector, false],
    ["any, where none is recorded", undefined, { ...words, embedder: new OtherEmbedder() }, false],
  ])("%s", async (_what, recorded, request, isRefused) => {
    await using hub = await collectionOf(open(), recorded);
    if (!isRefused) {
      expect((await retrieve(hub, request)).results.map(({ id }) => id)).toEqual([1, 2, 3]);
      return;
    }
    const { code, details, message, meaning } = await failureOf(() => retrieve(hub, request));
    expect(code).toBe("EMBEDDER_MISMATCH");
    expect(details).toMatchObject({
      field: "embedderId",
      expected: recorded,
      received: "embedder" in request ? request.embedder?.id : request.embedderId,
    });
    expect(message).toContain(details.expected);
    expect(message).toContain(details.received);
    expect(meaning.meaning).toMatch(/embed both sides with the same one/);
  });

  it("a search by vector says whose vector it is", async () => {
    await using hub = await collectionOf(open(), "one-direction");
    const { code } = await failureOf(() => hub.searchVectors("texts", QUERY, { embedderId: "another" }));
    expect(code).toBe("EMBEDDER_MISMATCH");
    expect(await hub.searchVectors("texts", QUERY, { embedderId: "one-direction" })).toHaveLength(3);
  });

  it("a memory is read with the embedder that wrote it", async () => {
    await using hub = open();
    await new Memory({ hub, embedder: new CountingEmbedder() }).add({ userId: "ann" }, ["a fact"]);
    const other = new Memory({ hub, embedder: new OtherEmbedder() });
    const { code, details } = await failureOf(() => other.search("fact", { scope: { userId: "ann" } }));
    expect(code).toBe("COLLECTION_MISMATCH");
    expect(details).toMatchObject({ field: "embedderId", received: "one-direction" });
  });
});

it("an embedderId without a vector is about nothing", async () => {
  // What a caller without types may hand us.
  const request = {
    collection: "texts",
    query: "a",
    embedder: new CountingEmbedder(),
    embedderId: "x",
  } as unknown as RetrieveRequest;
  const { code, details } = await failureOf(() => retrieve(referenceStore(), request));
  expect({ code, field: details.field }).toEqual({ code: "OPTION_INVALID", field: "embedderId" });
});
