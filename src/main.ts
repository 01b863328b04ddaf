/**
 * Everything that Sluice exports.
 */
export { dedup } from "./dedup/dedup.js";
export type { DedupAgainstOptions } from "./dedup/dedup.js";
export { Deduper } from "./dedup/deduper.js";
export type { AddReport, DeduplicateOptions } from "./dedup/deduper.js";
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
export { veto } from "./guard/veto.js";
export type { Guard } from "./guard/veto.js";
export type { Progress, StageReport } from "./report.js";
export { VERSION } from "./package.js";
