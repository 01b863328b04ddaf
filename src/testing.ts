/**
 * `sluice/testing`: suites that hold what you bring to the same contract as what ships. They need no test runner.
 */
export { backendConformance } from "./index/conformance.js";
export type { BackendConformanceOptions, ConformanceCheck } from "./index/conformance.js";
export { STORE_CONFORMANCE } from "./stores/conformance.js";
export type { StoreCheck, StoreCheckSetting } from "./stores/conformance.js";
