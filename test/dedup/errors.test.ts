/**
 * Bad input is a typed error that says where and what, never a crash, and never the text of a record.
 */
import { describe, expect, it } from "vitest";
import type {
  DedupOptions,
  DedupResult,
  DeduplicateOptions,
  Embedder,
  ErrorDetails,
  TextRecord,
} from "../../src/main.js";
import { dedup, Deduper, loadEmbedder, SluiceError, veto } from "../../src/main.js";

/** Stands in every text; if it shows up in an error, a record has leaked. */
const SECRET = "S3CRET-9f2c";

const records = Array.from({ length: 300 }, (_, n) => ({ text: `${SECRET} number ${n} of the list`, n }));

/** Everything of an error that ends up in a log, its causes but for those of the caller included. */
function printed(error: SluiceError): string {
  return JSON.stringify([error, error.message, error.details, error.stack, String(error)]);
}

async function failureOf(work: () => unknown): Promise<SluiceError> {
  const error = await Promise.resolve()
    .then(work)
    .then(
      () => new Error("nothing was thrown"),
      (reason: unknown) => reason,
    );
  expect(error).toBeInstanceOf(SluiceError);
  const failure = error as SluiceError;
  expect(printed(failure)).not.toContain(SECRET);
  return failure;
}

interface Bad {
  readonly title: string;
  readonly work: () => unknown;
  readonly code: string;
  readonly details?: ErrorDetails;
}

function tell(cases: readonly Bad[]): void {
  it.each(cases)("$title: $code", async ({ work, code, details = {} }) => {
    const failure = await failureOf(work);
    expect({ code: failure.code, details: failure.details }).toMatchObject({ code, details });
    expect(failure.message).toMatch(/^[A-Z0-9].*\.$/s);
  });
}

/** A list with one bad record at position 150, after good ones. */
function withBad(bad: unknown): readonly TextRecord[] {
  // What a caller without types may do.
  return [...records.slice(0, 150), bad as TextRecord, ...records.slice(150)];
}

describe("a record", () => {
  const bad = (
    title: string,
    record: unknown,
    code: string,
    details: ErrorDetails,
    options?: DedupOptions,
  ): Bad => ({
    title,
    work: () => dedup(withBad(record), options),
    code,
    details: { position: 150, ...details },
  });
  tell([
    bad("null", null, "RECORD_INVALID", { received: "null", expected: "string or object" }),
    bad("undefined", undefined, "RECORD_INVALID", { received: "undefined" }),
    bad("a number", 7, "RECORD_INVALID", { received: "number" }),
    bad("a function", () => SECRET, "RECORD_INVALID", { received: "function" }),
    bad("an array", [SECRET], "RECORD_INVALID", { received: "array" }),
    bad("without the column", { title: SECRET }, "COLUMN_MISSING", { field: "text", received: "undefined" }),
    bad("with null in the column", { text: null }, "COLUMN_NOT_TEXT", { field: "text", received: "null" }),
    bad("with a number in the column", { text: 42 }, "COLUMN_NOT_TEXT", {
      field: "text",
      received: "number",
    }),
    bad("with an array in the column", { text: [SECRET] }, "COLUMN_NOT_TEXT", {
      field: "text",
      received: "array",
    }),
    bad("with an object in the column", { text: { SECRET } }, "COLUMN_NOT_TEXT", { received: "object" }),
    ...["constructor", "toString", "__proto__"].map((column) => ({
      title: `without a column of its own by the name of ${column}, which every object inherits`,
      work: () => dedup([{ text: "a" }], { columns: [column] }),
      code: "COLUMN_MISSING",
      details: { position: 0, field: column },
    })),
    bad(
      "with text in a field to order by",
      { text: "a", n: SECRET },
      "COLUMN_NOT_TEXT",
      { field: "n" },
      {
        keep: { field: "n", prefer: "highest" },
      },
    ),
    bad(
      "with NaN in a field to order by",
      { text: "a", n: Number.NaN },
      "COLUMN_NOT_TEXT",
      { field: "n" },
      {
        keep: { field: "n", prefer: "lowest" },
      },
    ),
    ...[
      "2026-01-01T10:00",
      "2026-01-01T10:00:00",
      "2026-01-01T25:00:00Z",
      "2026-02-30",
      "2026-01-01 soon",
      "2026-01-01 10:00 PM",
      "Jan 1 2026",
    ].map((n) =>
      bad(
        `with ${n} in a field to order by`,
        { text: "a", n },
        "COLUMN_NOT_TEXT",
        { field: "n", received: "string" },
        { keep: { field: "n", prefer: "highest" } },
      ),
    ),
  ]);

  it("with a getter that throws: the caller's own error comes out", async () => {
    const trap = Object.defineProperty({}, "text", {
      get: () => {
        throw new RangeError("mine");
      },
    });
    await expect(dedup(withBad(trap))).rejects.toThrow(new RangeError("mine"));
  });

  it("source that throws: the caller's own error comes out", async () => {
    function* broken(): Generator<string> {
      yield "one";
      throw new RangeError("mine");
    }
    await expect(dedup(broken())).rejects.toThrow(new RangeError("mine"));
  });

  tell([
    {
      title: "list that is a number",
      work: () => dedup(7 as never),
      code: "OPTION_INVALID",
      details: { field: "records" },
    },
    {
      title: "list that is null",
      work: () => dedup(null as never),
      code: "OPTION_INVALID",
      details: { field: "records" },
    },
    {
      title: "list that is one text",
      work: () => dedup("abc"),
      code: "OPTION_INVALID",
      details: { field: "records" },
    },
    {
      title: "list whose iterator is undefined",
      work: () => dedup({ [Symbol.iterator]: undefined } as never),
      code: "OPTION_INVALID",
      details: { field: "records" },
    },
  ]);
});

