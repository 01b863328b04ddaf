/**
 * Writes a stream of points in batches that a store can take, and says what became of every one.
 *
 * Batches go by bytes and by count, a few at a time; two that hold the same id never overlap, so the later one wins. A
 * refused batch is halved until the bad point stands alone; what the store could not confirm goes to the journal. A point
 * that a later one of the batch replaces is kept until the store has that one: a refused point replaces nothing. Memory: the
 * batches in flight and the one that is being filled.
 */
import { untilAborted } from "../abort.js";
import { ERRORS } from "../errors.js";
import type { ErrorCode, SluiceError } from "../errors.js";
import { wireText } from "./point-id.js";
import { delayMs, mayTryAgain } from "./retry.js";
import type { RetryPolicy, StoreClock } from "./retry.js";
import type { RetryJournal } from "./retry-journal.js";
import { StoreFailure } from "./store-driver.js";
import type { CheckedPoint, EncodedPoint, OpenCollection, StoreDriver } from "./store-driver.js";
import type { FailedPoint, PointId, WriteReport } from "./vector-store.js";

/** Batches on their way at once. */
const BATCHES_IN_FLIGHT = 2;
/** Batches given up one after the other until a write stops: the store is down, and the journal must not grow for ever. */
const GIVEN_UP_IN_A_ROW_MAX = 8;

/** What a writer works with. */
export interface BatchWriterSetting {
  readonly driver: StoreDriver;
  readonly collection: OpenCollection;
  readonly policy: RetryPolicy;
  readonly clock: StoreClock;
  readonly journal: RetryJournal;
  readonly signal: AbortSignal | undefined;
  readonly onBatch: ((report: WriteReport) => void) | undefined;
}

/** A point on its way. */
interface Queued {
  readonly encoded: EncodedPoint;
  /** What it replaces once the store has it: earlier points of the batch with its id, in order. */
  readonly replaces: readonly EncodedPoint[];
}

/** One write. Not to be used again after `finish`. */
export class BatchWriter {
  readonly #setting: BatchWriterSetting;
  readonly #startedMs: number;
  /** The batch that is being filled, by wire id: the last of equal ids wins. */
  #filling = new Map<string, Queued>();
  /** Points and bytes of it, those that are replaced included: they are kept, too. */
  #fillingPoints = 0;
  #fillingBytes = 0;
  readonly #inFlight = new Set<{ readonly ids: ReadonlySet<string>; readonly done: Promise<void> }>();
  #broken: { readonly reason: unknown } | undefined;
  #requested = 0;
  #written = 0;
  /** Undefined until the store says anything about it. */
  #unchanged: number | undefined;
  #superseded = 0;
  readonly #failed: FailedPoint[] = [];
  #batches = 0;
  #attempts = 0;
  #mayBePartial = false;
  #givenUpInARow = 0;
  #stopped = false;

  constructor(setting: BatchWriterSetting) {
    this.#setting = setting;
    this.#startedMs = setting.clock.now();
  }

  /** Whether it makes no sense to go on: the store is down, or refuses the collection or the key. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Takes a point; waits while too many batches are on their way. */
  async add(point: CheckedPoint): Promise<void> {
    const { driver, collection } = this.#setting;
    const { bytesAim, pointsMax, pointBytesMax } = driver.limits;
    // It may refuse the point, which is counted then by whoever reports that.
    const encoded = driver.encode(collection, point);
    this.#requested += 1;
    if (encoded.bytes > pointBytesMax) {
      this.#fail(
        point,
        "POINT_TOO_LARGE",
        `The point takes ${encoded.bytes} bytes, the limit is ${pointBytesMax}.`,
      );
      return;
    }
    if (this.#fillingPoints >= pointsMax || this.#fillingBytes + encoded.bytes > bytesAim)
      await this.#flush();
    const key = wireText(point.wire);
    const earlier = this.#filling.get(key);
    const replaces = earlier === undefined ? [] : [...earlier.replaces, earlier.encoded];
    // Taken out first: the batch is in the order of what is sent.
    this.#filling.delete(key);
    this.#filling.set(key, { encoded, replaces });
    this.#fillingPoints += 1;
    this.#fillingBytes += encoded.bytes;
  }

  /** Counts a point that was refused before it was sent. */
  refuse(id: PointId, index: number, error: SluiceError): void {
    this.#requested += 1;
    this.#failed.push({ id, index, code: error.code, message: error.message, retryable: false });
  }

  /** Sends what is left, waits for everything and reports. `stoppedAt`: the first position that was not looked at. */
  async finish(stoppedAt?: number): Promise<WriteReport> {
    await this.#flush();
    await this.#settle(() => this.#inFlight.size > 0);
    return stoppedAt === undefined ? this.#report() : { ...this.#report(), stoppedAt };
  }

