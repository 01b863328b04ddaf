/**
 * One run of `sluice ingest`: lines to records, records to points, batches into the store, a checkpoint behind each.
 *
 * While a batch is being stored, the next one is read and embedded; batches are stored one after another, in the order of the
 * input.
 */
import { stat } from "node:fs/promises";
import { embedChecked, type Embedder } from "../embed/embedder.js";
import { loadEmbedder } from "../embed/native-embedder.js";
import { isErrorCode, SluiceError } from "../errors.js";
import { inputChanged } from "../file-state.js";
import { VERSION } from "../package.js";
import type { StageReport } from "../report.js";
import { Stopwatch } from "../retrieve/stopwatch.js";
import type { Point, WriteReport } from "../stores/vector-store.js";
import type { VectorStoreHub } from "../stores/vector-store-hub.js";
import type { RunConnections } from "./run-connections.js";
import { IngestCheckpoint, inputIdentity, type IngestState } from "./ingest-checkpoint.js";
import { SHIPPED_EMBEDDERS, embedderFor, findCollection } from "./store-flags.js";
import type { IngestTask } from "./ingest-flags.js";
import { readLines, type LinePlace } from "./ingest-lines.js";
import { readRecord, type IngestRecord } from "./ingest-record.js";
import { inputIdentityPath, openInput, type ReadableInput } from "./input-file.js";
import { OutputSet } from "./output-set.js";
import { reportJson } from "./report-file.js";
import { connectStore } from "./store-connection.js";
import { requireApart } from "./store-files.js";
import { WorkFolder } from "./work-folder.js";

/** Failures that are told one by one, and fields that are named; the others are counted. */
const TOLD_MAX = 100;

const BEGINNING: Omit<IngestState, "vectors" | "last"> = {
  lines: 0,
  bytes: 0,
  records: 0,
  written: 0,
  superseded: 0,
  embedded: 0,
  failed: 0,
  failures: [],
  ignored: [],
};

/** What a run works with. */
interface Run {
  readonly task: IngestTask;
  readonly input: ReadableInput;
  readonly hub: VectorStoreHub;
  /** Absent where the input cannot be read again: standard input and pipes. */
  readonly checkpoint: IngestCheckpoint | undefined;
  readonly watch: Stopwatch;
  readonly signal: AbortSignal;
  readonly progress: (done: number) => void;
}

/** How far the work is; `last` is absent until a point was written. */
type Done = Omit<IngestState, "last"> & { readonly last?: IngestState["last"] };

/** Does the task. Points that were refused are told, and end the run with `PARTIAL_WRITE` when all others are stored. */
export async function runIngest(task: IngestTask, connections: RunConnections): Promise<void> {
  const { signal, standardOutput, display } = connections;
  const folder = new WorkFolder();
  await requireApart(new Map([["--report", task.report]]), task.store);
  const outputs = await OutputSet.open(
    new Map(task.report === undefined ? [] : [["report" as const, task.report]]),
    [inputIdentityPath(task.input)],
    standardOutput,
    signal,
  );
  const hub = connectStore(task.store);
  try {
    const input = await openInput(task.input, undefined, "input", folder, signal);
    requireJsonLines(input);
    const identity = await inputIdentity(input.path);
    const { size } = await stat(input.path);
    // A copy of a pipe is gone with this run.
    const checkpoint = input.path === task.input ? new IngestCheckpoint(task, identity) : undefined;
    const progress = (done: number): void => {
      // The bytes of packed lines say nothing about the size of the file.
      display.progress({ step: "ingest", done, total: size });
    };
    const run: Run = { task, input, hub, checkpoint, watch: new Stopwatch(), signal, progress };
    const resumed = await checkpoint?.load(hub, task.collection, signal);
    const done = await ingest(run, resumed);
    if ((await inputIdentity(input.path)) !== identity) throw inputChanged(input.name);
    const report = reportOf(run, done, resumed?.records ?? 0);
    await outputs.sink("report")?.write(Buffer.from(reportJson(report)));
    await outputs.commit();
    display.table(report);
    await checkpoint?.remove();
    if (done.failed > 0) throw refused(done);
  } finally {
    display.stop();
    await hub.close();
    await outputs.discard();
    await folder.remove();
  }
}

