/**
 * What holds for every corpus, as properties over random ones. A failure prints its seed, which replays it.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Embedder, TextRecord } from "../../src/main.js";
import { dedup, Deduper, loadEmbedder } from "../../src/main.js";
import { bruteForce, cosineOf, jaccardOf, normalFormOf } from "../support/brute-force.js";
import { rows, rules, texts } from "../support/corpora.js";
import { decisionOf, decisionOfBrute, stableJson } from "../support/decision.js";

const RUNS = { numRuns: 150 };
const staticEn = await loadEmbedder("static-en");
const hash = await loadEmbedder("hash");
const embedders = fc.constantFrom(staticEn, hash);

async function vectorsByText(
  embedder: Embedder,
  list: readonly string[],
): Promise<Map<string, Float32Array>> {
  const data = await embedder.embed(list);
  const { dimension } = embedder;
  return new Map(list.map((text, row) => [text, data.subarray(row * dimension, (row + 1) * dimension)]));
}

describe("for every corpus", () => {
  it("the product decides as the quadratic definition does: texts", async () => {
    const law = fc.asyncProperty(texts, rules, embedders, async (records, options, embedder) => {
      const brute = await bruteForce(records, options, embedder);
      expect(decisionOf(await dedup(records, { ...options, embedder }))).toEqual(
        decisionOfBrute(brute, records),
      );
    });
    await fc.assert(law, RUNS);
  });

  it("the product decides as the quadratic definition does: columns", async () => {
    const columns = ["title", "body"];
    const law = fc.asyncProperty(rows, rules, embedders, async (records, options, embedder) => {
      const brute = await bruteForce(records, { ...options, columns }, embedder);
      const result = await dedup(records, { ...options, columns, embedder });
      expect(decisionOf(result)).toEqual(decisionOfBrute(brute, records));
    });
    await fc.assert(law, RUNS);
  });

  it("the product decides as the quadratic definition does: against a reference", async () => {
    const profile = fc.constantFrom(undefined, "document" as const);
    const law = fc.asyncProperty(texts, texts, rules, profile, async (against, records, options, chosen) => {
      const all = { ...options, ...(chosen === undefined ? {} : { profile: chosen }) };
      const brute = await bruteForce(records, all, staticEn, against);
      const result = await dedup<string>(records, { ...all, embedder: staticEn, against });
      expect(decisionOf(result)).toEqual(decisionOfBrute(brute, records, against));
    });
    await fc.assert(law, RUNS);
  });

  it("selected and filtered are the input, in its order", async () => {
    const law = fc.asyncProperty(rows, rules, async (records, options) => {
      const result = await dedup<TextRecord>(records, { ...options, columns: ["body"], embedder: staticEn });
      const dropped = result.filtered.map(({ position }) => position);
      const both = [...result.selectedPositions, ...dropped];
      expect(both.toSorted((a, b) => a - b)).toEqual(records.map((_, position) => position));
      for (const side of [[...result.selectedPositions], dropped]) {
        expect(side).toEqual(side.toSorted((a, b) => a - b));
      }
      expect(result.selected).toEqual([...result.selectedPositions].map((position) => records[position]));
      result.filtered.forEach(({ position, record }) => {
        expect(record).toBe(records[position]);
      });
    });
    await fc.assert(law, RUNS);
  });

  it("every witness was kept, and every score is what plain arithmetic gives", async () => {
    const law = fc.asyncProperty(texts, rules, embedders, async (records, options, embedder) => {
      const result = await dedup(records, { ...options, embedder });
      const kept = new Set(result.selectedPositions);
      const normalize =
        options.methods?.includes("normalized") === true ? (options.normalize ?? "space") : "none";
      const forms = records.map((record) => normalFormOf(record, normalize));
      const vectors = await vectorsByText(embedder, forms);
      for (const { position, reason, score, duplicateOf, exact } of result.filtered) {
        expect(exact).toBe(reason === "exact");
        if (reason === "empty") {
          expect(duplicateOf).toBeNull();
          continue;
        }
        const witness = duplicateOf?.position ?? -1;
        expect(kept).toContain(witness);
        const [own, other] = [forms[position] ?? "", forms[witness] ?? ""];
        if (reason === "lexical") {
          expect(score).toBe(jaccardOf(own, other, options.shingles as Parameters<typeof jaccardOf>[2]));
          expect(score).toBeGreaterThanOrEqual(options.jaccard ?? 0.8);
        } else if (reason === "semantic") {
          const [a, b] = [vectors.get(own), vectors.get(other)];
          expect(cosineOf(a ?? new Float32Array(), b ?? new Float32Array())).toBeCloseTo(score, 6);
          expect(score).toBeGreaterThanOrEqual(options.threshold ?? 0.9);
          expect(score).toBeLessThanOrEqual(1);
        }
      }
    });
    await fc.assert(law, RUNS);
  });

  it("no two kept texts reach a threshold that no guard spared", async () => {
    const law = fc.asyncProperty(texts, fc.constantFrom(0.3, 0.5, 0.8), async (records, jaccard) => {
      const { selected } = await dedup(records, {
        methods: ["normalized", "lexical"],
        jaccard,
        empty: "drop",
      });
      selected.forEach((a, index) => {
        for (const b of selected.slice(index + 1)) {
          expect(jaccardOf(normalFormOf(a, "space"), normalFormOf(b, "space"))).toBeLessThan(jaccard);
        }
      });
    });
    await fc.assert(law, RUNS);
  });

  it("the number of threads changes nothing", async () => {
    const law = fc.asyncProperty(texts, rules, async (records, options) => {
      const [one, ...others] = await Promise.all(
        [1, 2, 3].map(async (threads) => dedup(records, { ...options, threads, embedder: staticEn })),
      );
      for (const other of others) {
        expect(decisionOf(other)).toEqual(one && decisionOf(one));
        expect(other.report.counts).toEqual(one?.report.counts);
      }
    });
    await fc.assert(law, { numRuns: 50 });
  });

  it("rethreshold equals a fresh run, up and down", async () => {
    const share = fc.constantFrom(0.3, 0.5, 0.7, 0.9, 0.99, 1);
    const law = fc.asyncProperty(texts, rules, share, share, async (records, options, from, to) => {
      const fixed = { ...options, floor: 0.3, embedder: staticEn };
      const again = (await dedup(records, { ...fixed, threshold: from })).rethreshold(to);
      const fresh = await dedup(records, { ...fixed, threshold: to });
      expect(stableJson(again)).toBe(stableJson(fresh));
      expect(again.histogram()).toEqual(fresh.histogram());
    });
    await fc.assert(law, RUNS);
  });

  it("a higher threshold of rethreshold and back is where it started", async () => {
    const law = fc.asyncProperty(texts, async (records) => {
      const first = await dedup(records, { threshold: 0.6, embedder: staticEn });
      expect(stableJson(first.rethreshold(0.95).rethreshold(0.6))).toBe(stableJson(first));
    });
    await fc.assert(law, { numRuns: 50 });
  });

  it("deduplicating what was selected drops nothing", async () => {
    const law = fc.asyncProperty(texts, rules, async (records, options) => {
      const fixed = { ...options, guards: [], embedder: staticEn };
      const { selected } = await dedup(records, fixed);
      expect((await dedup(selected, fixed)).selected).toEqual(selected);
    });
    await fc.assert(law, RUNS);
  });

  it("with add, one batch equals its records one by one", async () => {
    const law = fc.asyncProperty(texts, texts, async (fitted, records) => {
      const options = { empty: "collapse", threshold: 0.8, jaccard: 0.5, embedder: staticEn } as const;
      const [whole, single] = await Promise.all([
        Deduper.from(fitted, options),
        Deduper.from(fitted, options),
      ]);
      const batch = await whole.deduplicate(records, { add: true });
      const itemOf = new Map(
        [...batch.selectedPositions].map((position, rank) => [position, fitted.length + rank]),
      );
      const expected = new Map(
        batch.filtered.map(({ position, score, duplicateOf }) => [
          position,
          { score, item: duplicateOf?.referencePosition ?? itemOf.get(duplicateOf?.position ?? -1) },
        ]),
      );
      for (const [position, record] of records.entries()) {
        const { filtered } = await single.deduplicate([record], { add: true });
        const [drop] = filtered.map(({ score, duplicateOf }) => ({
          score,
          item: duplicateOf?.referencePosition,
        }));
        expect(drop).toEqual(expected.get(position));
      }
      expect(single.size).toBe(whole.size);
    });
    await fc.assert(law, { numRuns: 50 });
  });
});