describe("an option", () => {
  const bad = (title: string, options: object, field: string, details: ErrorDetails = {}): Bad => ({
    title,
    // What a caller without types may do.
    work: () => dedup(records, options as DedupOptions),
    code: "OPTION_INVALID",
    details: { field, ...details },
  });
  tell([
    bad("threshold 2", { threshold: 2 }, "threshold", { received: "2" }),
    bad("threshold -1", { threshold: -1 }, "threshold", { received: "-1" }),
    bad("threshold NaN", { threshold: Number.NaN }, "threshold", { received: "NaN" }),
    bad("threshold as text", { threshold: "0.9" }, "threshold", { received: "string" }),
    bad("jaccard 0, which would drop everything", { jaccard: 0 }, "jaccard", { received: "0" }),
    bad("jaccard 1.1", { jaccard: 1.1 }, "jaccard"),
    bad("floor above threshold", { floor: 0.95, threshold: 0.9 }, "floor", {
      expected: "at most 0.9",
      received: "0.95",
    }),
    bad("floor -0.1", { floor: -0.1 }, "floor"),
    bad("a misspelt name", { treshold: 0.9 }, "treshold"),
    bad("an unknown guard", { guards: ["numbers", SECRET] }, "guards.1", { received: "string" }),
    bad("an unknown method", { methods: ["fuzzy"] }, "methods"),
    bad("an unknown normal form", { normalize: "upper" }, "normalize"),
    bad("an unknown policy for blank texts", { empty: "remove" }, "empty"),
    bad("an unknown keep policy", { keep: "last" }, "keep"),
    bad("keep by a field without a direction", { keep: { field: "n" } }, "keep"),
    bad("no columns", { columns: [] }, "columns"),
    bad("an empty column name", { columns: [""] }, "columns.0"),
    bad("columns as text", { columns: "text" }, "columns", { received: "string" }),
    bad("shingles of size 0", { shingles: { unit: "word", size: 0 } }, "shingles.size", { received: "0" }),
    bad("shingles of letters", { shingles: { unit: "letter", size: 3 } }, "shingles.unit"),
    bad("duplicatesMax 0", { duplicatesMax: 0 }, "duplicatesMax"),
    bad("threads 0", { threads: 0 }, "threads"),
    bad("threads 1.5", { threads: 1.5 }, "threads"),
    bad("memoryBytes 0", { memoryBytes: 0 }, "memoryBytes"),
    bad("a signal that is none", { signal: {} }, "signal"),
    bad("onProgress that is no function", { onProgress: 1 }, "onProgress"),
    bad("an embedder without embed", { embedder: { id: "x", dimension: 2 } }, "embedder"),
    bad("an embedder of dimension 0", { embedder: { id: "x", dimension: 0, embed: () => null } }, "embedder"),
    ...[2 ** 31, 2 ** 53].map((dimension) =>
      bad(
        `an embedder of dimension ${dimension}`,
        { embedder: { id: "x", dimension, embed: () => null } },
        "embedder",
      ),
    ),
    ...["methods", "guards", "columns"].map((field) =>
      bad(`${field} as bytes`, { [field]: Buffer.from("ab") }, field, { received: "object" }),
    ),
    bad("embeddings as an array", { embeddings: { data: [1, 2], dimension: 2 } }, "embeddings.data"),
    bad("an unknown profile", { profile: "semhash" }, "profile"),
    bad("add without a Deduper to add to", { add: true }, "add", { expected: "against: a Deduper" }),
    {
      title: "an embedder that is neither a name nor a folder",
      work: () => dedup(records, { embedder: "static-xx" }),
      code: "MODEL_INVALID",
      details: { field: "embedder" },
    },
  ]);
});

