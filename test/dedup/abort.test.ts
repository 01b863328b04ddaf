/**
 * How work ends early: by a signal, also while a caller's promise hangs, or by a callback that throws.
 */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Embedder } from "../../src/main.js";
import { dedup, dedupFile, Deduper, loadEmbedder } from "../../src/main.js";
import { failureOf, records } from "../support/refusal-table.js";

const etcdPath = fileURLToPath(new URL("../../examples/etcd/passages.jsonl.gz", import.meta.url));

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

describe("an aborted signal, in every function that takes one,", () => {
  const reason = new Error("no longer needed");
  const texts = Array.from({ length: 2000 }, (_, n) => `text number ${n} of its own`);
  const data = new Float32Array(texts.length * 2).fill(1);
  interface Call {
    readonly title: string;
    /** The deduper is fitted beforehand. */
    readonly work: (signal: AbortSignal, deduper: Deduper<string>) => Promise<unknown>;
  }
  const calls: readonly Call[] = [
    { title: "dedup", work: (signal) => dedup(texts, { signal }) },
    { title: "dedup against texts", work: (signal) => dedup(texts, { against: texts, signal }) },
    { title: "dedupFile", work: (signal) => dedupFile(etcdPath, { signal }) },
    { title: "Deduper.from", work: (signal) => Deduper.from(texts, { signal }) },
    {
      title: "Deduper.fromEmbeddings",
      work: (signal) => Deduper.fromEmbeddings({ data, dimension: 2 }, texts, { signal }),
    },
    { title: "deduplicate", work: (signal, deduper) => deduper.deduplicate(texts, { signal, add: true }) },
    { title: "selfDeduplicate", work: (signal, deduper) => deduper.selfDeduplicate({ signal }) },
    { title: "add", work: (signal, deduper) => deduper.add(texts, { signal }) },
    { title: "filterOutliers", work: (signal, deduper) => deduper.filterOutliers({ signal }) },
    { title: "filterOutliersIn", work: (signal, deduper) => deduper.filterOutliersIn(texts, { signal }) },
    { title: "findRepresentative", work: (signal, deduper) => deduper.findRepresentative({ signal }) },
    {
      title: "findRepresentativeIn",
      work: (signal, deduper) => deduper.findRepresentativeIn(texts, { signal }),
    },
    { title: "loadEmbedder", work: (signal) => loadEmbedder("static-en", { signal }) },
    { title: "embed", work: async (signal) => (await loadEmbedder("static-en")).embed(texts, { signal }) },
  ];
  describe.each(calls)("$title", ({ work }) => {
    const moments = {
      "before the call": (controller: AbortController, call: () => Promise<unknown>) => {
        controller.abort(reason);
        return call();
      },
      "right after the call": (controller: AbortController, call: () => Promise<unknown>) => {
        const pending = call();
        controller.abort(reason);
        return pending;
      },
    };
    it.each(Object.entries(moments))("%s, rejects with its reason and changes nothing", async (_, run) => {
      const deduper = await Deduper.from<string>(["a", "b"]);
      const controller = new AbortController();
      await expect(run(controller, () => work(controller.signal, deduper))).rejects.toBe(reason);
      expect(deduper.size).toBe(2);
      expect((await deduper.deduplicate(["a", "c"], { add: true })).selected).toEqual(["c"]);
      deduper.close();
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

  const embedder: Embedder = {
    id: "mine",
    dimension: 2,
    embed: (texts) => Promise.resolve(new Float32Array(texts.length * 2).fill(1)),
  };
  /** Enough for more than one chunk of reading. */
  const many = Array.from({ length: 20_000 }, (_, n) => `text ${n} of its own`);
  /** A callback that hangs from a step on, which types forbid and JavaScript allows. */
  const hanging = (from: string, begun: () => void): (() => void) =>
    ((progress: { step: string }) => {
      if (progress.step !== from) return undefined;
      begun();
      return never();
    }) as () => void;

  it.each(["read", "embed"])("in onProgress while it is told of %s ends with the signal", async (step) => {
    const reason = new Error("enough");
    const controller = new AbortController();
    const onProgress = hanging(step, () => {
      setTimeout(() => {
        controller.abort(reason);
      }, 5);
    });
    const options = { embedder, methods: ["semantic"], onProgress } as const;
    await expect(dedup(many, { ...options, signal: controller.signal })).rejects.toBe(reason);
  });

  it.each(
    ["read", "embed"].flatMap((step) =>
      (["deduplicate", "add"] as const).map((call) => [step, call] as const),
    ),
  )("in onProgress while it is told of %s ends with the deduper: %s", async (step, call) => {
    const deduper = await Deduper.from<string>(["a"], { embedder, methods: ["semantic"] });
    const onProgress = hanging(step, () => {
      setTimeout(() => {
        deduper.close();
      }, 5);
    });
    expect((await failureOf(() => deduper[call](many, { onProgress }))).code).toBe("CLOSED");
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

  it.each([
    ["hangs", () => new Promise<never>(() => undefined)],
    [
      "throws",
      () => {
        throw new Error("no way back");
      },
    ],
  ])("does not hide why it ended, when its return %s", async (_, back) => {
    const source = (next: () => Promise<IteratorResult<string>>): AsyncIterable<string> => ({
      [Symbol.asyncIterator]: () => ({ next, return: back }),
    });
    // A caller without types: a number is no record.
    const wrong = () => Promise.resolve({ value: 5 as unknown as string, done: false as const });
    const signal = AbortSignal.timeout(50);
    expect((await failureOf(() => dedup(source(wrong), { signal }))).code).toBe("RECORD_INVALID");
    const hung = dedup(
      source(() => new Promise<never>(() => undefined)),
      { signal: AbortSignal.timeout(20) },
    );
    await expect(hung).rejects.toMatchObject({ name: "TimeoutError" });
  });
});

describe("a signal that many calls share", () => {
  it("gets one listener of ours: Node has nothing to warn about", async () => {
    const warnings: string[] = [];
    const note = (warning: Error): void => {
      warnings.push(warning.name);
    };
    process.on("warning", note);
    const { signal } = new AbortController();
    const deduper = await Deduper.from<string>(["a"]);
    await Promise.all(Array.from({ length: 30 }, () => dedup(["a", "b"], { signal })));
    await Promise.all(Array.from({ length: 30 }, () => deduper.deduplicate(["a", "b"], { signal })));
    await new Promise(setImmediate);
    process.off("warning", note);
    expect(warnings).toEqual([]);
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

  it("that is async and rejects stops the work, and its error comes out", async () => {
    const lines = Array.from({ length: 60_000 }, (_, n) => `This page is page number ${n} of the manual`);
    const mine = new Error("progress bar is gone");
    // What types forbid and JavaScript allows.
    const onProgress = (() => Promise.reject(mine)) as () => void;
    const options = { methods: ["lexical"], jaccard: 0.3, guards: ["numbers"], onProgress } as const;
    await expect(dedup(lines, options)).rejects.toBe(mine);
    await expect(dedup(records, { onProgress })).rejects.toBe(mine);
  });
});
