/**
 * Outliers and representatives: the order of SemHash on real vectors, and what SemHash leaves open.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Deduper } from "../../src/main.js";
import type { DiversityStrategy, Embedder, OutlierOptions, Typical } from "../../src/main.js";

interface Picks {
  readonly selected: readonly number[];
  readonly selectedScores: readonly number[];
}

interface Side {
  readonly outliers: { readonly filtered: readonly number[]; readonly filteredScores: readonly number[] };
  readonly representatives: Readonly<Record<DiversityStrategy, Picks>>;
}

interface Golden {
  readonly fitted: number;
  readonly dimension: number;
  readonly texts: readonly number[];
  readonly rows: string;
  readonly own: Side;
  readonly batch: Side;
}

// The file is ours; see its field `about`.
const golden = JSON.parse(
  readFileSync(new URL("data/semhash-ranking.json", import.meta.url), "utf8"),
) as Golden;
const { fitted, dimension } = golden;
const passages = golden.texts.map((text, id) => ({ id: `p${id}`, text: `passage ${text}` }));
const data = Float32Array.from(new Int8Array(Buffer.from(golden.rows, "base64")));
const rowsOf = (from: number, to: number): { data: Float32Array; dimension: number } => ({
  data: data.slice(from * dimension, to * dimension),
  dimension,
});
const batch = passages.slice(fitted);
const embeddings = rowsOf(fitted, passages.length);
const fit = (): Promise<Deduper<{ id: string; text: string }>> =>
  Deduper.fromEmbeddings(rowsOf(0, fitted), passages.slice(0, fitted));

const strategies = Object.keys(golden.own.representatives) as DiversityStrategy[];
/** SemHash adds in f32. */
const TOLERANCE = 5e-5;

function expectPicks(selected: ReadonlyArray<{ position: number; gain: number }>, expected: Picks): void {
  expect(selected.map(({ position }) => position)).toEqual(expected.selected);
  selected.forEach(({ gain }, pick) => {
    const theirs = expected.selectedScores[pick] ?? Number.NaN;
    expect(Math.abs(gain - theirs)).toBeLessThan(TOLERANCE * Math.max(1, Math.abs(theirs)));
  });
}

/** Positions from the highest score to the lowest, ties by position. */
function ranked(records: ReadonlyArray<Typical<unknown>>): Array<{ position: number; score: number }> {
  return records
    .map(({ position, score }) => ({ position, score: score ?? Number.NEGATIVE_INFINITY }))
    .sort((a, b) => b.score - a.score || a.position - b.position);
}

function expectOutliers(filtered: ReadonlyArray<Typical<unknown>>, expected: Side["outliers"]): void {
  const ours = ranked(filtered);
  expect(new Set(ours.map(({ position }) => position))).toEqual(new Set(expected.filtered));
  ours.forEach(({ score }, rank) => {
    expect(Math.abs(score - (expected.filteredScores[rank] ?? Number.NaN))).toBeLessThan(TOLERANCE);
  });
}

describe("the order of SemHash", () => {
  it("of outliers among the fitted records, where copies count", async () => {
    using deduper = closing(await fit());
    const { selected, filtered, report } = await deduper.value.filterOutliers();
    expectOutliers(filtered, golden.own.outliers);
    expect(filtered.length).toBe(Math.ceil(fitted / 10));
    expect(report.counts).toMatchObject({ records: fitted, selected: selected.length, without_score: 0 });
  });

  it("of outliers in a batch", async () => {
    using deduper = closing(await fit());
    const { filtered } = await deduper.value.filterOutliersIn(batch, { embeddings, share: 0.2 });
    expectOutliers(filtered, golden.batch.outliers);
  });

  it.each(strategies)("of representatives of the fitted records by %s", async (strategy) => {
    using deduper = closing(await fit());
    const { selected } = await deduper.value.findRepresentative({ count: 12, strategy });
    expectPicks(selected, golden.own.representatives[strategy]);
  });

  it.each(strategies)("of representatives in a batch by %s", async (strategy) => {
    using deduper = closing(await fit());
    const { selected } = await deduper.value.findRepresentativeIn(batch, {
      ...{ embeddings, count: 8, strategy, diversity: 0.7, candidateLimit: 40 },
    });
    expectPicks(selected, golden.batch.representatives[strategy]);
  });
});

/** An embedder with a table: the first letter decides; a dash means no vector. */
const letters: Embedder = {
  id: "letters",
  dimension: 2,
  embed: (texts) => {
    const rows: Readonly<Record<string, readonly number[]>> = { "-": [0, 0], "b": [0.6, 0.8], "c": [0, 1] };
    return Promise.resolve(Float32Array.from(texts.flatMap((text) => [...(rows[text.charAt(0)] ?? [1, 0])])));
  },
};

async function fitLetters(texts: readonly string[]): Promise<Deduper<string>> {
  return Deduper.from(texts, { embedder: letters });
}

