/**
 * Everything that Sluice exports.
 */
export { dedup } from "./dedup/dedup.js";
export type { DedupAgainstOptions } from "./dedup/dedup.js";
export { Deduper } from "./dedup/deduper.js";
export type { AddReport, DeduplicateOptions } from "./dedup/deduper-options.js";
export { dedupFile } from "./dedup/dedup-file.js";
export type { DedupFileOptions, FileDedup, FileFormat } from "./dedup/dedup-file.js";
export type { FilteredLine, JsonLine, RecordLine, VetoedLine, WitnessLine } from "./dedup/pair-lines.js";
export { DEDUP_DEFAULTS } from "./dedup/options.js";
export type {
  DedupColumns,
  DedupOptions,
  DedupRules,
  DedupVectors,
  DedupWork,
  Keep,
  Method,
  Reason,
  TextRecord,
} from "./dedup/options.js";
export { OUTLIER_DEFAULTS } from "./dedup/outliers.js";
export type { BatchOutlierOptions, OutlierOptions, OutlierResult } from "./dedup/outliers.js";
export { REPRESENTATIVE_DEFAULTS } from "./dedup/representative.js";
export type {
  BatchRepresentativeOptions,
  DiversityStrategy,
  Representative,
  RepresentativeOptions,
  RepresentativeResult,
} from "./dedup/representative.js";
export { DedupResult } from "./dedup/result.js";
export type { Bin, Filtered, Scored, Vetoed, Witness } from "./dedup/result.js";
export type { Typical } from "./dedup/typicality.js";
export type { Embedder, EmbedOptions } from "./embed/embedder.js";
export { loadEmbedder } from "./embed/native-embedder.js";
export { ERRORS, SluiceError } from "./errors.js";
export type { ErrorCode, ErrorDetails, ErrorMeaning } from "./errors.js";
export type { Bound, Combinations, Condition, Filter, Operators, Scalar } from "./filter/filter.js";
export { normalForm } from "./filter/normal-form.js";
export type { FilterLeaf, FilterTree, Range } from "./filter/normal-form.js";
export { liftScope, scopeFields, scopeFilter } from "./filter/scope.js";
export type { EntityScope, LiftedScope, ScopeFields, ScopeIds } from "./filter/scope.js";
export { and, not, or, where } from "./filter/where.js";
export type { FieldConditions, Filters } from "./filter/where.js";
export { veto } from "./guard/veto.js";
export type { Guard } from "./guard/veto.js";
export { registerBackend } from "./index/index-backend.js";
export type {
  BackendCall,
  BackendFactory,
  BackendSetup,
  IndexBackend,
  SlotList,
  SlotSet,
} from "./index/index-backend.js";
export type {
  ArgumentsOf,
  BackendArguments,
  CustomArguments,
  FlatArguments,
  HnswArguments,
  IndexArguments,
  IndexWork,
  QueryOptions,
} from "./index/options.js";
export { Index } from "./index/search-index.js";
export type { IndexInfo } from "./index/search-index.js";
export type { IndexHit, SearchResult, SearchStrategy } from "./index/search-result.js";
export { Memory } from "./memory/memory.js";
export type {
  ForgetReceipt,
  FoundMemory,
  MemoryAddResult,
  MemorySearchResult,
  MemoryUpdated,
} from "./memory/memory.js";
export type { MemoryAdded } from "./memory/adding.js";
export { MEMORY_DEFAULTS } from "./memory/options.js";
export type {
  MemoryAddOptions,
  MemoryChange,
  MemoryConfig,
  MemoryInput,
  MemorySearchOptions,
  MemorySearchSettings,
  MemoryStore,
  ScopedFilter,
  SemanticDedup,
} from "./memory/options.js";
export { contentId } from "./memory/record.js";
export type { MemoryEvent, MemoryHistory, StoredMemory } from "./memory/record.js";
export type { MemorySearchEvent } from "./memory/telemetry.js";
export type { Metric } from "./metric.js";
export type { Progress, StageReport } from "./report.js";
export { loadCrossEncoder } from "./rerank/cross-encoder.js";
export type { CrossEncoder } from "./rerank/cross-encoder.js";
export { CROSS_ENCODER_DEFAULTS } from "./rerank/cross-encoder-options.js";
export type { Activation, CrossEncoderOptions } from "./rerank/cross-encoder-options.js";
export type { Reranker, RerankOptions, RerankStatus } from "./rerank/reranker.js";
export { estimateTokens, fitBudget } from "./retrieve/budget.js";
export type { BudgetFit, Counted } from "./retrieve/budget.js";
export { RETRIEVE_DEFAULTS } from "./retrieve/options.js";
export type {
  HitDedup,
  HybridOptions,
  QueryByVector,
  QueryInBoth,
  QueryInWords,
  RetrievalStore,
  RetrieveOptions,
  RetrieveRequest,
  WordOptions,
} from "./retrieve/options.js";
export { fuseRanks } from "./retrieve/reciprocal-rank.js";
export type { Fused } from "./retrieve/reciprocal-rank.js";
export type { Omitted, Retrieved, RetrieveResult } from "./retrieve/result.js";
export { retrieve } from "./retrieve/retrieve.js";
export { StoreJournal } from "./stores/embedded/store-journal.js";
export { MemoryJournal } from "./stores/retry-journal.js";
export type { RetryJournal } from "./stores/retry-journal.js";
export { RETRY_DEFAULTS } from "./stores/retry.js";
export type { RetryPolicy, StoreClock } from "./stores/retry.js";
export type { StoreConfig } from "./stores/store-config.js";
export type { StoreDriver } from "./stores/store-driver.js";
export { VectorStoreHub } from "./stores/vector-store-hub.js";
export type { RebuildOptions, RebuildReport } from "./stores/vector-store-hub.js";
export type {
  Abortable,
  CollectionHealth,
  CollectionInfo,
  CollectionName,
  CollectionOptions,
  CountOptions,
  DeleteReport,
  Deletion,
  EndpointHealth,
  FailedPoint,
  Hit,
  Payload,
  PayloadIndex,
  Point,
  PointId,
  ReadOptions,
  ScrollOptions,
  ScrollPage,
  SearchOptions,
  SearchReport,
  StoredPoint,
  StoreHealth,
  TextSearchOptions,
  VectorStore,
  WriteOptions,
  WriteReport,
} from "./stores/vector-store.js";
export { VERSION } from "./package.js";
