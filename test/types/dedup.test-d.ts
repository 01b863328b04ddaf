/**
 * What must not compile, checked by `tsc`: each `@ts-expect-error` fails the build when the line below it becomes legal.
 */
import type {
  DedupResult,
  Embedder,
  ErrorCode,
  Filtered,
  Reason,
  StageReport,
  Witness,
} from "../../src/main.js";
import { expectTypeOf } from "vitest";
import { dedup, Deduper, ERRORS, loadEmbedder, SluiceError, veto } from "../../src/main.js";

interface Passage {
  readonly text: string;
  readonly page: number;
  readonly [column: string]: unknown;
}
declare const passages: readonly Passage[];
declare const streamed: AsyncIterable<Passage>;
declare const embedder: Embedder;

interface Doc {
  id: string;
  text: string;
}
class Page {
  readonly text: string;
  readonly #number: number;
  constructor(text: string, number: number) {
    this.text = text;
    this.#number = number;
  }
  number(): number {
    return this.#number;
  }
}
declare const docs: Doc[];
declare const frozen: ReadonlyArray<Readonly<Doc>>;
declare const pages: Page[];
declare function generated(): AsyncGenerator<Doc>;
declare const vectors: { data: Float32Array; dimension: number };

/** Never called: only its types count. */
export async function recordsWithoutIndexSignature(): Promise<void> {
  expectTypeOf(await dedup(docs)).toEqualTypeOf<DedupResult<Doc>>();
  expectTypeOf(await dedup(frozen)).toEqualTypeOf<DedupResult<Readonly<Doc>>>();
  expectTypeOf((await dedup(pages)).selected[0]?.number()).toEqualTypeOf<number | undefined>();
  expectTypeOf(await dedup(generated())).toEqualTypeOf<DedupResult<Doc>>();
  await dedup(docs, { against: docs });
  await dedup(docs, { against: generated() });
  expectTypeOf(await Deduper.from(docs)).toEqualTypeOf<Deduper<Doc>>();
  expectTypeOf(await Deduper.fromEmbeddings(vectors, pages)).toEqualTypeOf<Deduper<Page>>();
  const fitted = await Deduper.from(generated());
  await fitted.add(docs, { onProgress: () => undefined, threads: 1, memoryBytes: 1e9 });
  await dedup(docs, { against: fitted, add: true });

  // @ts-expect-error pages are no documents
  await fitted.deduplicate(pages);
  // @ts-expect-error nor is a reference of them one of documents
  await dedup(docs, { against: await Deduper.from(pages) });
  // @ts-expect-error nothing is compared when records are added
  await fitted.add(docs, { threshold: 0.5 });
  // @ts-expect-error undefined is no record
  await Deduper.from([undefined]);
}

/** Never called: only its types count. */
export async function records(): Promise<void> {
  // What goes in comes out.
  const result = await dedup(passages);
  expectTypeOf(result).toEqualTypeOf<DedupResult<Passage>>();
  expectTypeOf(result.filtered).items.toEqualTypeOf<Filtered<Passage>>();
  expectTypeOf(dedup<string>).returns.resolves.toEqualTypeOf<DedupResult<string>>();
  await dedup(streamed);

  // @ts-expect-error numbers are no records
  await dedup([1, 2, 3]);
  // @ts-expect-error null is no record
  await dedup([null]);
  // @ts-expect-error a promise of a list is no list
  await dedup(Promise.resolve(["a"]));
  // @ts-expect-error there is nothing to deduplicate
  await dedup();
}

/** Never called: only its types count. */
export async function options(): Promise<void> {
  await dedup(passages, { methods: ["exact"], keep: { field: "page", prefer: "lowest" }, embedder });

  // @ts-expect-error a misspelt option
  await dedup(passages, { treshold: 0.9 });
  // @ts-expect-error a threshold is a number
  await dedup(passages, { threshold: "0.9" });
  // @ts-expect-error an unknown method
  await dedup(passages, { methods: ["fuzzy"] });
  // @ts-expect-error empty is a reason, not a method
  await dedup(passages, { methods: ["empty"] });
  // @ts-expect-error an unknown guard
  await dedup(passages, { guards: ["dates"] });
  // @ts-expect-error an unknown policy
  await dedup(passages, { keep: "last" });
  // @ts-expect-error a field has no order without a direction
  await dedup(passages, { keep: { field: "page" } });
  // @ts-expect-error an unknown normal form
  await dedup(passages, { normalize: "upper" });
  // @ts-expect-error vectors are a Float32Array
  await dedup(passages, { embeddings: { data: [1, 2], dimension: 2 } });
  // @ts-expect-error vectors without their dimension say nothing
  await dedup(passages, { embeddings: { data: new Float32Array(2) } });
  // @ts-expect-error an embedder has an id and a dimension
  await dedup(passages, { embedder: { embed: () => Promise.resolve(new Float32Array()) } });
  // @ts-expect-error an embedder gives a Float32Array
  await dedup(passages, { embedder: { id: "x", dimension: 1, embed: () => Promise.resolve([1]) } });
}

