/**
 * Laws of the small parts: ids, numbers on the wire, thresholds, payloads, the breaker, the waits.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkPayload } from "../../src/stores/payload-check.js";
import {
  compareWireIds,
  isKeptInPayload,
  parseWireText,
  pointIdOf,
  wireIdOf,
  wireText,
} from "../../src/stores/point-id.js";
import { CircuitBreaker, FAILURES_MAX, OPEN_MS } from "../../src/stores/qdrant/circuit-breaker.js";
import { reaches, scoreOf, wireThreshold } from "../../src/stores/qdrant/score.js";
import { vectorText } from "../../src/stores/qdrant/vector-text.js";
import { delayMs, RETRY_DEFAULTS } from "../../src/stores/retry.js";
import { StoreFailure } from "../../src/stores/store-driver.js";
import { failureOf } from "../support/refusal-table.js";
import { stillClock } from "../support/still-clock.js";

const anyId = fc.oneof(
  fc.nat(),
  fc.maxSafeNat(),
  fc.uuid(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }).map(String),
  fc.string({ minLength: 1, unit: "binary" }),
);

describe("ids", () => {
  it("come back as they went, and no two are one", () => {
    fc.assert(
      fc.property(anyId, anyId, (left, right) => {
        const wire = wireIdOf(left);
        expect(pointIdOf(wire, isKeptInPayload(left, wire) ? left : undefined)).toBe(left);
        expect(parseWireText(wireText(wire), "after")).toBe(wire);
        expect(wireIdOf(right) === wire).toBe(left === right);
      }),
    );
  });

  it("have one order: numbers by value, then UUIDs", () => {
    const sorted = [
      0,
      9,
      10,
      2n ** 53n,
      2n ** 64n - 1n,
      "00000000-0000-0000-0000-000000000000",
      "a0000000-0000-0000-0000-000000000000",
    ];
    expect(sorted.toReversed().toSorted(compareWireIds)).toEqual(sorted);
  });

  it("a UUID has one spelling", () => {
    const plain = "550e8400-e29b-41d4-a716-446655440000";
    expect([plain.toUpperCase(), `urn:uuid:${plain}`].map((id) => wireIdOf(id))).toEqual([plain, plain]);
  });

  it("of texts never change", () => {
    expect(wireIdOf("doc_1")).toBe("1ddbe1c9-55af-5889-a0e3-be0ebf5715b4");
  });

  it.each([-1, -0, 1.5, Number.NaN, 2 ** 53, "", "\ud800", "x".repeat(1_025), null, undefined, {}, true])(
    "%s is none",
    async (id) => {
      expect((await failureOf(() => wireIdOf(id))).code).toBe("POINT_ID_INVALID");
    },
  );

  it.each(["", "a", "-1", "007", "18446744073709551616", "A0000000-0000-0000-0000-000000000000"])(
    "%j ends no page",
    async (text) => {
      expect((await failureOf(() => parseWireText(text, "after"))).code).toBe("OPTION_INVALID");
    },
  );
});

describe("vectors on the wire", () => {
  const numbers = { noNaN: true, noDefaultInfinity: true, maxLength: 20 };

  it("read back as the same 32-bit numbers", () => {
    fc.assert(
      fc.property(fc.float32Array(numbers), (vector) => {
        // What is written is an array of numbers; the sign of a zero is of no account.
        const back = Float32Array.from(JSON.parse(vectorText(vector)) as number[]);
        expect([...back].map((value) => value + 0)).toEqual([...vector].map((value) => value + 0));
      }),
    );
  });

  it("take at most 17 characters each between -1 and 1", () => {
    fc.assert(
      fc.property(fc.float32Array({ ...numbers, min: -1, max: 1 }), (vector) => {
        expect(vectorText(vector).length).toBeLessThanOrEqual(1 + 18 * vector.length + 1);
      }),
    );
  });
});

describe("thresholds", () => {
  const float = fc.float({ noNaN: true, noDefaultInfinity: true, min: -(2 ** 100), max: 2 ** 100 });
  it("kept by ours is kept by a strict comparison with what is sent, and nothing in between", () => {
    fc.assert(
      fc.property(float, float, (score, other) => {
        for (const threshold of [score, other]) {
          expect(score > wireThreshold("dot", threshold)).toBe(reaches(score, threshold));
          expect(-score < wireThreshold("l2", threshold)).toBe(reaches(score, threshold));
        }
      }),
    );
  });

  it("a cosine may be beyond 1 by rounding only", async () => {
    expect([scoreOf("cosine", 1.0000001), scoreOf("cosine", -1.0000001), scoreOf("cosine", 0.5)]).toEqual([
      1, -1, 0.5,
    ]);
    expect((await failureOf(() => scoreOf("cosine", 1.01))).code).toBe("STORE_REFUSED");
  });
});

describe("payloads", () => {
  it("that are JSON are taken as they are", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ maxDepth: 5 })),
        (payload) => {
          expect(JSON.parse(checkPayload(payload, 0))).toEqual(JSON.parse(JSON.stringify(payload)));
        },
      ),
    );
  });

  const nested = (levels: number): unknown => (levels === 1 ? {} : { a: nested(levels - 1) });
  const shared = (levels: number): unknown => {
    let value: unknown = {};
    for (let n = 1; n < levels; n++) value = { a: value, b: value };
    return value;
  };
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;

  it("may be 64 levels deep", () => {
    expect(checkPayload(nested(64), 0).length).toBeGreaterThan(64);
  });

  it.each<readonly [string, unknown]>([
    ["no object", []],
    ["a class", { when: new Date(0) }],
    ["no finite number", { n: Number.NaN }],
    ["a bigint", { n: 1n }],
    ["a hole", { list: [undefined] }],
    ["a lone surrogate", { "S3CRET-9f2c": "\udc00" }],
    ["a lone surrogate in a key", { "\udc00": 1 }],
    ["a reserved key", { _lc: {} }],
    ["65 levels", nested(65)],
    ["itself", cyclic],
    ["more values than bytes are allowed", shared(40)],
    ["more than a mebibyte", { text: "S3CRET-9f2c".repeat(100_000) }],
  ])("%s is refused", async (_title, payload) => {
    const failure = await failureOf(() => checkPayload(payload, 7));
    expect([failure.code, failure.details.position]).toEqual(["PAYLOAD_INVALID", 7]);
  });
});

describe("a node", () => {
  it("is left alone after five failures in a row, then asked once", () => {
    const breaker = new CircuitBreaker();
    for (let n = 1; n < FAILURES_MAX; n++) breaker.fail(0);
    expect(breaker.waitMs(0)).toBe(0);
    breaker.fail(0);
    expect(breaker.waitMs(1)).toBe(OPEN_MS - 1);
    expect(breaker.waitMs(OPEN_MS)).toBe(0);
    breaker.begin();
    expect(breaker.waitMs(OPEN_MS)).toBeGreaterThan(0);
    breaker.fail(OPEN_MS);
    expect(breaker.waitMs(OPEN_MS + 1)).toBe(OPEN_MS - 1);
    breaker.begin();
    breaker.succeed();
    expect(breaker.waitMs(OPEN_MS)).toBe(0);
  });
});

it("a wait is never shorter than the store asked for, and never longer than its bound beyond that", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.nat(60_000),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (attempt, retryAfterMs, chance) => {
        const failure = new StoreFailure("later", "STORE_UNREACHABLE", "It failed.", { retryAfterMs });
        const wait = delayMs(failure, attempt, RETRY_DEFAULTS, stillClock(chance));
        expect(wait).toBeGreaterThanOrEqual(retryAfterMs);
        expect(wait).toBeLessThanOrEqual(retryAfterMs + RETRY_DEFAULTS.delayMsMax);
      },
    ),
  );
});
