/**
 * What the package exports: the names of values at run time, and of types in the source. Change only on purpose.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as main from "../../src/main.js";

const VALUES = [
  "CROSS_ENCODER_DEFAULTS",
  "DEDUP_DEFAULTS",
  "DedupResult",
  "Deduper",
  "ERRORS",
  "Index",
  "MEMORY_DEFAULTS",
  "Memory",
  "MemoryJournal",
  "OUTLIER_DEFAULTS",
  "REPRESENTATIVE_DEFAULTS",
  "RETRIEVE_DEFAULTS",
  "RETRY_DEFAULTS",
  "SluiceError",
  "StoreJournal",
  "VERSION",
  "VectorStoreHub",
  "and",
  "contentId",
  "dedup",
  "dedupFile",
  "estimateTokens",
  "fitBudget",
  "fuseRanks",
  "liftScope",
  "loadCrossEncoder",
  "loadEmbedder",
  "normalForm",
  "not",
  "or",
  "registerBackend",
  "retrieve",
  "scopeFields",
  "scopeFilter",
  "veto",
  "where",
];

const TYPES = [
  "Abortable",
  "Activation",
  "AddReport",
  "ArgumentsOf",
  "BackendArguments",
  "BackendCall",
  "BackendFactory",
  "BackendSetup",
  "BatchOutlierOptions",
  "BatchRepresentativeOptions",
  "Bin",
  "Bound",
  "BudgetFit",
  "CollectionHealth",
  "CollectionInfo",
  "CollectionName",
  "CollectionOptions",
  "Combinations",
  "Condition",
  "CountOptions",
  "Counted",
  "CrossEncoder",
  "CrossEncoderOptions",
  "CustomArguments",
  "DedupAgainstOptions",
  "DedupColumns",
  "DedupFileOptions",
  "DedupOptions",
  "DedupRules",
  "DedupVectors",
  "DedupWork",
  "DeduplicateOptions",
  "DeleteReport",
  "Deletion",
  "DiversityStrategy",
  "EmbedOptions",
  "Embedder",
  "EndpointHealth",
  "EntityScope",
  "ErrorCode",
  "ErrorDetails",
  "ErrorMeaning",
  "FailedPoint",
  "FieldConditions",
  "FileDedup",
  "FileFormat",
  "Filter",
  "FilterLeaf",
  "FilterTree",
  "Filtered",
  "FilteredLine",
  "Filters",
  "FlatArguments",
  "ForgetReceipt",
  "FoundMemory",
  "Fused",
  "Guard",
  "Hit",
  "HitDedup",
  "HnswArguments",
  "HybridOptions",
  "IndexArguments",
  "IndexBackend",
  "IndexHit",
  "IndexInfo",
  "IndexWork",
  "JsonLine",
  "Keep",
  "LiftedScope",
  "MemoryAddOptions",
  "MemoryAddResult",
  "MemoryAdded",
  "MemoryChange",
  "MemoryConfig",
  "MemoryEvent",
  "MemoryHistory",
  "MemoryInput",
  "MemorySearchEvent",
  "MemorySearchOptions",
  "MemorySearchResult",
  "MemorySearchSettings",
  "MemoryStore",
  "MemoryUpdated",
  "Method",
  "Metric",
  "Omitted",
  "Operators",
  "OutlierOptions",
  "OutlierResult",
  "Payload",
  "PayloadIndex",
  "Point",
  "PointId",
  "Progress",
  "QueryByVector",
  "QueryInBoth",
  "QueryInWords",
  "QueryOptions",
  "Range",
  "ReadOptions",
  "Reason",
  "RebuildOptions",
  "RebuildReport",
  "RecordLine",
  "Representative",
  "RepresentativeOptions",
  "RepresentativeResult",
  "RerankOptions",
  "RerankStatus",
  "Reranker",
  "RetrievalStore",
  "RetrieveOptions",
  "RetrieveRequest",
  "RetrieveResult",
  "Retrieved",
  "RetryJournal",
  "RetryPolicy",
  "Scalar",
  "ScopeFields",
  "ScopeIds",
  "ScopedFilter",
  "Scored",
  "ScrollOptions",
  "ScrollPage",
  "SearchOptions",
  "SearchReport",
  "SearchResult",
  "SearchStrategy",
  "SemanticDedup",
  "SlotList",
  "SlotSet",
  "StageReport",
  "StoreClock",
  "StoreConfig",
  "StoreDriver",
  "StoreHealth",
  "StoredMemory",
  "StoredPoint",
  "TextRecord",
  "TextSearchOptions",
  "Typical",
  "VectorStore",
  "Vetoed",
  "VetoedLine",
  "Witness",
  "WitnessLine",
  "WordOptions",
  "WriteOptions",
  "WriteReport",
];

const DEDUPER = [
  "add",
  "close",
  "deduplicate",
  "filterOutliers",
  "filterOutliersIn",
  "findRepresentative",
  "findRepresentativeIn",
  "selfDeduplicate",
  "size",
];

const RESULT = ["close", "histogram", "leastSimilar", "rethreshold", "selectedWithDuplicates", "toJSON"];

it("values", () => {
  expect(Object.keys(main).toSorted()).toEqual(VALUES);
});

it("types", () => {
  const source = readFileSync(new URL("../../src/main.ts", import.meta.url), "utf8");
  const names = [...source.matchAll(/export type \{([^}]*)\}/g)].flatMap((match) =>
    (match[1] ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  );
  expect(names.toSorted()).toEqual(TYPES);
});

function methodsOf(type: { readonly prototype: object }): string[] {
  return Object.getOwnPropertyNames(type.prototype)
    .filter((name) => name !== "constructor")
    .toSorted();
}

it("methods of the classes", () => {
  expect(methodsOf(main.Deduper)).toEqual(DEDUPER);
  expect(methodsOf(main.DedupResult)).toEqual(RESULT);
});

it("the doors of the package", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    readonly exports: Readonly<Record<string, unknown>>;
    readonly bin: Readonly<Record<string, string>>;
  };
  expect(Object.keys(manifest.exports)).toEqual([".", "./testing", "./package.json"]);
  expect(Object.keys(manifest.bin)).toEqual(["sluice"]);
  expect(main.VERSION).toMatch(/^\d+\.\d+\.\d+$/);
});
