// Strips of state over time: one row a thing, one cell a bucket, coloured by a share.

import { badge, el, svg } from "./dom.js";
import { clock, day, moment, withUnit } from "./format.js";
import { hoverable } from "./bars.js";
import { namer } from "./names.js";

const UNITS = 10000; // browsers clip coordinates as large as milliseconds of days
const TITLES = { ok: "ok", degraded: "degraded", failed: "failed", "no-data": "no data" };

export function drawStates(host, spec, figures, context) {
  const { from_ms: from, to_ms: to } = figures.window;
  const times = [...new Set(figures.rows.map((row) => row[spec.time]))].sort((a, b) => a - b);
  const step = figures.step_ms ?? smallestStep(times) ?? to - from;
  const nameOf = namer(spec.by, figures.rows);
  const names = [...new Set(figures.rows.map(nameOf))].sort();
  const width = Math.max(1, to - from);
  const strips = names.map((name) => {
    const rows = figures.rows.filter((row) => nameOf(row) === name);
    const href = context.hrefFor(spec.by[0], rows[0]);
    return el("div", { class: "strip-row" },
      el("div", { class: "strip-name" }, href ? el("a", { href }, name) : name, context.isSimulated(rows[0][spec.by[0]]) && !context.allSimulated && badge()),
      hoverable(
        svg("svg", { class: "strip", viewBox: `0 0 ${UNITS} 10`, preserveAspectRatio: "none", role: "img", "aria-label": spoken(spec, rows, name) },
          svg("rect", { class: "no-data", x: 0, y: 0, width: UNITS, height: 10 }),
          rows.map((row) => {
            const start = Math.max(0, row[spec.time] - from);
            const end = Math.min(width, row[spec.time] + step - from);
            return end > start && svg("rect", { class: stateOf(spec, row), x: (start / width) * UNITS, y: 0, width: ((end - start) / width) * UNITS * 0.94, height: 10 });
          })),
        (event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const at = from + ((event.clientX - box.left) / box.width) * width;
          const row = rows.find((r) => r[spec.time] <= at && at < r[spec.time] + step);
          return row
            ? [name, moment(row[spec.time]), `${TITLES[stateOf(spec, row)]}: ${withUnit(row[spec.share], "share")} of n\u00a0${row[spec.n]}`]
            : [name, moment(at), "no data"];
        }));
  });
  host.append(
    el("div", { class: "strips" }, strips, axisRow(from, to)),
    el("ul", { class: "legend still" }, ["ok", "degraded", "failed", "no-data"].map((state) =>
      el("li", {}, el("span", { class: `swatch state-${state}`, "aria-hidden": "true" }), legendText(spec, state)))));
  return { destroy() {}, summary: null };
}

function stateOf(spec, row) {
  const share = row[spec.share];
  if (share === null || share === undefined || !row[spec.n]) return "no-data";
  if (share >= spec.ok_from) return "ok";
  return share < spec.failed_below ? "failed" : "degraded";
}

function legendText(spec, state) {
  const percent = (share) => `${Math.round(share * 100)}\u00a0%`;
  switch (state) {
    case "ok": return `ok: at least ${percent(spec.ok_from)} succeeded`;
    case "degraded": return `degraded: ${percent(spec.failed_below)} to ${percent(spec.ok_from)}`;
    case "failed": return `failed: under ${percent(spec.failed_below)}`;
    default: return "no data";
  }
}

function spoken(spec, rows, name) {
  const counts = {};
  for (const row of rows) counts[stateOf(spec, row)] = (counts[stateOf(spec, row)] ?? 0) + 1;
  return `${name}: ` + Object.entries(counts).map(([state, count]) => `${count} spans ${TITLES[state]}`).join(", ");
}

function smallestStep(times) {
  let step = null;
  for (let i = 1; i < times.length; i += 1) step = Math.min(step ?? Infinity, times[i] - times[i - 1]);
  return step;
}

function axisRow(from, to) {
  const marks = 5;
  const long = to - from > 36 * 3600 * 1000;
  return el("div", { class: "strip-row", "aria-hidden": "true" }, el("div", { class: "strip-name" }),
    el("div", { class: "strip-axis" }, Array.from({ length: marks }, (_, i) => {
      const at = from + ((to - from) * i) / (marks - 1);
      return el("span", {}, long ? `${day(at)} ${clock(at)}` : clock(at));
    })));
}
