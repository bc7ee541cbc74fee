// The page: reads the address, lays out the dashboard, asks for figures, keeps them fresh.

import { getPanel, getSite } from "./api.js";
import { drawAttempt } from "./attempt.js";
import { badge, el, replace } from "./dom.js";
import { ago, moment } from "./format.js";
import { PanelCard, emptyHint } from "./panel.js";
import { drawPickers } from "./pickers.js";
import { dashboardHref, query, readState } from "./state.js";

const REFRESH_MS = 15000;
const PLAYING_MS = 5000; // a history grows by hours in that time
const byId = (id) => document.getElementById(id);

let state = readState();
let site = null;
let cards = [];
let controller = new AbortController();
let live = true;
let redrawAttempt = null;
let filledIn = {}; // choices of this dashboard that nobody picked, by the variable's name

const page = { state: () => state, site: () => site, panelQuery: () => query(state, required()) };

// A dashboard about one endpoint always has one, until somebody picks another; other choices have defaults.
function required() {
  const dashboard = currentDashboard();
  const missing = {};
  for (const variable of dashboard?.variables ?? []) {
    if (variable.required && !state.vars[variable.name]) {
      missing[variable.name] = variable.name === "endpoint" ? firstEndpoint(variable) : variable.default;
    }
  }
  return missing;
}

function firstEndpoint(variable) {
  const { endpoints, accounts } = site.catalogue;
  const several = (provider) => accounts.filter((a) => a.provider === provider).length > 1;
  return ((variable.compared && endpoints.find((e) => several(e.provider))) || endpoints[0])?.name ?? "";
}

// What nobody picked does not follow the reader to another dashboard, which has choices of its own to begin with.
function picked() {
  return { ...state, vars: Object.fromEntries(Object.entries(state.vars).filter(([name, value]) => filledIn[name] !== value)) };
}

function currentDashboard() {
  return state.attempt ? null : site.dashboards.find((d) => d.id === state.dashboard);
}

async function loadSite(signal) {
  const answer = await getSite(signal);
  answer.simulated = new Set(answer.catalogue.endpoints.filter((e) => e.simulated).map((e) => e.name));
  return answer;
}

async function open({ focus = false } = {}) {
  controller.abort();
  controller = new AbortController();
  const { signal } = controller;
  for (const card of cards) card.release();
  cards = [];
  redrawAttempt = null;
  byId("tooltip").hidden = true;
  byId("main").setAttribute("aria-busy", "true");
  try {
    site = await loadSite(signal);
  } catch (problem) {
    if (problem.name !== "AbortError") failWhole(problem);
    return;
  }
  const dashboard = currentDashboard();
  drawFrame(dashboard);
  if (state.attempt) {
    replace(byId("pickers"));
    redrawAttempt = await drawAttempt(byId("main"), state, site, signal);
  } else if (!dashboard) {
    replace(byId("main"), el("div", { class: "problem", role: "alert" }, el("strong", {}, `There is no dashboard called \u201c${state.dashboard}\u201d.`),
      el("p", {}, el("a", { href: dashboardHref(state, "overview") }, "Go to the overview"))));
  } else if (site.newest_ms === null) {
    replace(byId("main"), el("div", { class: "page-head" }, el("h1", {}, dashboard.title), el("p", { class: "question" }, dashboard.question)),
      el("div", { class: "empty whole" }, el("strong", {}, "No data yet."), el("p", {}, emptyHint(site))));
  } else {
    const chosen = required();
    if (Object.keys(chosen).length) {
      filledIn = { ...chosen };
      state.vars = { ...state.vars, ...chosen };
      history.replaceState(null, "", dashboardHref(state, dashboard.id));
      drawFrame(dashboard);
    }
    layOut(dashboard);
    await refreshPanels(signal);
  }
  if (signal.aborted) return; // a newer choice is already on its way
  byId("main").setAttribute("aria-busy", "false");
  if (focus) byId("main").focus({ preventScroll: true });
}

function drawFrame(dashboard) {
  document.title = `${state.attempt ? "Attempt" : dashboard?.title ?? "Messwerk"} \u2013 Messwerk`;
  replace(byId("nav"), site.dashboards.map((d) =>
    el("a", { href: dashboardHref(picked(), d.id), "aria-current": d.id === dashboard?.id ? "page" : null }, d.title)));
  replace(byId("tools"),
    el("button", { type: "button", class: "quiet", "aria-pressed": String(live), title: "Read new figures every 15 seconds", onclick: toggleLive },
      el("span", { class: live ? "dot on" : "dot", "aria-hidden": "true" }), "Live"),
    el("button", { type: "button", class: "quiet", "aria-label": "Change between light and dark", onclick: toggleTheme }, "Theme"));
  drawBanner();
  drawFooter();
  if (dashboard) drawPickers(byId("pickers"), dashboard, site, state, change);
}

function drawBanner() {
  replace(byId("banner"), site.all_simulated && site.catalogue.endpoints.length > 0 && el("aside", { class: "banner", "aria-label": "Simulated" }, badge(),
    el("p", {}, "Every endpoint here is a reference endpoint of this program. No real service was measured.")),
    site.history && historyLine(site.history));
}

function historyLine(history) {
  const done = Math.round((100 * (history.reached_ms - history.from_ms)) / Math.max(1, history.to_ms - history.from_ms));
  const days = Math.round((history.to_ms - history.from_ms) / 86400e3);
  return el("aside", { class: "banner playing", "aria-label": "History" },
    el("progress", { max: 100, value: done, "aria-label": "Share of the history that has been played" }),
    el("p", {}, `${days === 1 ? "A simulated day is" : `${days} simulated days are`} being played to begin with: ${done}\u00a0%. `
      + `Figures are as of ${moment(history.reached_ms)}, and move on with it.`));
}

