/**
 * `kill -9` of `sluice ingest` at 200 moments. After each of them the file opens and holds everything that was acknowledged, and
 * nothing that was not on its way; the same command goes on and is killed again; in the end the store is, byte for byte,
 * that of a run that nobody disturbed.
 *
 * A chain is one ingest with ten kills. What is looked at after a kill is a copy: the file itself is opened next by the
 * command that goes on.
 */
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import type { StoredPoint } from "../../src/stores/vector-store.js";
import { killMoments, type KillMoment } from "../support/kill-moments.js";
import { KilledIngest, type KilledInput, type KillPlace } from "../support/killed-ingest.js";

const KILLS = 10;
const SEED = 20_260_401;

const LINES = 400;
/** The last lines have the ids of the first ones and other payloads: the later line counts. */
const DISTINCT = 360;
const BATCH = 10;
/** Chains at once: most of a run is waiting for a process to start. */
const LANES = 2;
/** Runs that may be over before the moment comes. */
const TRIES = 10;

interface Line {
  readonly id?: number;
  readonly text: string;
  readonly vector?: readonly number[];
  readonly payload: { readonly n: number };
}

const EMBEDDED = Array.from({ length: LINES }, (_, n): Line => {
  const topic = n % DISTINCT;
  return { text: `passage ${topic} speaks of topic ${topic % 97}`, payload: { n } };
});
const GIVEN = Array.from({ length: LINES }, (_, n): Line => {
  const vector = Array.from({ length: 8 }, (_, at) => Math.sin(1 + n + at * at));
  return { id: n % DISTINCT, text: `passage ${n % DISTINCT}`, vector, payload: { n } };
});

function input(lines: readonly Line[], pack: "plain" | "gzip", args: readonly string[]): KilledInput {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const [name, content] = pack === "plain" ? ["in.jsonl", text] : ["in.jsonl.gz", gzipSync(text)];
  return { name, content, lines: LINES, batch: BATCH, args };
}

/** Twenty chains, 200 kills. */
const CORPORA = [
  {
    what: "embedded texts",
    chains: 8,
    lines: EMBEDDED,
    packed: input(EMBEDDED, "plain", ["--embedder", "hash"]),
  },
  { what: "given vectors", chains: 6, lines: GIVEN, packed: input(GIVEN, "plain", []) },
  { what: "given vectors, gzip", chains: 6, lines: GIVEN, packed: input(GIVEN, "gzip", []) },
];

test.each(CORPORA)(
  `$what: $chains chains of ${KILLS} kills, seed ${SEED}`,
  async ({ chains, lines, packed }) => {
    const undisturbed = new KilledIngest(packed);
    await undisturbed.finish();
    const whole = await pointsOf(undisturbed.url);
    const known = storedLines(lines, whole);
    const beginMs = await new KilledIngest(packed).beginMs();
    const places: KillPlace[] = [];
    const chain = async (seed: number): Promise<void> => {
      const ingest = new KilledIngest(packed);
      for (const [n, moment] of killMoments(seed, KILLS).entries()) {
        places.push(await killed(ingest, moment, beginMs));
        const faults = await faultsOf(ingest, n % 2 === 0 ? "read" : "write", known);
        expect({ seed, moment, faults }).toEqual({ seed, moment, faults: [] });
      }
      const resumed = ingest.acknowledged();
      expect(await ingest.finish()).toMatchObject({ records: LINES, written: LINES, failed: 0, resumed });
      expect(exported(await pointsOf(ingest.url))).toBe(exported(whole));
    };
    const lane = async (first: number): Promise<void> => {
      for (let n = first; n < chains; n += LANES) await chain(SEED + n);
    };
    await Promise.all(Array.from({ length: LANES }, (_, first) => lane(first)));
    expect(places.length).toBe(chains * KILLS);
    // The kills met everything a run does.
    const met = (place: KillPlace): number => places.filter((one) => one === place).length;
    expect(met("before a batch")).toBeGreaterThanOrEqual(chains / 2);
    expect(met("between batches")).toBeGreaterThanOrEqual(3 * chains);
    expect(met("behind the last batch")).toBeGreaterThanOrEqual(chains);
  },
  180_000,
);

/**
 * Kills at a moment. A run that was faster is followed by another one, which is given less time: what a run takes depends on
 * what else the machine does.
 */
async function killed(ingest: KilledIngest, moment: KillMoment, beginMs: number): Promise<KillPlace> {
  for (let tries = 0; tries < TRIES; tries++) {
    const place = await ingest.killAt(moment, beginMs * 0.8 ** tries);
    if (place !== undefined) return place;
  }
  throw new Error(`${TRIES} runs ended before the moment ${JSON.stringify(moment)}`);
}

/** Every line as the store exports it, with its number: whatever a store holds must be one of them. */
function storedLines(lines: readonly Line[], whole: readonly StoredPoint[]): ReadonlyMap<string, number> {
  const byText = new Map(whole.map((point) => [point.text, point]));
  return new Map(
    lines.map(({ text, vector, payload }, n) => {
      const final = byText.get(text);
      // The vector of a text is the same in every line.
      const own = vector === undefined ? final?.vector : Float32Array.from(vector);
      return [exportedLine({ id: final?.id ?? -1, text, payload, vector: own ?? new Float32Array() }), n];
    }),
  );
}

/** Opens a copy of what a kill left. Gives everything that must not be so. */
async function faultsOf(
  ingest: KilledIngest,
  access: "read" | "write",
  known: ReadonlyMap<string, number>,
): Promise<readonly string[]> {
  const url = ingest.copy();
  const found = url === undefined ? [] : await pointsOf(`${url}?access=${access}`);
  const acknowledged = ingest.acknowledged();
  // One batch may have been stored without having been acknowledged.
  const stored = ingest.completed ? LINES : acknowledged + BATCH;
  const faults: string[] = [];
  const kept = new Map<number, number>();
  for (const point of found) {
    const n = known.get(exportedLine(point));
    if (n === undefined) faults.push(`${point.id}: not a line of the input`);
    else kept.set(n % DISTINCT, n);
    if (n !== undefined && n >= stored)
      faults.push(`line ${n}: stored, and ${acknowledged} are acknowledged`);
  }
  for (let first = 0; first < DISTINCT; first++) {
    const n = kept.get(first);
    const last = [first + DISTINCT, first].find((line) => line < Math.min(acknowledged, LINES));
    if (n === undefined && (last !== undefined || ingest.completed)) faults.push(`line ${first}: lost`);
    if (n !== undefined && n < (last ?? 0)) faults.push(`line ${first}: older than what was acknowledged`);
  }
  return kept.size === found.length ? faults : [...faults, "a point is there twice"];
}

async function pointsOf(url: string): Promise<readonly StoredPoint[]> {
  const hub = new VectorStoreHub(url);
  try {
    const points: StoredPoint[] = [];
    // Killed between making the file and making the collection.
    if ((await hub.collections()).length === 0) return points;
    await hub.rebuildIndex("c", (page) => void points.push(...page));
    return points;
  } finally {
    await hub.close();
  }
}

/** Points as the lines of a file, in the order of the walk. */
function exported(points: readonly StoredPoint[]): string {
  return points.map(exportedLine).join("\n");
}

/** A point as a line; the vector bit by bit. */
function exportedLine({ id, text, payload, vector }: StoredPoint): string {
  const bits =
    vector === undefined ? undefined : Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return JSON.stringify([id, text, payload, bits?.toString("base64")]);
}