describe("outliers", () => {
  it("keep the input order on both sides, and every record is on one", async () => {
    using deduper = closing(await fit());
    const { selected, filtered } = await deduper.value.filterOutliers({ share: 0.37 });
    const positions = (side: ReadonlyArray<Typical<unknown>>): number[] =>
      side.map(({ position }) => position);
    const both = [...positions(selected), ...positions(filtered)];
    expect(positions(selected)).toEqual(positions(selected).sort((a, b) => a - b));
    expect(positions(filtered)).toEqual(positions(filtered).sort((a, b) => a - b));
    expect(both.sort((a, b) => a - b)).toEqual(passages.slice(0, fitted).map((_, position) => position));
    for (const { record, position, id } of filtered) {
      expect(record).toBe(passages[position]);
      expect(id).toBe(`p${position}`);
    }
  });

  it.each([
    ["a single record stays: there is nothing to judge it by", ["a"], 0.1, []],
    ["no record, no outlier", [], 1, []],
    ["a share of nothing is nothing", ["a1", "a2", "c"], 0, []],
    ["the record that is unlike the others", ["a1", "a2", "c", "a3"], 0.25, [2]],
    ["of equals the last", ["a1", "a2"], 0.1, [1]],
    ["those without a vector first", ["a1", "-", "a2", "c", " "], 0.4, [1, 4]],
    ["copies share their score", ["c", "a1", "c", "a2", "c ", "a3"], 0.5, [0, 2, 4]],
  ] as const)("%s", async (_, texts, share, expected) => {
    using deduper = closing(await fitLetters(texts));
    const { filtered } = await deduper.value.filterOutliers({ share });
    expect(filtered.map(({ position }) => position)).toEqual(expected);
  });

  it("say when there was nothing to judge by", async () => {
    using deduper = closing(await fitLetters(["a"]));
    const { selected, report } = await deduper.value.filterOutliers();
    expect(selected).toEqual([{ position: 0, record: "a", score: null }]);
    expect(report.limits).toEqual([expect.stringContaining("nothing to judge by")]);
  });

  it("of a batch are asked against the reference alone", async () => {
    using deduper = closing(await fitLetters(["a1", "a2"]));
    const { selected, filtered } = await deduper.value.filterOutliersIn(["c1", "a1", "c2", "b"], {
      share: 0.5,
    });
    expect(selected.map(({ record, score }) => [record, score])).toEqual([
      ["a1", 1],
      ["b", expect.closeTo(0.6)],
    ]);
    expect(filtered.map(({ record, score }) => [record, score])).toEqual([
      ["c1", 0],
      ["c2", 0],
    ]);
    expect(deduper.value.size).toBe(2);
  });

  it("see what was added", async () => {
    using deduper = closing(await fitLetters(["a1", "a2", "c1"]));
    await deduper.value.add(["c2", "c3", "c4"]);
    const { filtered } = await deduper.value.filterOutliers({ share: 0.1, neighbours: 2 });
    expect(filtered.map(({ record }) => record)).toEqual(["a2"]);
  });
});

describe("representatives", () => {
  it("are few, unlike each other, and one a normal form", async () => {
    using deduper = closing(await fitLetters(["-", "a1", "a1 ", "a2", "a3", "a4", "c", "b"]));
    const { selected, filtered, report } = await deduper.value.findRepresentative({
      count: 2,
      diversity: 0.9,
    });
    expect(selected.map(({ record }) => record)).toEqual(["a1", "c"]);
    expect(filtered.map(({ record }) => record)).toEqual(["a2", "a3", "a4", "b"]);
    expect(report.counts).toMatchObject({ classes: 7, candidates: 6, without_score: 1 });
    expect(report.limits).toContain("1 records have no score and were no candidates.");
  });

  it("of nothing are none", async () => {
    using deduper = closing(await fitLetters([]));
    const { selected, filtered } = await deduper.value.findRepresentative();
    expect([selected, filtered]).toEqual([[], []]);
  });

  it("do not depend on the number of threads, and are plain data", async () => {
    using deduper = closing(await fit());
    const [one, four] = await Promise.all(
      [1, 4].map((threads) => deduper.value.findRepresentative({ threads })),
    );
    expect(one?.selected).toEqual(four?.selected);
    expect(structuredClone(one)).toEqual(one);
    expect(JSON.parse(JSON.stringify(one))).toEqual(one);
  });
});

describe("refused", () => {
  it.each([
    [{ share: 1.5 }, "share"],
    [{ share: Number.NaN }, "share"],
    [{ neighbours: 0 }, "neighbours"],
    [{ quota: 1 }, "quota"],
  ])("options %o", async (options, field) => {
    using deduper = closing(await fitLetters(["a"]));
    // A caller without types may name anything.
    await expect(deduper.value.filterOutliers(options as OutlierOptions)).rejects.toMatchObject({
      code: "OPTION_INVALID",
      details: { field },
    });
  });

  it("a fit without vectors", async () => {
    using deduper = closing(await Deduper.from(["a", "b"], { methods: ["exact"] }));
    await expect(deduper.value.findRepresentative()).rejects.toMatchObject({
      code: "OPTION_INVALID",
      details: { field: "methods" },
    });
  });

  it("a strategy and a diversity", async () => {
    using deduper = closing(await fitLetters(["a"]));
    // @ts-expect-error there is no such strategy
    const strategy = deduper.value.findRepresentative({ strategy: "best" });
    await expect(strategy).rejects.toMatchObject({ code: "OPTION_INVALID", details: { field: "strategy" } });
    const diversity = deduper.value.findRepresentative({ diversity: -1 });
    await expect(diversity).rejects.toMatchObject({
      code: "OPTION_INVALID",
      details: { field: "diversity" },
    });
  });

  it("an aborted signal and a closed deduper", async () => {
    const deduper = await fit();
    const reason = new Error("enough");
    await expect(deduper.filterOutliers({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    deduper.close();
    await expect(deduper.filterOutliers()).rejects.toMatchObject({ code: "CLOSED" });
  });
});

/** Closes a deduper at the end of a block. */
function closing<T extends { close(): void }>(value: T): { readonly value: T } & Disposable {
  return {
    value,
    [Symbol.dispose]: () => {
      value.close();
    },
  };
}
