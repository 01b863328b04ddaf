/**
 * Ends waiting for a caller's promise when the caller aborts: what it waits for may never settle.
 *
 * It cannot stop what the caller started; it only stops waiting for it.
 */

/** What to call when a signal aborts. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `abort` once when the signal aborts; gives a function that takes it back. However many calls share a signal, it has one
 * listener of ours: Node warns about more than ten.
 */
export function onAbort(signal: AbortSignal, abort: () => void): () => void {
  const known = waiting.get(signal);
  const calls = known ?? new Set();
  if (known === undefined) {
    waiting.set(signal, calls);
    signal.addEventListener(
      "abort",
      () => {
        for (const call of calls) call();
      },
      { once: true },
    );
  }
  calls.add(abort);
  return () => {
    calls.delete(abort);
  };
}

/** Gives what a promise gives, or rejects with the signal's reason as soon as it aborts. */
export async function untilAborted<T>(
  work: () => T | PromiseLike<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return work();
  signal.throwIfAborted();
  let forget: (() => void) | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      forget = onAbort(signal, () => {
        // The reason is the caller's own, whatever it is.
        reject(signal.reason as Error);
      });
      // Resolved with the promise itself, it would wait for that and nothing else.
      Promise.resolve(work()).then(resolve, reject);
    });
  } finally {
    forget?.();
  }
}

/**
 * Yields what an iterable yields, and throws the signal's reason as soon as it aborts. The iterator is told to return
 * then; whether it does is not waited for, since its `next` may hang.
 */
export async function* eachUntilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  const iterator = source[Symbol.asyncIterator]();
  let stop: ((reason: Error) => void) | undefined;
  // One listener for all steps: one a step would cost more than a short record. The reason is the caller's own.
  const forget = onAbort(signal, () => stop?.(signal.reason as Error));
  // An iterator that is done, or that failed, must not be told to return.
  let running = true;
  try {
    for (;;) {
      signal.throwIfAborted();
      const step = await new Promise<IteratorResult<T, unknown>>((resolve, reject) => {
        stop = reject;
        nextOf(iterator, () => (running = false)).then(resolve, reject);
      });
      if (step.done === true) {
        running = false;
        return;
      }
      yield step.value;
    }
  } finally {
    if (running) {
      // Told at once; what it says, or throws, is of no interest to a caller who has an answer.
      const returned = new Promise((resolve) => {
        resolve(iterator.return?.());
      }).catch(() => undefined);
      if (!signal.aborted) await untilAborted(() => returned, signal).catch(() => undefined);
    }
    forget();
  }
}

/** The next step; an iterator that fails is done. */
async function nextOf<T>(
  iterator: AsyncIterator<T>,
  failed: () => void,
): Promise<IteratorResult<T, unknown>> {
  try {
    return await iterator.next();
  } catch (reason) {
    failed();
    throw reason;
  }
}
