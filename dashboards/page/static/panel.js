// The card around every picture: title, figures' provenance, definition, table toggle, CSV, and what went wrong.

import { csvHref } from "./api.js";
import { drawBars } from "./bars.js";
import { drawDistribution } from "./distribution.js";
import { badge, cssColour, el, replace } from "./dom.js";
import { moment, shortMoment, withUnit } from "./format.js";
import { drawHistogram, drawOrdered } from "./histogram.js";
import { seriesColour } from "./plot.js";
import { attemptHref, dashboardHref } from "./state.js";
import { drawStates } from "./states.js";
import { drawAll, drawTable } from "./table.js";
import { drawTiles } from "./tiles.js";
import { drawTimeSeries } from "./timeseries.js";

const DRAW = {
  tiles: drawTiles,
  table: drawTable,
  "time-series": drawTimeSeries,
  bars: drawBars,
  columns: drawOrdered,
  states: drawStates,
  histogram: drawHistogram,
  distribution: drawDistribution,
};
const NATIVE_TABLES = new Set(["table", "tiles"]);

export class PanelCard {
  constructor(dashboard, panel, page) {
    this.dashboard = dashboard;
    this.panel = panel;
    this.page = page; // {state(), site(), panelQuery()}
    this.asTable = false;
    this.memory = {};
    this.body = el("div", { class: "panel-body" });
    this.meta = el("p", { class: "meta" });
    this.tags = el("span", { class: "tags" });
    const heading = `panel-${panel.id}`;
    this.csv = el("a", { class: "quiet", href: "#", download: "", "aria-label": `Download ${panel.title} as CSV` }, "CSV");
    this.toggle = NATIVE_TABLES.has(panel.visualisation.type)
      ? null
      : el("button", { type: "button", class: "quiet", "aria-pressed": "false", "aria-label": `Show ${panel.title} as a table`, onclick: () => this.flip() }, "Table");
    this.root = el("section", { class: `panel w-${panel.width} v-${panel.visualisation.type}`, "aria-labelledby": heading, id: panel.id },
      el("header", { class: "panel-head" },
        el("h2", { id: heading }, panel.title, this.tags),
        el("div", { class: "panel-tools" }, this.toggle, this.csv)),
      this.meta,
      this.body,
      el("details", { class: "definition" }, el("summary", {}, "Definition"), el("p", {}, panel.description), (this.meaning = el("p", {})), (this.version = el("p", { class: "meta" }))));
    this.waiting();
  }

  waiting() {
    this.root.setAttribute("aria-busy", "true");
    if (!this.body.childElementCount) replace(this.body, el("div", { class: "placeholder" }, "Reading\u2026"));
  }

  flip() {
    this.asTable = !this.asTable;
    this.toggle.setAttribute("aria-pressed", String(this.asTable));
    if (this.figures) this.draw();
  }

  show(result) {
    this.root.setAttribute("aria-busy", "false");
    this.csv.href = csvHref(this.dashboard.id, this.panel.id, this.page.panelQuery());
    const fingerprint = fingerprintOf(result);
    if (fingerprint === this.fingerprint && !this.failed) return;
    if (this.drawn && this.body.contains(document.activeElement)) return; // the reader is in there; next time
    this.fingerprint = fingerprint;
    this.failed = false;
    this.figures = readable(result);
    this.draw();
  }

  fail(problem) {
    this.root.setAttribute("aria-busy", "false");
    this.failed = true;
    this.release();
    replace(this.meta);
    replace(this.body, el("div", { class: "problem", role: "alert" },
      el("strong", {}, "These figures could not be read."), el("p", {}, problem.message), problem.where && el("p", { class: "meta" }, problem.where)));
  }

