/**
 * The names that options choose from: the native core knows the same ones, in the same order.
 */
import { describe, expect, it } from "vitest";
import { COMPRESSIONS, FILE_FORMATS } from "../../src/dedup/dedup-file.js";
import {
  EMPTY_POLICIES,
  KEEP_POLICIES,
  NORMAL_FORMS,
  PREFERENCES,
  SHINGLE_UNITS,
} from "../../src/dedup/options.js";
import { DIVERSITY_STRATEGIES } from "../../src/dedup/representative.js";
import { SluiceError } from "../../src/errors.js";
import { GUARDS } from "../../src/guard/veto.js";
import { callNative, runJob } from "../../src/native.js";

const OPTIONS = {
  columns: 1,
  normalize: "none",
  empty: "keep",
  verifyBytes: true,
  shingleUnit: "word",
  shingleSize: 3,
  keepTexts: true,
  keepLengths: true,
};
const RULES = { keep: "first", referenceOnly: false, guards: [], duplicatesMax: 1 };
const PICK = { strategy: "mmr", diversity: 0.5, count: 1, neighbours: 1 };
const SOURCE = { path: "x.jsonl", columns: ["text"] };

const batch = (options = OPTIONS) => callNative((core) => new core.NativeBatch(options));
const reference = async () =>
  (await runJob((core, control) => core.NativeReference.fit(batch(), RULES, 1, control), {})).value;

/** The names that the core offers when it refuses one. */
async function offered(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    if (error instanceof SluiceError && error.code === "OPTION_INVALID") return error.details.expected ?? "";
    throw error;
  }
  throw new Error("the core took a name that there is not");
}

describe("the core offers what the options offer", () => {
  it.each<[option: string, names: readonly string[], call: () => unknown]>([
    ["normalize", NORMAL_FORMS, () => batch({ ...OPTIONS, normalize: "?" })],
    ["empty", EMPTY_POLICIES, () => batch({ ...OPTIONS, empty: "?" })],
    ["shingles", SHINGLE_UNITS, () => batch({ ...OPTIONS, shingleUnit: "?" })],
    [
      "keep",
      [...KEEP_POLICIES, ...PREFERENCES],
      () => callNative(() => batch().walkNow({ ...RULES, keep: "?" }, undefined, 1)),
    ],
    ["guards", GUARDS, () => callNative((core) => core.veto("a", "b", ["?"]))],
    [
      "strategy",
      DIVERSITY_STRATEGIES,
      async () => {
        const items = await reference();
        await runJob(
          (_, control) => items.representatives(undefined, { ...PICK, strategy: "?" }, 1, control),
          {},
        );
      },
    ],
    [
      "format",
      FILE_FORMATS,
      () => runJob((_, control) => batch().readFile({ ...SOURCE, format: "?" }, 1, control), {}),
    ],
    [
      "compression",
      COMPRESSIONS,
      () => runJob((_, control) => batch().readFile({ ...SOURCE, compression: "?" }, 1, control), {}),
    ],
  ])("for %s", async (_option, names, call) => {
    expect(await offered(call)).toBe(names.join(", "));
  });
});
