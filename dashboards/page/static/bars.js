// Bars for categories, lying down with their values beside them; standing for hours and bins.

import { caption, cssColour, el } from "./dom.js";
import { scaleFor, show, withUnit } from "./format.js";
import { namer } from "./names.js";
import { place, seriesColour, swatch } from "./plot.js";

export function drawBars(host, spec, figures, context) {
  const scale = scaleFor(figures.unitOf(spec.bars[0].value), figures.rows.flatMap((row) => spec.bars.map((b) => row[b.value])));
  const nameOf = namer(spec.by, figures.rows);
  const colours = spec.bars.map((bar, i) => (bar.colour ? cssColour(bar.colour) : cssColour(`s${i + 1}`)));
  const total = (row) => spec.bars.reduce((sum, bar) => sum + (row[bar.value] ?? 0), 0);
  const reach = (row) => spec.stacked ? total(row) : Math.max(0, ...spec.bars.map((b) => row[b.high] ?? row[b.value] ?? 0));
  const largest = Math.max(...figures.rows.map(reach), spec.limit ?? 0) || 1;
  host.append(el("table", { class: "bars" },
    caption(`${context.title}. ${context.caption}`),
    el("tbody", {}, ordered(spec, figures.rows).map((row) => el("tr", {},
      el("th", { scope: "row" }, link(context, spec.by[0], row, nameOf(row))),
      el("td", { class: "bar-cell" }, spec.stacked ? stack(row) : spec.bars.map((bar, i) => single(bar, row, colours[i])), limit()),
      el("td", { class: "num bar-value" }, spec.stacked ? value(total(row)) : spec.bars.map((bar) => el("div", {}, value(row[bar.value])))),
      figures.n && figures.n !== spec.bars[0].value && el("td", { class: "num n bar-n" }, `n\u00a0${row[figures.n]}`))))));
  if (spec.bars.length > 1) {
    host.append(el("ul", { class: "legend still" }, spec.bars.map((bar, i) => el("li", {}, swatch(colours[i]), bar.title))));
  }
  return { destroy() {}, summary: null };

  function value(v) {
    return v === null || v === undefined ? show(scale, v) : `${show(scale, v)}\u00a0${scale.suffix}`;
  }

  function limit() {
    if (typeof spec.limit !== "number") return null;
    return el("span", { class: "bar-limit", title: `limit ${value(spec.limit)}`, "aria-hidden": "true", style: { left: `${(100 * spec.limit) / largest}%` } });
  }

  function stack(row) {
    return el("div", { class: "bar-line" }, spec.bars.map((bar, i) => {
      const v = row[bar.value];
      return v > 0 && hoverable(el("span", { class: "bar", style: { width: `${(100 * v) / largest}%`, background: colours[i] } }),
        () => [bar.title, value(v)]);
    }));
  }

  function single(bar, row, colour) {
    const v = row[bar.value];
    const [low, high] = [row[bar.low], row[bar.high]];
    return el("div", { class: "bar-line" },
      v !== null && v !== undefined && hoverable(el("span", { class: "bar", style: { width: `${(100 * v) / largest}%`, background: colour } }), () => [bar.title, value(v)]),
      typeof low === "number" && typeof high === "number" &&
        el("span", { class: "whisker", "aria-hidden": "true", style: { left: `${(100 * low) / largest}%`, width: `${(100 * (high - low)) / largest}%` } }));
  }
}

function ordered(spec, rows) {
  if (!spec.by_name) return rows;
  const name = spec.by[0];
  return [...rows].sort((a, b) => String(a[name]).localeCompare(String(b[name]), "en", { numeric: true }));
}

function link(context, column, row, text) {
  const href = context.hrefFor(column, row);
  return href ? el("a", { href }, text) : text;
}

export function hoverable(node, lines) {
  const tip = document.getElementById("tooltip");
  node.addEventListener("mousemove", (event) => {
    const [first, ...rest] = lines(event);
    tip.replaceChildren(el("strong", {}, first), ...rest.map((line) => el("div", {}, line)));
    place(tip, event.clientX, event.clientY);
  });
  node.addEventListener("mouseleave", () => { tip.hidden = true; });
  return node;
}

// Standing columns over an ordered category: hours of the day, bins of a histogram.
export function drawColumns(host, spec, figures, context) {
  const unit = figures.unitOf(spec.value);
  const scale = scaleFor(unit, figures.rows.flatMap((row) => [row[spec.value], row[spec.high]]));
  const nameOf = namer(spec.by, figures.rows);
  const names = [...new Set(figures.rows.map(nameOf))];
  const categories = spec.categories ?? [...new Set(figures.rows.map((row) => row[spec.category]))].sort((a, b) => a - b);
  const rowAt = new Map(figures.rows.map((row) => [`${nameOf(row)}\u0000${row[spec.category]}`, row]));
  const largest = Math.max(...figures.rows.map((row) => row[spec.high] ?? row[spec.value] ?? 0), 0) || 1;
  const colourOf = (name) => (spec.colour ? cssColour(spec.colour) : names.length === 1 ? cssColour("primary") : seriesColour(name, names));
  host.append(
    el("p", { class: "axis-title" }, `${scale.suffix}; the scale ends at ${withUnit(largest, unit)}`),
    el("div", { class: "columns", role: "img", "aria-label": `${context.title}. ${context.caption} The table button shows every value.` },
      categories.map((category) => el("div", { class: "column" },
        el("div", { class: "column-bars" }, names.map((name) => {
          const row = rowAt.get(`${name}\u0000${category}`);
          const v = row?.[spec.value];
          if (v === null || v === undefined) return el("span", { class: "column-bar" });
          const [low, high] = [row[spec.low], row[spec.high]];
          return hoverable(el("span", { class: "column-bar" },
            el("span", { class: "column-fill", style: { height: `${(100 * v) / largest}%`, background: colourOf(name) } }),
            typeof low === "number" && typeof high === "number" && el("span", { class: "column-whisker", style: { bottom: `${(100 * low) / largest}%`, height: `${(100 * (high - low)) / largest}%` } })),
          () => [spec.label(category), `${names.length > 1 ? `${name}: ` : ""}${show(scale, v)}\u00a0${scale.suffix}`,
            typeof low === "number" ? `P5\u2013P95 ${show(scale, low)}\u2013${show(scale, high)}` : "", figures.n ? `n ${row[figures.n]}` : ""].filter(Boolean));
        })),
        el("span", { class: "column-label" }, spec.label(category))))));
  return { destroy() {}, summary: null };
}