  /** Waits until nothing is on its way any more, whatever came of it. */
  async abandon(): Promise<void> {
    await Promise.allSettled([...this.#inFlight].map(({ done }) => done));
  }

  async #flush(): Promise<void> {
    if (this.#filling.size === 0) return;
    const batch = [...this.#filling.values()];
    const ids = new Set(this.#filling.keys());
    this.#filling = new Map();
    this.#fillingPoints = 0;
    this.#fillingBytes = 0;
    const meets = (): boolean =>
      [...this.#inFlight].some((other) => [...ids].some((id) => other.ids.has(id)));
    await this.#settle(() => this.#inFlight.size >= BATCHES_IN_FLIGHT || meets());
    const done = this.#send(batch, 1)
      .catch((reason: unknown) => {
        this.#broken ??= { reason };
      })
      .finally(() => this.#inFlight.delete(flight));
    const flight = { ids, done };
    this.#inFlight.add(flight);
  }

  async #settle(waiting: () => boolean): Promise<void> {
    while (waiting()) await Promise.race([...this.#inFlight].map(({ done }) => done));
    if (this.#broken !== undefined) throw this.#broken.reason;
  }

  /** Sends a batch until it is written, refused or given up. */
  async #send(batch: readonly Queued[], attempt: number): Promise<void> {
    const { driver, collection, journal, signal } = this.#setting;
    signal?.throwIfAborted();
    this.#attempts += 1;
    try {
      const points = batch.map(({ encoded }) => encoded);
      const facts = await driver.write(collection, points, signal);
      if (facts !== undefined) this.#unchanged = (this.#unchanged ?? 0) + facts.unchanged;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof StoreFailure)) throw error;
      await this.#recover(batch, attempt, error);
      return;
    }
    this.#written += batch.length;
    for (const { replaces } of batch) this.#superseded += replaces.length;
    this.#givenUpInARow = 0;
    const ids = batch.map(({ encoded }) => encoded.point.wire);
    await untilAborted(() => journal.remove(collection.name, ids), signal);
    this.#batchIsDone();
  }

  async #recover(batch: readonly Queued[], attempt: number, failure: StoreFailure): Promise<void> {
    const { policy, clock, signal } = this.#setting;
    const again = mayTryAgain(failure, attempt, policy);
    if (again) await clock.sleep(delayMs(failure, attempt, policy, clock), signal);
    const divisible = failure.kind === "refused" || failure.kind === "too-large" || failure.kind === "cut";
    if (divisible && batch.length > 1 && (again || failure.kind !== "cut")) {
      const middle = Math.ceil(batch.length / 2);
      const next = failure.kind === "cut" ? attempt + 1 : attempt;
      await this.#send(batch.slice(0, middle), next);
      await this.#send(batch.slice(middle), next);
    } else if (again) {
      await this.#send(batch, attempt + 1);
    } else {
      await this.#giveUp(batch, failure);
    }
  }

  async #giveUp(batch: readonly Queued[], failure: StoreFailure): Promise<void> {
    const isRefused = failure.kind === "refused" || failure.kind === "too-large";
    const code = failure.kind === "too-large" ? "POINT_TOO_LARGE" : failure.code;
    if (failure.facts.mayBeApplied === true) this.#mayBePartial = true;
    for (const { encoded, replaces } of batch) {
      this.#fail(encoded.point, code, failure.message);
      // Not sent either, and the next try of the later one makes up for it.
      if (!isRefused) for (const { point } of replaces) this.#fail(point, code, failure.message);
    }
    if (ERRORS[code].retryable) {
      const { journal, collection, signal } = this.#setting;
      const points = batch.map(({ encoded }) => encoded.point);
      await untilAborted(() => journal.put(collection.name, points), signal);
    }
    if (!isRefused) this.#givenUpInARow += 1;
    if (failure.kind === "fatal" || this.#givenUpInARow >= GIVEN_UP_IN_A_ROW_MAX) this.#stopped = true;
    this.#batchIsDone();
    const former = isRefused ? batch.flatMap(formerOf) : [];
    if (former.length > 0) await this.#send(former, 1);
  }

  #batchIsDone(): void {
    this.#batches += 1;
    this.#setting.onBatch?.(this.#report());
  }

  #fail(point: CheckedPoint, code: ErrorCode, message: string): void {
    const { retryable } = ERRORS[code];
    this.#failed.push({ id: point.id, index: point.index, code, message, retryable });
  }

  #report(): WriteReport {
    return {
      requested: this.#requested,
      written: this.#written,
      ...(this.#unchanged === undefined ? {} : { unchanged: this.#unchanged }),
      superseded: this.#superseded,
      failed: this.#failed.toSorted((left, right) => left.index - right.index),
      batches: this.#batches,
      attempts: this.#attempts,
      mayBePartial: this.#mayBePartial,
      seconds: (this.#setting.clock.now() - this.#startedMs) / 1000,
    };
  }
}

/** What stands again where a point was refused: the last one that it would have replaced. */
function formerOf({ replaces }: Queued): readonly Queued[] {
  const encoded = replaces.at(-1);
  return encoded === undefined ? [] : [{ encoded, replaces: replaces.slice(0, -1) }];
}