describe("a histogram", () => {
  it.each([0, -1, 2.5, Number.NaN, Infinity, 10_001, 1e9])("of %s bins is refused", async (bins) => {
    const result = await dedup(["a", "b"]);
    expect(() => result.histogram(bins)).toThrow(
      expect.objectContaining({
        code: "OPTION_INVALID",
        details: expect.objectContaining({ field: "bins" }) as object,
      }),
    );
  });
});

describe("a result", () => {
  const result = async (): Promise<DedupResult<string>> => dedup(["a", "b"]);
  tell([
    ...[-1, 0.5, Number.NaN, Infinity, 10n, "1"].map((n) => ({
      title: `asked for its ${String(n)} (${typeof n}) least similar`,
      work: async () => (await result()).leastSimilar(n as never),
      code: "OPTION_INVALID",
      details: { field: "n" },
    })),
    ...[Symbol("x"), 1n, "0.95", null].map((threshold) => ({
      title: `asked for another threshold by a ${typeof threshold}`,
      work: async () => (await result()).rethreshold(threshold as never),
      code: "OPTION_INVALID",
      details: { field: "threshold" },
    })),
  ]);
});

describe("veto", () => {
  tell([
    {
      title: "of null",
      work: () => veto(null as never, "b"),
      code: "OPTION_INVALID",
      details: { field: "a" },
    },
    {
      title: "of a number",
      work: () => veto("a", 7 as never),
      code: "OPTION_INVALID",
      details: { field: "b" },
    },
    {
      title: "by bytes for guards",
      work: () => veto("a", "b", Buffer.from("ab") as never),
      code: "OPTION_INVALID",
      details: { field: "guards" },
    },
  ]);

  it("refuses an unknown guard", () => {
    expect(() => veto(SECRET, SECRET, ["hubris" as never])).toThrow(
      expect.objectContaining({
        code: "OPTION_INVALID",
        details: expect.objectContaining({ field: "guards" }) as object,
      }),
    );
  });
});

describe("a bound on memory", () => {
  tell([
    {
      title: "that the records exceed",
      work: () => dedup(records, { memoryBytes: 1000 }),
      code: "MEMORY_LIMIT",
      details: { field: "memoryBytes", expected: "at most 1000 bytes" },
    },
    {
      title: "that the vectors exceed",
      work: () => dedup(records, { memoryBytes: 120_000 }),
      code: "MEMORY_LIMIT",
      details: { field: "memoryBytes" },
    },
  ]);

  it("that is enough changes nothing", async () => {
    expect((await dedup(["a", "a"], { memoryBytes: 1e9 })).selected).toEqual(["a"]);
  });
});

describe("vectors in hand", () => {
  const rows = (data: readonly number[]): DedupOptions => ({
    embeddings: { data: Float32Array.from(data), dimension: 2 },
  });
  const three = ["a", "b", "c"].map((letter) => `${SECRET} ${letter}`);
  tell([
    {
      title: "of another size",
      work: () => dedup(three, rows([1, 0, 0, 1])),
      code: "DIMENSION_MISMATCH",
      details: { field: "embeddings", expected: "3 rows of 2", received: "4 numbers" },
    },
    {
      title: "with NaN",
      work: () => dedup(three, rows([1, 0, 0, 1, Number.NaN, 1])),
      code: "VECTOR_NOT_FINITE",
      details: { position: 2 },
    },
    {
      title: "with infinity",
      work: () => dedup(three, rows([1, 0, Number.NEGATIVE_INFINITY, 1, 1, 1])),
      code: "VECTOR_NOT_FINITE",
      details: { position: 1 },
    },
    {
      title: "of zeros",
      work: () => dedup(three, rows([1, 0, 0, 0, 1, 1])),
      code: "VECTOR_ZERO",
      details: { position: 1 },
    },
    {
      title: "bad in a copy, which would not be looked at",
      work: () => dedup(["a", "a", "b"], rows([1, 0, Number.NaN, 0, 1, 1])),
      code: "VECTOR_NOT_FINITE",
      details: { position: 1 },
    },
  ]);
});

