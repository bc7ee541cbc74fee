// Rows to read: sortable, numbers aligned, the unit once in the header.

import { badge, caption, el, replace } from "./dom.js";
import { exact, rowScaleFor, scaleFor, show } from "./format.js";
import { tells } from "./names.js";

export function drawTable(host, spec, figures, context) {
  const { memory } = context; // survives a refresh
  const [key] = spec.columns;
  const visible = spec.columns.filter((column) => !column.if_telling || tells(column.column, [key.column], figures.rows));
  const sharing = spec.columns.filter((column) => column.unit_from).map((column) => column.column);
  const columns = visible.map((column) => {
    const values = figures.rows.map((row) => row[column.column]);
    const unit = figures.unitOf(column.column);
    const scale = scaleFor(unit, values);
    const rowScale = column.unit_from && ((row) => rowScaleFor(row[column.unit_from], sharing.map((name) => row[name])));
    const largest = column.bar ? Math.max(0, ...values.filter((v) => typeof v === "number")) : 0;
    return { ...column, unit, scale, rowScale, largest };
  });
  const holder = el("div", { class: "table-holder" });
  host.append(holder);

  function render() {
    const rows = arranged(spec, figures.rows);
    const { sorted, all } = memory;
    if (sorted) {
      const { column, direction } = sorted;
      rows.sort((a, b) => direction * compare(a[column], b[column]));
    }
    const shown = all ? rows : rows.slice(0, spec.page_rows);
    replace(holder,
      el("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": `${context.title}, table` },
        el("table", { class: "data" },
          caption(`${context.title}. ${context.caption}`),
          el("thead", {}, el("tr", {}, columns.map(header))),
          el("tbody", {}, shown.map((row) => el("tr", {}, columns.map((column, i) => cell(column, row, i))))))),
      rows.length > shown.length && el("button", { type: "button", class: "quiet", onclick: () => { memory.all = true; render(); } }, `Show all ${rows.length} rows`));
  }

  function header(column) {
    const { sorted } = memory;
    const active = sorted?.column === column.column;
    const label = active ? (sorted.direction > 0 ? "ascending" : "descending") : "none";
    return el("th", { scope: "col", class: column.scale.numeric ? "num" : "", "aria-sort": label },
      el("button", {
        type: "button",
        class: "sort",
        onclick: () => {
          memory.sorted = { column: column.column, direction: active ? -sorted.direction : 1 };
          render();
          [...holder.querySelectorAll("th button")][columns.indexOf(column)].focus();
        },
      }, column.title, el("span", { class: "arrow", "aria-hidden": "true" }, active ? (sorted.direction > 0 ? "\u2191" : "\u2193") : ""),
      !column.rowScale && column.scale.suffix && el("span", { class: "unit" }, column.scale.suffix)));
  }

  function cell(column, row, place) {
    const value = column.unless_in && row[column.unless_in] === row[column.column] ? null : row[column.column];
    const scale = column.rowScale ? column.rowScale(row) : column.scale;
    const unitOfRow = sharing.length && columns.find((c) => c.unit_from)?.unit_from === column.column;
    const text = unitOfRow ? columns.find((c) => c.unit_from).rowScale(row).suffix : column.names?.[value] ?? show(scale, value);
    const link = context.hrefFor(column.column, row);
    const inner = [
      link && value !== null ? el("a", { href: link }, text) : text,
      column.mark && row[column.mark] && value !== null ? el("span", { class: "assumed", title: "rests on the assumed count of reasoning tokens" }, "*") : null,
      column.outside && row[column.outside] && value !== null ? el("span", { class: "outside", title: "some of it was measured out of bounds: see the instrument" }, "\u2020") : null,
      column.badge && row[column.badge] && !context.allSimulated ? badge() : null,
    ];
    const props = { class: column.scale.numeric ? "num" : column.unit === "time" ? "when" : "words" };
    if (column.unit === "time" && value !== null) props.title = exact(value);
    if (column.bar && typeof value === "number" && column.largest > 0) {
      inner.push(el("span", { class: "cell-bar", "aria-hidden": "true", style: { width: `${(100 * value) / column.largest}%` } }));
      props.class += " with-bar";
    }
    return place === 0 ? el("th", { scope: "row", ...props }, inner) : el("td", props, inner);
  }

  render();
  return { destroy() {}, summary: null };
}

function arranged(spec, rows) {
  const named = spec.columns.find((column) => Object.keys(column.names ?? {}).length);
  if (spec.newest_first) return [...rows].reverse();
  if (!named) return [...rows];
  const order = Object.keys(named.names);
  const place = (row) => (order.includes(row[named.column]) ? order.indexOf(row[named.column]) : order.length);
  return [...rows].sort((a, b) => place(a) - place(b));
}

function compare(a, b) {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1;
  if (b === null || b === undefined) return -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

// The text alternative of any chart: every column of the query, as it came.
export function drawAll(host, figures, context) {
  const columns = figures.columns.map((c) => ({ title: c.name.replaceAll("_", " "), column: c.name, badge: null, bar: false }));
  return drawTable(host, { columns, page_rows: 50 }, figures, context);
}
