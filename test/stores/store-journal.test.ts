/**
 * The journal in a file: what a store did not confirm is still there after a restart, once, and in order.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { StoreJournal } from "../../src/stores/embedded/store-journal.js";
import { wireIdOf } from "../../src/stores/point-id.js";
import { MemoryJournal } from "../../src/stores/retry-journal.js";
import type { RetryJournal } from "../../src/stores/retry-journal.js";
import { StoreFailure } from "../../src/stores/store-driver.js";
import type { CheckedPoint } from "../../src/stores/store-driver.js";
import { VectorStoreHub } from "../../src/stores/vector-store-hub.js";
import type { PointId } from "../../src/stores/vector-store.js";
import { ReferenceDriver } from "../support/reference-store.js";
import { failureOf } from "../support/refusal-table.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

/** A store that is down until it is told otherwise. */
class FailingDriver extends ReferenceDriver {
  down = true;

  override write(...call: Parameters<ReferenceDriver["write"]>): Promise<undefined> {
    if (!this.down) return super.write(...call);
    throw new StoreFailure("fatal", "STORE_UNREACHABLE", "It is down.");
  }
}

function checked(id: PointId, payload: object, text?: string): CheckedPoint {
  const wire = wireIdOf(id);
  const payloadJson = JSON.stringify(payload);
  return {
    index: 7,
    id,
    wire,
    vector: Float32Array.of(0.1, -3e-20),
    payload: JSON.parse(payloadJson) as CheckedPoint["payload"],
    payloadJson,
    text,
  };
}

it("what a store did not take is sent again after a restart", async () => {
  const url = `file:${new TemporaryFolder().file("journal.sluice")}`;
  const store = new FailingDriver();
  {
    await using journal = await StoreJournal.open(url);
    const hub = new VectorStoreHub({ store, journal });
    await hub.ensureCollection("notes", { dimension: 2, metric: "dot" });
    const points = [1, "name", "9007199254740993"].map((id) => ({
      id,
      vector: [0.1, 2],
      payload: { id },
      text: "t",
    }));
    expect((await hub.storeVectors("notes", points)).failed).toHaveLength(3);
    expect((await hub.health()).pending).toBe(3);
  }
  store.down = false;
  await using journal = await StoreJournal.open(url);
  const hub = new VectorStoreHub({ store, journal });
  expect(await hub.resendPending("notes")).toMatchObject({ requested: 3, written: 3, failed: [] });
  expect(await journal.collections()).toEqual([]);
  const back = await hub.get("notes", ["9007199254740993", "name", 1], { withVector: true });
  expect(back).toEqual(
    ["9007199254740993", "name", 1].map((id) => ({
      id,
      payload: { id },
      text: "t",
      vector: Float32Array.of(0.1, 2),
    })),
  );
});

it("does what the journal in memory does, reopened at any time", async () => {
  const path = new TemporaryFolder().file("journal.sluice");
  const id = fc.oneof(fc.nat(3), fc.constantFrom("a", "b", "18446744073709551615"));
  const collection = fc.constantFrom("a", "a-b", "a.b", "a0", "b");
  const step = fc.oneof(
    fc.record({ collection, put: fc.array(fc.tuple(id, fc.nat(3)), { maxLength: 4 }) }),
    fc.record({ collection, remove: fc.array(id, { maxLength: 3 }) }),
    fc.constant("reopen" as const),
  );
  const everything = async (journal: RetryJournal) => {
    const names = await journal.collections();
    return Promise.all(names.map(async (name) => [name, await journal.pending(name)]));
  };
  const rounds = fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
    let ours = await StoreJournal.open(path);
    const memory = new MemoryJournal();
    try {
      for (const step of steps) {
        if (step === "reopen") {
          await ours.close();
          ours = await StoreJournal.open(path);
          continue;
        }
        for (const journal of [ours, memory]) {
          if ("put" in step) {
            const points = step.put.map(([id, n]) => checked(id, { n }, n === 0 ? undefined : "text"));
            await journal.put(step.collection, points);
          } else {
            await journal.remove(
              step.collection,
              step.remove.map((id) => wireIdOf(id)),
            );
          }
        }
        expect(await everything(ours)).toEqual(await everything(memory));
      }
    } finally {
      for (const name of await ours.collections()) {
        const left = (await ours.pending(name)).map(({ wire }) => wire);
        await ours.remove(name, left);
      }
      await ours.close();
    }
  });
  await fc.assert(rounds, { numRuns: 25 });
});

it.each([
  ["qdrant://host", "OPTION_INVALID"],
  ["file:./x?access=read", "OPTION_INVALID"],
  ["/nowhere/at/all/journal.sluice", "INPUT_NOT_FOUND"],
])("%s is no journal", async (url, code) => {
  expect((await failureOf(() => StoreJournal.open(url))).code).toBe(code);
});

it("belongs to one process at a time", async () => {
  const path = new TemporaryFolder().file("journal.sluice");
  await using _first = await StoreJournal.open(path);
  expect((await failureOf(() => StoreJournal.open(path))).code).toBe("STORE_LOCKED");
});

it("of another version is refused", async () => {
  const path = new TemporaryFolder().file("journal.sluice");
  await (await StoreJournal.open(path)).close();
  const { NativeControl, NativeStore } = (await import("../../src/native.js")).native();
  const store = await NativeStore.open(path, "write", "process");
  await store.putValue("journal", "notes/1", Buffer.from('{"form":2}'), new NativeControl());
  await store.close();
  expect((await failureOf(() => StoreJournal.open(path))).code).toBe("STORE_VERSION");
});