describe("an embedder", () => {
  const embedder = (embed: (texts: readonly string[]) => unknown): DedupOptions => ({
    embedder: { id: "mine", dimension: 2, embed: (texts) => Promise.resolve(embed(texts) as Float32Array) },
  });
  tell([
    {
      title: "that rejects",
      work: () =>
        dedup(
          records,
          embedder(() => Promise.reject(new Error(`cannot embed ${SECRET}`))),
        ),
      code: "EMBEDDER_FAILED",
    },
    {
      title: "that throws",
      work: () =>
        dedup(
          records,
          embedder(() => {
            throw new TypeError("boom");
          }),
        ),
      code: "EMBEDDER_FAILED",
    },
    {
      title: "that gives too few numbers",
      work: () =>
        dedup(
          records.slice(0, 3),
          embedder(() => new Float32Array(4)),
        ),
      code: "EMBEDDER_FAILED",
      details: { expected: "Float32Array of 6", received: "Float32Array of 4" },
    },
    {
      title: "that gives a plain array",
      work: () =>
        dedup(
          records.slice(0, 1),
          embedder(() => [1, 2]),
        ),
      code: "EMBEDDER_FAILED",
      details: { received: "object" },
    },
    {
      title: "that gives nothing",
      work: () =>
        dedup(
          records,
          embedder(() => undefined),
        ),
      code: "EMBEDDER_FAILED",
      details: { received: "undefined" },
    },
    {
      title: "that gives NaN",
      work: () =>
        dedup(
          records,
          embedder((texts) => new Float32Array(texts.length * 2).fill(Number.NaN)),
        ),
      code: "VECTOR_NOT_FINITE",
      details: { position: 0 },
    },
    {
      title: "that gives NaN for a text behind copies",
      work: () =>
        dedup(
          ["a", "a", "a", "b"],
          embedder(() => Float32Array.of(1, 0, 1, Number.NaN)),
        ),
      code: "VECTOR_NOT_FINITE",
      details: { position: 3 },
    },
  ]);

  it("keeps what it threw as the cause", async () => {
    const cause = new Error("the service is down");
    const failure = await failureOf(() =>
      dedup(
        records,
        embedder(() => Promise.reject(cause)),
      ),
    );
    expect(failure.cause).toBe(cause);
  });
});

