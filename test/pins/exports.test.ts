/**
 * What the package exports: the names of values at run time, and of types in the source. Change only on purpose.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as main from "../../src/main.js";

const VALUES = [
  "DEDUP_DEFAULTS",
  "DedupResult",
  "Deduper",
  "ERRORS",
  "OUTLIER_DEFAULTS",
  "REPRESENTATIVE_DEFAULTS",
  "SluiceError",
  "VERSION",
  "and",
  "dedup",
  "dedupFile",
  "liftScope",
  "loadEmbedder",
  "normalForm",
  "not",
  "or",
  "scopeFields",
  "scopeFilter",
  "veto",
  "where",
];

const TYPES = [
  "AddReport",
  "BatchOutlierOptions",
  "BatchRepresentativeOptions",
  "Bin",
  "Bound",
  "Combinations",
  "Condition",
  "DedupAgainstOptions",
  "DedupColumns",
  "DedupFileOptions",
  "DedupOptions",
  "DedupRules",
  "DedupVectors",
  "DedupWork",
  "DeduplicateOptions",
  "DiversityStrategy",
  "EmbedOptions",
  "Embedder",
  "EntityScope",
  "ErrorCode",
  "ErrorDetails",
  "ErrorMeaning",
  "FieldConditions",
  "FileDedup",
  "FileFormat",
  "Filter",
  "FilterLeaf",
  "FilterTree",
  "Filtered",
  "FilteredLine",
  "Filters",
  "Guard",
  "JsonLine",
  "Keep",
  "LiftedScope",
  "Method",
  "Operators",
  "OutlierOptions",
  "OutlierResult",
  "Progress",
  "Range",
  "Reason",
  "RecordLine",
  "Representative",
  "RepresentativeOptions",
  "RepresentativeResult",
  "Scalar",
  "ScopeFields",
  "ScopeIds",
  "Scored",
  "StageReport",
  "TextRecord",
  "Typical",
  "Vetoed",
  "VetoedLine",
  "Witness",
  "WitnessLine",
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
  expect(Object.keys(manifest.exports)).toEqual([".", "./package.json"]);
  expect(Object.keys(manifest.bin)).toEqual(["sluice"]);
  expect(main.VERSION).toMatch(/^\d+\.\d+\.\d+$/);
});
