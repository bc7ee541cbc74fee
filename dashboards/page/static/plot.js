// What every uPlot chart here shares: UTC axes, the theme's colours, the tooltip, resizing, a legend of buttons.

import { cssColour, el, replace } from "./dom.js";
import { axisText, clock, day, moment } from "./format.js";

const SERIES = ["s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12"];

// A name keeps its colour on every chart of the page: by its place among all names, not among those drawn.
export function seriesColour(name, names) {
  const place = Math.max(0, names.indexOf(name));
  return cssColour(SERIES[place % SERIES.length]);
}

export function alpha(colour, share) {
  return colour.startsWith("#") ? colour + Math.round(share * 255).toString(16).padStart(2, "0") : colour;
}

function timeLabels(_plot, splits, _axis, _space, increment) {
  let before = null;
  return splits.map((s) => {
    if (s === null) return "";
    const ms = s * 1000;
    const date = day(ms);
    const fresh = date !== before;
    before = date;
    if (increment >= 86400) return date;
    return fresh ? `${clock(ms)}\n${date}` : clock(ms);
  });
}

export function timeAxis() {
  return { ...axis(), values: timeLabels, space: 72, size: 44 };
}

export function axis() {
  return {
    stroke: cssColour("ink-2"),
    font: '12px system-ui, "Liberation Sans", sans-serif',
    grid: { stroke: cssColour("grid"), width: 1 },
    ticks: { show: false },
    gap: 8,
  };
}

export function valueAxis(scale) {
  const factor = scale.factor ?? 1;
  return {
    ...axis(),
    size: (_plot, values) => 18 + 7.2 * Math.max(2, ...(values ?? []).map((v) => v.length)),
    values: (_plot, splits) => splits.map((v) => (v === null ? "" : axisText(v, factor))),
  };
}

// From zero upwards, and below it only where values are: errors have a sign.
export function zeroBased(_plot, min, max) {
  if (max === null || max === undefined) return [0, 1];
  if (min < 0) return [min * 1.08, Math.max(0, max * 1.08)];
  return [0, max > 0 ? max * 1.08 : 1];
}

// The whole of a share, and whatever lies outside: an error budget can be overdrawn.
export function shareBased(_plot, min, max) {
  return [Math.min(0, (min ?? 0) * 1.08), Math.max(1.02, (max ?? 0) * 1.02)];
}

// rows(idx) gives the tooltip's lines: [{colour, name, text}].
export function tooltipPlugin(heading, rows) {
  const tip = document.getElementById("tooltip");
  return {
    hooks: {
      setCursor: (plot) => {
        const { idx, left, top } = plot.cursor;
        const lines = idx === null || idx === undefined || left < 0 ? [] : rows(idx);
        if (!lines.length) {
          tip.hidden = true;
          return;
        }
        replace(
          tip,
          el("strong", {}, heading(idx)),
          el("table", {}, el("tbody", {}, lines.map((line) =>
            el("tr", {}, el("td", {}, swatch(line.colour)), el("td", {}, line.name), el("td", { class: "num" }, line.text))))),
        );
        const box = plot.over.getBoundingClientRect();
        place(tip, box.left + left, box.top + top);
      },
      destroy: () => { tip.hidden = true; },
    },
  };
}

export function place(tip, x, y) {
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = x + 16 + width > innerWidth ? Math.max(8, x - width - 16) : x + 16;
  tip.style.left = `${left + scrollX}px`;
  tip.style.top = `${Math.max(8, Math.min(y - height / 2, innerHeight - height - 8)) + scrollY}px`;
}

export function swatch(colour) {
  return el("span", { class: "swatch", style: { background: colour }, "aria-hidden": "true" });
}

export const atTime = (xs) => (idx) => moment(xs[idx] * 1000);

// Draws into host and follows its width; returns what to call before the host goes away.
export function mount(host, options, data, height = 240) {
  const width = () => Math.max(200, host.clientWidth);
  const plot = new uPlot(
    {
      width: width(),
      height,
      padding: [12, 12, 0, 0],
      tzDate: (s) => uPlot.tzDate(new Date(s * 1000), "Etc/UTC"),
      legend: { show: false },
      ...options,
      cursor: {
        points: { size: 7 },
        drag: { setScale: false, x: false, y: false },
        ...options.cursor,
      },
    },
    data,
    host,
  );
  const observer = new ResizeObserver(() => {
    if (host.clientWidth) plot.setSize({ width: width(), height });
  });
  observer.observe(host);
  host.addEventListener("mouseleave", () => { document.getElementById("tooltip").hidden = true; });
  return {
    plot,
    destroy() {
      observer.disconnect();
      plot.destroy();
    },
  };
}

// entries: [{name, colour, indices, extra}]; a click hides or shows the series at those indices.
export function legend(plot, entries) {
  return el("ul", { class: "legend" }, entries.map((entry) =>
    el("li", {},
      el("button", {
        type: "button",
        "aria-pressed": "true",
        title: "Hide or show this line",
        onclick: (event) => {
          const shown = event.currentTarget.getAttribute("aria-pressed") !== "true";
          event.currentTarget.setAttribute("aria-pressed", String(shown));
          for (const index of entry.indices) plot.setSeries(index, { show: shown });
        },
      }, swatch(entry.colour), entry.name, entry.extra))));
}
