// A row of big figures.

import { el } from "./dom.js";
import { scaleFor, show, withUnit } from "./format.js";

export function drawTiles(host, spec, figures) {
  const row = figures.rows[0] ?? {};
  host.append(el("dl", { class: "tiles" }, spec.tiles.map((tile) => {
    const value = row[tile.value];
    const unit = figures.unitOf(tile.value);
    const scale = scaleFor(unit, [value]);
    return el("div", { class: `tile ${judged(tile, value)}` },
      el("dt", {}, tile.title),
      el("dd", { class: unit === "text" ? "figure words" : "figure" },
        el("span", { class: "num" }, show(scale, value)),
        value !== null && value !== undefined && scale.suffix && el("span", { class: "unit" }, scale.suffix)),
      el("dd", { class: "under" }, under(tile, row, figures)));
  })));
  return { destroy() {}, summary: null };
}

function judged(tile, value) {
  if (value === null || value === undefined) return "";
  if (tile.bad_below !== null && value < tile.bad_below) return "is-failed";
  if (tile.good_from !== null && value < tile.good_from) return "is-degraded";
  return tile.good_from !== null ? "is-ok" : "";
}

function under(tile, row, figures) {
  const parts = [];
  if (tile.n) parts.push(`n\u00a0${withUnit(row[tile.n], "count")}`);
  if (tile.note && row[tile.note] !== null && row[tile.note] !== undefined) {
    parts.push(`${withUnit(row[tile.note], figures.unitOf(tile.note))} ${tile.note_text}`.trim());
  }
  return parts.join(" \u00b7 ");
}
