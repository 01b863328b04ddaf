/** DED-01: ten identical records, and only one of the nine removed ones was named. */
import { expect, it } from "vitest";
import { dedup } from "../../src/main.js";

it("DED-01: every removed copy is listed, each with the kept record", async () => {
  const records = Array.from({ length: 10 }, (_, idx) => ({ name: "Adhesion", idx }));
  const result = await dedup(records, { columns: ["name"] });
  expect(result.selected).toEqual([records[0]]);
  expect(result.filtered).toEqual(
    records.slice(1).map((record) => ({
      position: record.idx,
      record,
      reason: "exact",
      exact: true,
      score: 1,
      duplicateOf: { position: 0 },
      duplicates: [{ record: records[0], score: 1 }],
    })),
  );
  expect(result.selectedWithDuplicates()).toEqual([
    { record: records[0], duplicates: records.slice(1).map((record) => ({ record, score: 1 })) },
  ]);
});