describe("an aborted signal", () => {
  const reason = new Error("no longer needed");

  it("stops before the first record is read", async () => {
    let read = 0;
    function* counted(): Generator<string> {
      read += 1;
      yield "a";
    }
    await expect(dedup(counted(), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(read).toBe(0);
  });

  it("stops while records come in", async () => {
    const controller = new AbortController();
    let read = 0;
    async function* endless(): AsyncGenerator<string> {
      for (;;) {
        read += 1;
        if (read === 500) controller.abort(reason);
        yield await Promise.resolve(`text ${read}`);
      }
    }
    await expect(dedup(endless(), { signal: controller.signal })).rejects.toBe(reason);
    expect(read).toBeGreaterThanOrEqual(500);
  });

  it("stops while a list is packed", async () => {
    const controller = new AbortController();
    function* endless(): Generator<string> {
      for (let n = 0; ; n += 1) yield `text ${n}`;
    }
    setTimeout(() => {
      controller.abort(reason);
    }, 30);
    await expect(dedup(endless(), { signal: controller.signal, methods: ["exact"] })).rejects.toBe(reason);
  });

  it("stops the walk within milliseconds", async () => {
    // Every pair is a veto, so that all is kept and every pair is judged: this walk would take minutes.
    const lines = Array.from(
      { length: 60_000 },
      (_, n) => `This page is page number ${n} of the printed manual`,
    );
    const controller = new AbortController();
    const options = { methods: ["lexical"], jaccard: 0.3, guards: ["numbers"] } as const;
    const work = dedup(lines, {
      ...options,
      signal: controller.signal,
      onProgress: ({ step, done }) => {
        if (step !== "read" && done > 0) controller.abort(reason);
      },
    });
    let aborted = 0;
    controller.signal.addEventListener("abort", () => (aborted = performance.now()));
    await expect(work).rejects.toBe(reason);
    expect(performance.now() - aborted).toBeLessThan(1000);
  });

  it("reaches the embedder", async () => {
    const controller = new AbortController();
    const embedder: Embedder = {
      id: "slow",
      dimension: 2,
      embed: (_texts, options) =>
        new Promise((_, reject) => {
          options?.signal?.addEventListener("abort", () => {
            reject(new Error("stopped"));
          });
          controller.abort(reason);
        }),
    };
    await expect(dedup(records, { embedder, signal: controller.signal })).rejects.toBe(reason);
  });

  it("without a reason of its own rejects with AbortError", async () => {
    await expect(dedup(records, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: "AbortError",
    });
  });
});

describe("what never settles", () => {
  const never = (): Promise<never> => new Promise(() => undefined);

  it("in a source ends with the signal, and the iterator is told to return", async () => {
    const reason = new Error("enough");
    let returned = 0;
    const hung: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next: never,
        return: () => {
          returned += 1;
          return never();
        },
      }),
    };
    const controller = new AbortController();
    setTimeout(() => {
      controller.abort(reason);
    }, 20);
    await expect(dedup(hung, { signal: controller.signal })).rejects.toBe(reason);
    expect(returned).toBe(1);
  });

  it("in an embedder ends with the signal", async () => {
    const work = dedup(["a", "b"], {
      embedder: { id: "hung", dimension: 2, embed: never },
      signal: AbortSignal.timeout(20),
    });
    await expect(work).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("ends with the deduper it was for", async () => {
    const deduper = await Deduper.from<string>(["a"]);
    const hung: AsyncIterable<string> = { [Symbol.asyncIterator]: () => ({ next: never }) };
    const failure = failureOf(() => deduper.deduplicate(hung));
    deduper.close();
    expect((await failure).code).toBe("CLOSED");
  });
});

describe("a source that can be aborted", () => {
  it("comes in whole, and is told to return when a record is refused", async () => {
    const { signal } = new AbortController();
    let returned = 0;
    async function* source(last: unknown): AsyncGenerator<string> {
      try {
        yield "a";
        await Promise.resolve();
        yield last as string;
      } finally {
        returned += 1;
      }
    }
    expect((await dedup(source("b"), { signal })).selected).toEqual(["a", "b"]);
    await failureOf(() => dedup(source(7), { signal }));
    expect(returned).toBe(2);
  });
});

describe("onProgress", () => {
  it("that throws stops the work, and its error comes out", async () => {
    const mine = new Error("progress bar is gone");
    const onProgress = (): void => {
      throw mine;
    };
    await expect(dedup(records, { onProgress })).rejects.toBe(mine);
  });

  it("that throws during the walk stops the work, and its error comes out", async () => {
    const lines = Array.from(
      { length: 60_000 },
      (_, n) => `This page is page number ${n} of the printed manual`,
    );
    const mine = new Error("progress bar is gone");
    const work = dedup(lines, {
      methods: ["lexical"],
      jaccard: 0.3,
      guards: ["numbers"],
      onProgress: ({ step }) => {
        if (step !== "read") throw mine;
      },
    });
    await expect(work).rejects.toBe(mine);
  });
});

describe("a deduper", () => {
  const closed = async (): Promise<Deduper<string>> => {
    const deduper = await Deduper.from<string>([SECRET]);
    deduper.close();
    return deduper;
  };
  const fromOther = async (): Promise<Embedder> => loadEmbedder("hash");
  const fitted = { data: Float32Array.of(1, 0), dimension: 2 };
  tell([
    { title: "closed, asked", work: async () => (await closed()).deduplicate(["a"]), code: "CLOSED" },
    {
      title: "closed, asked about itself",
      work: async () => (await closed()).selfDeduplicate(),
      code: "CLOSED",
    },
    { title: "closed, added to", work: async () => (await closed()).add(["a"]), code: "CLOSED" },
    {
      title: "fitted by vectors, asked with another embedder's",
      work: async () => {
        const deduper = await Deduper.fromEmbeddings<string>(fitted, [SECRET]);
        return deduper.deduplicate([`${SECRET} b`]);
      },
      code: "EMBEDDER_MISMATCH",
      details: { expected: "caller, 2 components" },
    },
    {
      title: "fitted by vectors, asked with vectors of another dimension",
      work: async () => {
        const deduper = await Deduper.fromEmbeddings<string>(fitted, [SECRET]);
        return deduper.deduplicate(["b"], { embeddings: { data: Float32Array.of(1, 0, 0), dimension: 3 } });
      },
      code: "EMBEDDER_MISMATCH",
      details: { received: "caller, 3 components" },
    },
    {
      title: "asked below the lexical threshold it was fitted for",
      work: async () =>
        (await Deduper.from<string>([SECRET], { jaccard: 0.8 })).deduplicate(["b"], { jaccard: 0.5 }),
      code: "OPTION_INVALID",
      details: { field: "jaccard", expected: "at least 0.8", received: "0.5" },
    },
    {
      title: "compared with, while the call changes what was settled",
      work: async () =>
        dedup(["b"], { against: await Deduper.from<string>([SECRET]), embedder: await fromOther() }),
      code: "OPTION_INVALID",
      details: { field: "embedder" },
    },
    {
      title: "asked again through a result from before it grew",
      work: async () => {
        const deduper = await Deduper.from<string>([SECRET]);
        const result = await deduper.deduplicate(["something else"], { add: true });
        return result.rethreshold(0.95);
      },
      code: "CLOSED",
    },
    ...(
      [
        ["deduplicate", { columns: ["body"] }, "columns"],
        ["deduplicate", { methods: "all" }, "methods"],
        ["deduplicate", { add: "yes" }, "add"],
        ["deduplicate", null, "options"],
        ["add", { columns: ["body"] }, "columns"],
        ["add", { threshold: 0.5 }, "threshold"],
        ["filterOutliersIn", { shingles: { unit: "word", size: 2 } }, "shingles"],
        ["findRepresentativeIn", { id: "key" }, "id"],
      ] as const
    ).map(([call, options, field]) => ({
      title: `given ${JSON.stringify(options)} by ${call}, which has no effect there`,
      work: async () => (await Deduper.from<string>(["a"]))[call](["b"], options as never),
      code: "OPTION_INVALID",
      details: { field },
    })),
    ...(
      [
        ["selfDeduplicate", { columns: ["body"] }, "columns"],
        ["selfDeduplicate", { shingles: { unit: "word", size: 2 } }, "shingles"],
        ["selfDeduplicate", { embedder: "hash" }, "embedder"],
        ["selfDeduplicate", { embeddings: fitted }, "embeddings"],
        ["filterOutliers", { embeddings: fitted }, "embeddings"],
        ["filterOutliers", null, "options"],
        ["findRepresentative", null, "options"],
      ] as const
    ).map(([call, options, field]) => ({
      title: `given ${JSON.stringify(options)} by ${call}, which has no effect there`,
      work: async () => (await Deduper.from<string>(["a"]))[call](options as never),
      code: "OPTION_INVALID",
      details: { field },
    })),
  ]);

  it("takes an option that is undefined for one that is left out", async () => {
    const deduper = await Deduper.from<TextRecord>([{ body: "a" }], { columns: ["body"], threshold: 0.5 });
    const { threshold, selected } = await deduper.deduplicate([{ body: "a" }], {
      threshold: undefined,
      columns: undefined,
    } as DeduplicateOptions);
    expect({ threshold, selected }).toEqual({ threshold: 0.5, selected: [] });
  });
});

describe("close", () => {
  const calls = {
    deduplicate: (deduper: Deduper<TextRecord>, lines: TextRecord[]) =>
      deduper.deduplicate(lines, { threads: 1 }),
    selfDeduplicate: (deduper: Deduper<TextRecord>) => deduper.selfDeduplicate({ threads: 1 }),
    filterOutliers: (deduper: Deduper<TextRecord>) => deduper.filterOutliers({ threads: 1 }),
    findRepresentative: (deduper: Deduper<TextRecord>) => deduper.findRepresentative({ threads: 1 }),
  };
  it.each(Object.keys(calls) as Array<keyof typeof calls>)("ends a %s that runs", async (call) => {
    const lines = Array.from({ length: 12_000 }, (_, n) => `page ${n * 7919} of manual ${n % 977}`);
    const deduper = await Deduper.from<TextRecord>(lines, { methods: ["semantic"], embedder: "hash" });
    const others = lines.map((line) => `${line}, revised`);
    const failure = failureOf(() => calls[call](deduper, others));
    await new Promise((resolve) => setTimeout(resolve, 30));
    deduper.close();
    expect((await failure).code).toBe("CLOSED");
  });

  it("inside onProgress ends the call", async () => {
    const lines = Array.from({ length: 12_000 }, (_, n) => `page ${n * 7919} of manual ${n % 977}`);
    const deduper = await Deduper.from<TextRecord>(lines, { methods: ["semantic"], embedder: "hash" });
    const onProgress = (): void => {
      deduper.close();
    };
    const failure = await failureOf(() => deduper.selfDeduplicate({ onProgress, threads: 1 }));
    expect(failure.code).toBe("CLOSED");
  });
});
