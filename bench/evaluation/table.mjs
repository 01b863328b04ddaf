// Writes a record as Markdown: the figures of this run, the edits by kind, and what was measured at training.
//
// The one idea: columns that this run did not compute stand in a table of their own, under a heading that says so.

/** @typedef {Record<string, Record<string, number>>} Tasks */

/** @param {readonly string[]} cells */
const row = (cells) => `| ${cells.join(" | ")} |`;
/** @param {number | undefined} value */
const figure = (value) => (value === undefined ? "" : value.toFixed(3));

/**
 * @param {readonly string[]} head
 * @param {ReadonlyArray<readonly string[]>} rows
 */
function grid(head, rows) {
  const rule = head.map((_, column) => (column === 0 ? "---" : "---:"));
  return [row(head), row(rule), ...rows.map(row)].join("\n");
}

/**
 * All figures but those per kind of edit; one line a figure, one column an embedder.
 * @param {Record<string, { tasks: Tasks }>} results
 */
function figures(results) {
  const columns = Object.values(results);
  const names = Object.entries(columns[0]?.tasks ?? {}).flatMap(([task, measured]) =>
    Object.keys(measured)
      .filter((name) => !name.startsWith("merged "))
      .map((name) => ({ task, name })),
  );
  return grid(
    ["task", "measure", ...Object.keys(results)],
    names.map(({ task, name }) => [
      task,
      name,
      ...columns.map((column) => figure(column.tasks[task]?.[name])),
    ]),
  );
}

/**
 * The share of each kind of edit that would be merged, one column a set of guards.
 * @param {Tasks} tasks
 */
function editsByKind(tasks) {
  const measured = tasks["edit-pairs"] ?? {};
  /** @type {Map<string, string[]>} */
  const kinds = new Map();
  const guards = new Set();
  for (const [name, value] of Object.entries(measured)) {
    const [, kind, guard] = /^merged (.+), guard (.+)$/.exec(name) ?? [];
    if (kind === undefined) continue;
    guards.add(guard);
    kinds.set(kind, [...(kinds.get(kind) ?? []), figure(value)]);
  }
  return grid(
    ["edit", ...[...guards].map((guard) => `guard ${guard}`)],
    [...kinds].map(([kind, shares]) => [kind, ...shares]),
  );
}

/** @param {{ columns: Record<string, string>, models: Record<string, Record<string, number>> }} training */
function atTraining({ columns, models }) {
  const keys = Object.keys(columns);
  return grid(
    ["model", ...keys.map((key) => columns[key])],
    Object.entries(models).map(([model, measured]) => [model, ...keys.map((key) => figure(measured[key]))]),
  );
}

/**
 * The whole record as Markdown.
 * @param {any} record
 * @param {any} training what `training/static-en/results.json` holds
 */
export function table(record, training) {
  const sections = [
    `# ${record.title}`,
    `${record.date}, ${record.machine.cpu}, Node ${record.machine.node}, seed ${record.seed}, commit ${record.machine.commit}` +
      `${record.machine.uncommitted ? " with uncommitted changes" : ""}. Made by \`node bench/evaluation/evaluate.mjs\`.`,
    figures(record.results),
  ];
  for (const [name, { tasks }] of Object.entries(record.results)) {
    sections.push(`## Share of edited pairs merged, ${name}`, editsByKind(/** @type {any} */ (tasks)));
  }
  sections.push("## Other models, as measured at training", training.about, atTraining(training));
  return `${sections.join("\n\n")}\n`;
}
