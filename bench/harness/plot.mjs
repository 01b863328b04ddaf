/** A record as a picture: CPU-seconds and peak memory of each contender, as bars. Drawn without a browser. */
import * as vega from "vega";
import { compile } from "vega-lite";

const COLORS = { domain: ["ours", "peer", "reference"], range: ["#1565c0", "#9e9e9e", "#cfd8dc"] };

/**
 * @param {import("./record.mjs").BenchmarkRecord} record
 * @returns {Promise<string | undefined>} SVG; `undefined` when nobody has a median
 */
export async function plotOf({ definition, standings, corpus, date }) {
  const bars = standings.flatMap(({ name, side, median }) =>
    median === undefined
      ? []
      : [{ contender: name, side, cpuSeconds: median.cpuSeconds, peakMebibytes: median.peakBytes / 2 ** 20 }],
  );
  if (bars.length === 0) return undefined;
  const specification = {
    data: { values: bars },
    title: {
      text: definition.title,
      subtitle: `${corpus.title}, ${corpus.records.toLocaleString("en-US")} records; ${date}`,
    },
    hconcat: [
      panel("cpuSeconds", "CPU-seconds", ".2f", true),
      panel("peakMebibytes", "peak memory, MiB", ",.0f", false),
    ],
    config: { view: { stroke: null }, axis: { grid: false } },
  };
  // Vega-Lite's own type asks for literal types throughout; the specification is checked by `compile` at run time.
  const { spec } = compile(
    /** @type {import("vega-lite").TopLevelSpec} */ (/** @type {unknown} */ (specification)),
  );
  const view = new vega.View(vega.parse(spec), { renderer: "none" });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

/**
 * @param {string} field
 * @param {string} title
 * @param {string} format
 * @param {boolean} named whether the contenders' names stand beside the bars
 */
function panel(field, title, format, named) {
  const y = { field: "contender", type: "nominal", sort: null, title: null, axis: named ? {} : null };
  const x = { field, type: "quantitative", title, axis: { tickCount: 4 } };
  return {
    width: 260,
    height: { step: 26 },
    encoding: { y, x },
    layer: [
      { mark: "bar", encoding: { color: { field: "side", type: "nominal", scale: COLORS, legend: null } } },
      {
        mark: { type: "text", align: "left", dx: 4 },
        encoding: { text: { field, type: "quantitative", format } },
      },
    ],
  };
}