/** Never called: only its types count. */
export async function deduper(): Promise<void> {
  const fitted = await Deduper.from(passages);
  await fitted.deduplicate(passages, { threshold: 0.95, add: true });
  await dedup(passages, { against: fitted, add: true });

  // Texts are texts, not the very texts of the fit.
  expectTypeOf(await Deduper.from(["a", "b"])).toEqualTypeOf<Deduper<string>>();
  await (await Deduper.from(["a", "b"])).deduplicate(["c"]);
  await dedup(["c"], { against: await Deduper.from(["a", "b"]) });
  await dedup(["c"], { against: ["a", "b"] });
  expectTypeOf(await Deduper.fromEmbeddings(vectors, ["a", "b"])).toEqualTypeOf<Deduper<string>>();
  await (await Deduper.fromEmbeddings(vectors, ["a", "b"])).deduplicate(["c"]);

  // @ts-expect-error a deduper is made by `from`
  new Deduper(passages);
  // @ts-expect-error records of another kind
  await fitted.deduplicate(["a"]);
  // @ts-expect-error columns are settled when it is fitted
  await fitted.deduplicate(passages, { columns: ["text"] });
  // @ts-expect-error so is the embedder
  await fitted.deduplicate(passages, { embedder: "hash" });
  // @ts-expect-error so is the normal form
  await fitted.deduplicate(passages, { normalize: "case" });
  // @ts-expect-error the reference itself is not added to itself
  await fitted.selfDeduplicate({ add: true });
  // @ts-expect-error vectors are there already
  await Deduper.fromEmbeddings({ data: new Float32Array(1), dimension: 1 }, passages, { embedder: "hash" });
}

/** Never called: only its types count. */
export async function results(): Promise<void> {
  const result = await dedup(passages);
  const { selected, filtered, selectedPositions, report } = result;
  result.histogram();
  result.histogram(5, "lexical");
  result.leastSimilar(5);
  expectTypeOf(result.leastSimilar(5, "semantic")).items.toEqualTypeOf<Filtered<Passage>>();
  // @ts-expect-error an exact copy has no score of its own
  result.leastSimilar(5, "exact");
  expectTypeOf(selectedPositions).toEqualTypeOf<Uint32Array>();
  expectTypeOf(report).toEqualTypeOf<StageReport>();
  expectTypeOf(filtered).items.toHaveProperty("duplicateOf").toEqualTypeOf<Witness | null>();
  expectTypeOf(filtered).items.toHaveProperty("reason").toEqualTypeOf<Reason>();

  for (const dropped of filtered) {
    // @ts-expect-error a dropped record is read-only
    dropped.score = 1;
    // @ts-expect-error a witness may be missing (reason `empty`)
    expectTypeOf(dropped.duplicateOf.position).toEqualTypeOf<number | null>();
  }
  // @ts-expect-error so are the lists
  selected[0] = passages[0];
  // @ts-expect-error reports are read-only
  report.counts["records"] = 0;
}

/** Never called: only its types count. */
export async function others(): Promise<void> {
  expectTypeOf(veto).returns.toEqualTypeOf<"numbers" | "negation" | "antonyms" | "names" | "order" | null>();
  expectTypeOf<keyof typeof ERRORS>().toEqualTypeOf<ErrorCode>();
  await loadEmbedder("/any/folder");

  // @ts-expect-error an unknown guard
  veto("a", "b", ["dates"]);
  // @ts-expect-error an unknown code
  new SluiceError("OOPS", "A sentence.");
  // @ts-expect-error details never hold a text
  new SluiceError("INTERNAL", "A sentence.", { text: "a record" });
  // @ts-expect-error embedders are loaded by name
  await loadEmbedder(7);
}
