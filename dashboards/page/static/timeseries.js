// Lines over time with bands, split by the values of one column.

import { badge, cssColour, el } from "./dom.js";
import { moment, scaleFor, show, withUnit } from "./format.js";
import { namer } from "./names.js";
import { alpha, atTime, legend, mount, shareBased, timeAxis, tooltipPlugin, valueAxis, zeroBased } from "./plot.js";

export function drawTimeSeries(host, spec, figures, context) {
  const groups = grouped(spec, figures);
  const names = groups.map((g) => g.name);
  const xs = [...new Set(groups.flatMap((g) => g.points.map((p) => p.x)))].sort((a, b) => a - b);
  const unit = figures.unitOf(spec.lines[0].value);
  const scale = scaleFor(unit, groups.flatMap((g) => g.points.map((p) => p.value)));
  const data = [xs];
  const series = [{}];
  const bands = [];
  const entries = [];
  for (const group of groups) {
    const at = new Map(group.points.map((p) => [p.x, p]));
    const column = (part) => xs.map((x) => at.get(x)?.[part] ?? null);
    const colour = group.colour ? cssColour(group.colour) : context.colourOf(group, names);
    const indices = [];
    if (group.banded) {
      for (const part of ["high", "low"]) {
        indices.push(data.length);
        data.push(column(part));
        series.push({ stroke: alpha(colour, 0), points: { show: false }, spanGaps: gapFill(xs) });
      }
      bands.push({ series: [data.length - 2, data.length - 1], fill: alpha(colour, 0.14) });
    }
    indices.push(data.length);
    data.push(column("value"));
    const few = group.points.length < 60;
    series.push({
      stroke: colour,
      width: 1.75,
      spanGaps: gapFill(xs),
      points: { show: few, size: 5, fill: colour, stroke: colour },
    });
    const last = group.points.filter((p) => p.value !== null).at(-1);
    entries.push({
      name: group.name,
      colour,
      indices,
      valueIndex: data.length - 1,
      at,
      extra: [context.isSimulated(group.first) && !context.allSimulated && badge(), last && el("span", { class: "num last" }, `${show(scale, last.value)}\u00a0${scale.suffix}`)],
    });
  }
  const plotHost = el("div", { class: "plot" });
  const label = el("p", { class: "axis-title", "aria-hidden": "true" }, scale.suffix);
  host.append(label, plotHost);
  const drawn = mount(plotHost, {
    series,
    bands,
    axes: [timeAxis(), valueAxis(scale)],
    scales: {
      x: { time: true, range: () => [figures.window.from_ms / 1000, figures.window.to_ms / 1000] },
      y: { range: unit === "share" ? shareBased : zeroBased },
    },
    cursor: { sync: { key: "time", setSeries: false } },
    plugins: [tooltipPlugin(atTime(xs), (idx) =>
      entries.flatMap((entry) => {
        const point = entry.at.get(xs[idx]);
        if (!point || point.value === null || !drawn.plot.series[entry.valueIndex].show) return [];
        const band = point.low !== null && point.high !== null ? ` (${show(scale, point.low)}\u2013${show(scale, point.high)})` : "";
        const n = point.n === null ? "" : `, n\u00a0${point.n}`;
        return [{ colour: entry.colour, name: entry.name, text: `${show(scale, point.value)}\u00a0${scale.suffix}${band}${n}` }];
      }))],
  }, data, 250);
  host.append(legend(drawn.plot, entries));
  return { destroy: drawn.destroy, summary: summary(groups, unit) };
}

function gapFill(xs) {
  return xs.length < 2; // a hole in the data stays a hole in the line
}

function grouped(spec, figures) {
  const groups = new Map();
  const nameOf = namer(spec.by, figures.rows);
  for (const row of figures.rows) {
    const by = spec.by.length ? nameOf(row) : null;
    for (const line of spec.lines) {
      const name = by === null ? line.title : spec.lines.length > 1 ? `${by}, ${line.title}` : by;
      if (!groups.has(name)) groups.set(name, { name, first: row[spec.by[0]], row, colour: line.colour, banded: Boolean(line.low && line.high), points: [] });
      groups.get(name).points.push({
        x: row[spec.time] / 1000,
        value: row[line.value] ?? null,
        low: line.low ? row[line.low] ?? null : null,
        high: line.high ? row[line.high] ?? null : null,
        n: figures.n ? row[figures.n] ?? null : null,
      });
    }
  }
  return [...groups.values()].filter((g) => g.points.some((p) => p.value !== null));
}

function summary(groups, unit) {
  return groups.map((g) => {
    const points = g.points.filter((p) => p.value !== null);
    const values = points.map((p) => p.value);
    const last = points.at(-1);
    return `${g.name}: lowest ${withUnit(Math.min(...values), unit)}, highest ${withUnit(Math.max(...values), unit)}, ` +
      `newest ${withUnit(last.value, unit)} at ${moment(last.x * 1000)}`;
  }).join(". ");
}
