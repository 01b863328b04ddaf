// Compares figures with those that are written down.
//
// The one idea: a figure that got better is as unexpected as one that got worse, until somebody changes `expected.json` on purpose.
// What is promised is a bar besides: it holds also when the expected figures are changed.

/** @typedef {Record<string, Record<string, Record<string, number>>>} Figures embedder, task, measure */

/**
 * One sentence for every figure that is missing, lies further from its expected value than the tolerance, or below its bar.
 * @param {Record<string, { tasks: Record<string, Record<string, number>> }>} results
 * @param {{ tolerance: number, embedders: Figures, atLeast: Figures }} expected
 */
export function deviations(results, { tolerance, embedders, atLeast }) {
  /**
   * @param {Figures} figures @param {string} bound
   * @param {(received: number, value: number) => boolean} holds
   */
  const against = (figures, bound, holds) =>
    Object.entries(figures)
      .filter(([embedder]) => embedder in results)
      .flatMap(([embedder, tasks]) =>
        Object.entries(tasks).flatMap(([task, measures]) =>
          Object.entries(measures).flatMap(([measure, value]) => {
            const received = results[embedder].tasks[task]?.[measure];
            return received !== undefined && holds(received, value)
              ? []
              : [`${embedder}, ${task}, ${measure}: expected ${bound} ${value}, received ${received}`];
          }),
        ),
      );
  return [
    ...against(
      embedders,
      `within ${tolerance} of`,
      (received, value) => Math.abs(received - value) <= tolerance,
    ),
    ...against(atLeast, "at least", (received, value) => received >= value),
  ];
}