function drawFooter() {
  const newest = site.newest_ms === null ? "no attempt yet" : `newest attempt ${ago(site.newest_ms, site.now_ms)}`;
  const slot = site.next_slot ? `next slot ${site.next_slot.slot} at ${moment(site.next_slot.at_ms)}` : null;
  replace(byId("footer"),
    el("p", {}, ["Measured from " + (site.catalogue.vantages.join(", ") || "no vantage point yet"), newest, slot, site.definition && `definition ${site.definition}`, ...site.logs.map(logLine)].filter(Boolean).join(" \u00b7 ")),
    el("p", {}, "All times UTC. Times to first token include the network from the vantage point. Tokens are o200k_base; tokenizers differ, so prices per token do not compare directly."));
}

function logLine(log) {
  if (log.newest_seq === null) return `tables hold ${log.source} up to event ${log.folded_seq.toLocaleString("en-GB")}`;
  const behind = log.newest_seq - log.folded_seq;
  return `log ${log.source}: ${log.newest_seq.toLocaleString("en-GB")} events, tables ${behind > 0 ? `${behind} behind` : "up to date"}`;
}

function layOut(dashboard) {
  cards = dashboard.panels.map((panel) => new PanelCard(dashboard, panel, page));
  const about = dashboard.variables.some((v) => v.required && v.name === "endpoint") ? site.catalogue.endpoints.find((e) => e.name === state.vars.endpoint) : null;
  replace(byId("main"),
    el("div", { class: "page-head" },
      el("h1", {}, about ? about.name : dashboard.title, about?.simulated && badge()),
      el("p", { class: "question" }, about ? endpointLine(about) : dashboard.question)),
    el("div", { class: "grid" }, cards.map((card) => card.root)));
}

function endpointLine(endpoint) {
  return [
    `${endpoint.model} at ${endpoint.provider}`,
    endpoint.dialect,
    `reasoning ${endpoint.reasoning ?? "unknown"}`,
    `quantization ${endpoint.quantization ?? "unknown"}`,
    endpoint.context_tokens && `context ${endpoint.context_tokens.toLocaleString("en-GB")} tokens`,
    endpoint.region && `region ${endpoint.region}`,
  ].filter(Boolean).join(" \u00b7 ");
}

async function refreshPanels(signal) {
  const asked = page.panelQuery();
  await Promise.all(cards.map(async (card) => {
    card.waiting();
    try {
      card.show(await getPanel(card.dashboard.id, card.panel.id, asked, signal));
    } catch (problem) {
      if (problem.name !== "AbortError") card.fail(problem);
    }
  }));
}

async function tick() {
  if (!live || document.hidden || !site || state.attempt || state.to !== "now") return;
  const { signal } = controller;
  try {
    const empty = site.newest_ms === null;
    site = await loadSite(signal);
    drawBanner();
    drawFooter();
    if (empty && site.newest_ms !== null) await open();
    else await refreshPanels(signal);
  } catch (problem) {
    if (problem.name !== "AbortError") announce(problem.message);
  }
}

function failWhole(problem) {
  byId("main").setAttribute("aria-busy", "false");
  replace(byId("main"), el("div", { class: "problem whole", role: "alert" }, el("strong", {}, "The page could not be read."), el("p", {}, problem.message),
    el("button", { type: "button", onclick: () => open() }, "Try again")));
}

function change({ vars = {}, from = state.from, to = state.to }) {
  const next = { ...state, from, to, vars: { ...state.vars, ...vars } };
  for (const name of Object.keys(vars)) delete filledIn[name];
  // Another provider makes a chosen endpoint or account meaningless.
  if ("provider" in vars) for (const name of ["endpoint", "account"]) delete next.vars[name];
  go(dashboardHref(next, next.dashboard));
  announce("Figures updated.");
}

function go(href) {
  history.pushState(null, "", href);
  state = readState();
  return open();
}

function announce(text) {
  byId("announcer").textContent = text;
}

function toggleLive() {
  live = !live;
  drawFrame(currentDashboard());
  byId("tools").querySelector("button").focus();
  announce(live ? "Live refresh is on." : "Live refresh is off.");
  void tick();
}

function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("messwerk-theme", root.dataset.theme);
  } catch {
    // Storage is denied: the choice lasts as long as this tab.
  }
  redraw();
}

function redraw() {
  for (const card of cards) card.redraw();
  redrawAttempt?.();
}

document.addEventListener("click", (event) => {
  const anchor = event.target.closest?.("a[href]");
  if (!anchor || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const url = new URL(anchor.href);
  if (url.origin !== location.origin || anchor.hasAttribute("download") || !/^\/($|d\/|attempt\/)/.test(url.pathname) || (url.hash && url.pathname === location.pathname)) return;
  event.preventDefault();
  scrollTo(0, 0);
  state = readState(url);
  history.pushState(null, "", url);
  void open({ focus: true });
});
addEventListener("popstate", () => {
  state = readState();
  void open();
});
document.addEventListener("visibilitychange", () => { void tick(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

async function refreshForEver() {
  await tick();
  setTimeout(() => { void refreshForEver(); }, site?.history ? PLAYING_MS : REFRESH_MS);
}

void open().then(() => setTimeout(() => { void refreshForEver(); }, site?.history ? PLAYING_MS : REFRESH_MS));