function requireJsonLines({ name, format }: ReadableInput): void {
  if (format === undefined || format === "jsonl") return;
  throw new SluiceError("INPUT_FORMAT", "Only JSON lines can be ingested.", {
    path: name,
    expected: "JSON lines",
    received: format,
  });
}

async function ingest(run: Run, resumed: IngestState | undefined): Promise<Done> {
  const { task, watch } = run;
  const from: LinePlace = resumed ?? { lines: 0, bytes: 0 };
  const batches = batchesOf(run, from);
  let storing: Promise<Done> | undefined;
  try {
    const first = await watch.time("read", () => batches.next());
    const vectors = resumed?.vectors ?? vectorsOf(task, first.value?.[0]);
    const embedder = await openCollection(run, vectors, first.value?.[0]);
    let done: Done = resumed ?? { ...BEGINNING, vectors };
    for (let next = first; next.done !== true; next = await watch.time("read", () => batches.next())) {
      const records = next.value;
      const points = await pointsOf(run, records, embedder);
      done = (await storing) ?? done;
      storing = store(run, done, records, points);
      // It is waited for above and below; until then a failure must not count as unhandled.
      storing.catch(() => undefined);
    }
    return (await storing) ?? done;
  } finally {
    await batches.return(undefined);
    // Nothing may be on its way when the store is closed.
    await storing?.catch(() => undefined);
  }
}

/** Without a wish the first record decides: it brings a vector, or its text is embedded. */
function vectorsOf(task: IngestTask, first: IngestRecord | undefined): IngestState["vectors"] {
  return task.embedder === undefined && first?.vector !== undefined ? "given" : "embedded";
}

/** Makes the collection or refuses the one that is there, before anything is embedded. */
async function openCollection(
  { task, hub, signal }: Run,
  vectors: IngestState["vectors"],
  first: IngestRecord | undefined,
): Promise<Embedder | undefined> {
  const { collection, metric } = task;
  const there = await findCollection(hub, collection, signal);
  if (vectors === "given") {
    const dimension = first?.vector?.length ?? there?.dimension;
    await hub.ensureCollection(collection, {
      ...(dimension === undefined ? {} : { dimension }),
      metric,
      signal,
    });
    return undefined;
  }
  const embedder =
    there === undefined
      ? await loadEmbedder(task.embedder ?? SHIPPED_EMBEDDERS[0], { signal })
      : await embedderFor(task.embedder, there.embedderId, signal);
  const { id: embedderId, dimension } = embedder;
  await hub.ensureCollection(collection, { dimension, metric, embedderId, signal });
  return embedder;
}

