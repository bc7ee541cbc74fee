// Empirical distributions: steps over a value, one line a side.

import { cssColour, el } from "./dom.js";
import { axisText, scaleFor, show, withUnit } from "./format.js";
import { axis, legend, mount, shareBased, tooltipPlugin, valueAxis } from "./plot.js";

export function drawDistribution(host, spec, figures) {
  const unit = figures.unitOf(spec.value);
  const rows = figures.rows.filter((row) => row[spec.value] !== null);
  const xs = rows.map((row) => row[spec.value]);
  const across = scaleFor(unit, xs);
  const up = scaleFor(figures.unitOf(spec.lines[0].value), [1]);
  const lines = spec.lines.map((line) => ({ ...line, colour: cssColour(line.colour ?? "neutral"), values: rows.map((row) => row[line.value]) }));
  const plotHost = el("div", { class: "plot" });
  host.append(el("p", { class: "axis-title", "aria-hidden": "true" }, `${up.suffix} of the values are at most so many ${across.suffix}`), plotHost);
  const drawn = mount(plotHost, {
    series: [{}, ...lines.map((line) => ({
      stroke: line.colour,
      width: 2,
      paths: uPlot.paths.stepped({ align: 1 }),
      points: { show: false },
    }))],
    axes: [
      { ...axis(), values: (_plot, splits) => splits.map((v) => (v === null ? "" : axisText(v, across.factor ?? 1))) },
      valueAxis(up),
    ],
    scales: { x: { time: false }, y: { range: shareBased } },
    plugins: [tooltipPlugin((idx) => `at most ${withUnit(xs[idx], unit)}`, (idx) =>
      lines.flatMap((line, place) => (drawn.plot.series[place + 1].show
        ? [{ colour: line.colour, name: line.title, text: `${show(up, line.values[idx])}\u00a0${up.suffix}` }]
        : [])))],
  }, [xs, ...lines.map((line) => line.values)], 250);
  const n = spec.n && rows.length ? el("span", { class: "num last" }, `n\u00a0${rows[0][spec.n]}`) : null;
  host.append(legend(drawn.plot, lines.map((line, place) => ({ name: line.title, colour: line.colour, indices: [place + 1], extra: [n?.cloneNode(true)] }))));
  return { destroy: drawn.destroy, summary: lines.map((line) => summary(line, xs, unit)).join(". ") };
}

function summary(line, xs, unit) {
  const half = xs[line.values.findIndex((share) => share >= 0.5)];
  return `${line.title}: half of the values are at most ${half === undefined ? "unknown" : withUnit(half, unit)}`;
}
