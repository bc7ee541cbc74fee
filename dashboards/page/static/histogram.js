// Counts over equal bins, and values over an ordered category such as the hour of the day.

import { drawColumns } from "./bars.js";
import { scaleFor, show, withUnit } from "./format.js";

export function drawHistogram(host, spec, figures, context) {
  const unit = figures.unitOf(spec.start);
  const scale = scaleFor(unit, figures.rows.map((row) => row[spec.end]));
  const ends = new Map(figures.rows.map((row) => [row[spec.start], row[spec.end]]));
  const label = (start) => `${show(scale, start)}\u2013${withUnit(ends.get(start), unit)}`;
  return drawColumns(host, { category: spec.start, value: spec.count, low: null, high: null, by: [], colour: "primary", label }, figures, context);
}

export function drawOrdered(host, spec, figures, context) {
  const unit = figures.unitOf(spec.category);
  const scale = scaleFor(unit, figures.rows.map((row) => row[spec.category]));
  const categories = unit === "h" ? Array.from({ length: 24 }, (_, hour) => hour) : null;
  return drawColumns(host, { ...spec, categories, label: (value) => show(scale, value) }, figures, context);
}