async function* batchesOf(
  { task, input, signal }: Run,
  from: LinePlace,
): AsyncGenerator<readonly IngestRecord[], undefined> {
  let batch: IngestRecord[] = [];
  for await (const line of readLines(input.path, input.name, from, signal)) {
    const record = readRecord(line, task, input.name);
    if (record === undefined) continue;
    batch.push(record);
    if (batch.length < task.batch) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
  return undefined;
}

/** Points of a batch, one for each record; vectors that are missing are embedded in one call. */
async function pointsOf(
  { input, watch, signal }: Run,
  records: readonly IngestRecord[],
  embedder: Embedder | undefined,
): Promise<readonly Point[]> {
  const missing = records.filter(({ vector }) => vector === undefined);
  const bare = missing[0];
  if (bare !== undefined && embedder === undefined) {
    throw new SluiceError("COLUMN_MISSING", "A record has no vector, and the first one had.", {
      path: input.name,
      line: bare.end.lines,
      field: "vector",
      expected: "a vector in every record, or --embedder for those without",
    });
  }
  // A record without a vector has a text.
  const texts = missing.map(({ text }) => text ?? "");
  const made =
    embedder === undefined || texts.length === 0
      ? new Float32Array()
      : await watch.time("embed", () => embedChecked(embedder, texts, { signal }));
  const dimension = embedder?.dimension ?? 0;
  let row = 0;
  return records.map(({ id, text, vector, payload }) => ({
    id,
    payload,
    text,
    vector: vector ?? made.subarray(row++ * dimension, row * dimension),
  }));
}

/** Stores a batch. What the store refuses is taken down; what it could not take now ends the run. */
async function store(
  run: Run,
  done: Done,
  records: readonly IngestRecord[],
  points: readonly Point[],
): Promise<Done> {
  const { task, hub, checkpoint, watch, signal } = run;
  const report = await watch.time("store", () => hub.storeVectors(task.collection, points, { signal }));
  const unstored = report.failed.find(({ retryable }) => retryable);
  if (unstored !== undefined) {
    throw new SluiceError(
      isErrorCode(unstored.code) ? unstored.code : "PARTIAL_WRITE",
      `${unstored.message} ${done.written} points are stored; run the same command again to go on.`,
    );
  }
  const lineOf = (index: number): number => records[index]?.end.lines ?? 0;
  const failures = report.failed.map(({ index, code, message }) => ({ line: lineOf(index), code, message }));
  const failedAt = new Set(report.failed.map(({ index }) => index));
  const last = points.findLast((_, index) => !failedAt.has(index))?.id ?? done.last;
  const end = records.at(-1)?.end ?? done;
  const ignored = new Set([...done.ignored, ...records.flatMap((record) => record.ignored)]);
  const now: Done = {
    vectors: done.vectors,
    lines: end.lines,
    bytes: end.bytes,
    records: done.records + records.length,
    written: done.written + report.written,
    ...unchangedOf(done, report),
    superseded: done.superseded + report.superseded,
    embedded: done.embedded + records.filter(({ vector }) => vector === undefined).length,
    failed: done.failed + report.failed.length,
    failures: [...done.failures, ...failures].slice(0, TOLD_MAX),
    ignored: [...ignored].slice(0, TOLD_MAX),
    ...(last === undefined ? {} : { last }),
  };
  if (last !== undefined) await watch.time("checkpoint", async () => checkpoint?.save({ ...now, last }));
  run.progress(now.bytes);
  return now;
}

/** Points that were there already; absent where the store does not know. */
function unchangedOf(done: Done, { unchanged }: WriteReport): Pick<Done, "unchanged"> {
  return unchanged === undefined ? {} : { unchanged: (done.unchanged ?? 0) + unchanged };
}

function reportOf({ task, watch, checkpoint }: Run, done: Done, resumed: number): StageReport {
  const { records, written, unchanged, superseded, failed, embedded, bytes, ignored } = done;
  const { store: url, collection, metric, batch, text, embedder } = task;
  return {
    stage: "ingest",
    version: VERSION,
    options: { store: url, collection, metric, batch, text, ...(embedder === undefined ? {} : { embedder }) },
    counts: {
      records,
      written,
      ...(unchanged === undefined ? {} : { unchanged }),
      superseded,
      failed,
      embedded,
      resumed,
    },
    seconds: watch.read(),
    bytes: { unpacked: bytes, peak_memory: process.resourceUsage().maxRSS * 1024 },
    limits: [
      ...(checkpoint?.isDamaged === true
        ? ["The checkpoint of a run before was damaged: this one began at the first line."]
        : []),
      ...(ignored.length === 0
        ? []
        : [
            `Fields outside of the payload are not stored: ${ignored.map((name) => JSON.stringify(name)).join(", ")}.`,
          ]),
    ],
  };
}

/** What was not stored: a line each, up to a number. */
function refused({ failed, written, failures }: Done): SluiceError {
  const told = failures.map(({ line, code, message }) => `line ${line}: ${code}: ${message}`);
  const more = failed > told.length ? `; and ${failed - told.length} more` : "";
  const sum = `Refused: ${failed}, stored: ${written}.`;
  return new SluiceError("PARTIAL_WRITE", `${sum} ${told.join("; ")}${more}`);
}
