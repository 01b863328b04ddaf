// Compares figures with those that are written down.
//
// The one idea: a figure that got better is as unexpected as one that got worse, until somebody changes `expected.json` on purpose.

/**
 * One sentence for every figure that is missing or lies further from its expected value than the tolerance.
 * @param {Record<string, { tasks: Record<string, Record<string, number>> }>} results
 * @param {{ tolerance: number, embedders: Record<string, Record<string, Record<string, number>>> }} expected
 */
export function deviations(results, expected) {
  const found = [];
  for (const [embedder, tasks] of Object.entries(expected.embedders)) {
    const result = results[embedder];
    if (result === undefined) continue;
    for (const [task, figures] of Object.entries(tasks)) {
      for (const [name, value] of Object.entries(figures)) {
        const received = result.tasks[task]?.[name];
        if (received === undefined || !(Math.abs(received - value) <= expected.tolerance)) {
          found.push(
            `${embedder}, ${task}, ${name}: expected ${value} within ${expected.tolerance}, received ${received}`,
          );
        }
      }
    }
  }
  return found;
}