  draw() {
    this.release();
    const { figures, panel } = this;
    const site = this.page.site();
    replace(this.meta, provenance(figures));
    replace(this.meaning, figures.meaning);
    replace(this.version, `${panel.definition}; definition ${figures.definition ?? "not stated yet"}; query ${panel.query}.`);
    replace(this.tags, this.allSimulated(site) && badge());
    replace(this.body);
    if (!figures.rows.length) {
      replace(this.body, el("div", { class: "empty" }, panel.when_empty
        ? el("p", {}, panel.when_empty)
        : [el("strong", {}, "No data in this span."), el("p", {}, emptyHint(site))]));
      return;
    }
    const context = this.context(site);
    const host = el("div", { class: "drawing" });
    this.body.append(host);
    if (this.asTable) {
      this.drawn = drawAll(host, figures, context);
      return;
    }
    this.drawn = DRAW[panel.visualisation.type](host, panel.visualisation, figures, context);
    if (this.drawn.summary) {
      host.querySelector(".plot")?.setAttribute("role", "img");
      host.querySelector(".plot")?.setAttribute("aria-label", `${panel.title}. ${context.caption} ${this.drawn.summary}`);
    }
  }

  redraw() {
    if (this.figures && !this.failed) this.draw();
  }

  release() {
    this.drawn?.destroy();
    this.drawn = null;
  }

  allSimulated(site) {
    if (this.panel.quoted) return false;
    const endpoint = this.page.state().vars.endpoint;
    return endpoint ? site.simulated.has(endpoint) : site.all_simulated;
  }

  context(site) {
    const state = this.page.state();
    const links = new Map(this.panel.links.map((link) => [link.column, link]));
    return {
      title: this.panel.title,
      caption: provenance(this.figures),
      memory: this.memory,
      isSimulated: (name) => site.simulated.has(name),
      allSimulated: this.allSimulated(site),
      colourOf: (group, names) => colourOf(group, names, site),
      hrefFor: (column, row) => {
        const link = links.get(column);
        const value = row?.[link?.value ?? column] ?? null;
        if (!link || value === null) return null;
        return link.target === "attempt" ? attemptHref(state, value) : dashboardHref(state, link.target, { [link.variable]: value });
      },
    };
  }
}

function readable(result) {
  const units = new Map(result.columns.map((c) => [c.name, c.unit]));
  return {
    ...result,
    rows: result.rows.map((row) => Object.fromEntries(result.columns.map((c, i) => [c.name, row[i]]))),
    unitOf: (name) => units.get(name) ?? "text",
  };
}

function provenance(figures) {
  const parts = [];
  if (figures.total_n !== null && figures.total_n !== undefined) parts.push(`n\u00a0${withUnit(figures.total_n, "count")}`);
  const { from_ms: from, to_ms: to, note, timeless } = figures.window;
  parts.push(timeless ? note : `${shortMoment(from)} \u2013 ${shortMoment(to)} UTC${note ? ` (${note})` : ""}`);
  if (figures.newest_ms !== null && figures.newest_ms !== undefined) parts.push(`newest ${moment(figures.newest_ms)}`);
  return parts.join(" \u00b7 ");
}

export function emptyHint(site) {
  if (site.history) return "The history is still being played; what comes appears by itself.";
  if (site.next_slot) return `The next slot is ${site.next_slot.slot}, planned for ${moment(site.next_slot.at_ms)}.`;
  return "Choose a longer time, another workload, or wait for the next slot.";
}

// The ends of a window move with every refresh; that alone is no news.
function fingerprintOf(result) {
  const moving = new Set(["window_start", "window_end", "newest_age_s"]);
  const kept = result.columns.map((c) => !moving.has(c.name));
  return JSON.stringify([result.columns, result.rows.map((row) => row.filter((_, i) => kept[i]))]);
}

// Accounts keep blue and orange; endpoints keep their place in the catalogue.
function colourOf(group, names, site) {
  const anonymous = site.catalogue.accounts.some((a) => a.kind === "anonymous" && a.name === group.row.account);
  if (names.length === 1) return cssColour(anonymous ? "anonymous" : "primary");
  if (names.length === 2 && group.first === group.row.account) return cssColour(anonymous ? "anonymous" : "primary");
  const catalogue = site.catalogue.endpoints.map((e) => e.name);
  return catalogue.includes(group.first) && names.includes(group.first) ? seriesColour(group.name, catalogue) : seriesColour(group.name, names);
}
