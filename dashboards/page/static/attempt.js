// The page of one attempt: its timeline drawn, its facts, its request, its text, its events.

import { getAttempt } from "./api.js";
import { badge, caption, el, replace } from "./dom.js";
import { exact, withUnit } from "./format.js";
import { dashboardHref } from "./state.js";
import { drawTimeline } from "./timeline.js";

export async function drawAttempt(main, state, site, signal) {
  replace(main, el("div", { class: "placeholder" }, "Reading\u2026"));
  let attempt;
  try {
    attempt = await getAttempt(state.attempt, signal);
  } catch (problem) {
    if (problem.name === "AbortError") return null;
    replace(main, el("div", { class: "problem whole", role: "alert" }, el("strong", {}, "This attempt cannot be shown."), el("p", {}, problem.message)));
    return null;
  }
  const timeline = el("div", { class: "panel-body" });
  replace(main,
    el("div", { class: "page-head" },
      el("p", { class: "crumb" }, el("a", { href: dashboardHref(state, "endpoint", { endpoint: attempt.endpoint }) }, attempt.endpoint), " / attempt"),
      el("h1", {}, attempt.title, el("span", { class: `pill state-${attempt.outcome_state}` }, attempt.outcome), attempt.simulated && badge()),
      el("p", { class: "question mono" }, attempt.id)),
    attempt.failure && el("section", { class: "panel w-full problem-panel", "aria-labelledby": "failure" },
      el("header", { class: "panel-head" }, el("h2", { id: "failure" }, "What went wrong")),
      el("div", { class: "panel-body" }, el("p", {}, el("strong", {}, attempt.failure.kind), ": ", attempt.failure.message),
        attempt.failure.body && el("pre", { tabindex: "0" }, attempt.failure.body))),
    el("div", { class: "grid" },
      section("timeline", "Timeline", "w-full", timeline),
      el("div", { class: "stack w-half" },
        section("figures", "Figures", "", facts(attempt.figures)),
        section("usage", "Tokens counted and billed", "", usage(attempt.usage)),
        section("request", "Request parameters", "", parameters(attempt.parameters)),
        section("judgments", "Judgments", "", judgments(attempt.judgments))),
      section("facts", "Facts", "w-half", facts(attempt.facts)),
      attempt.texts.map((text) => section(`text-${text.channel}`, text.channel === "answer" ? "Answer" : "Reasoning", attempt.texts.length > 1 ? "w-half" : "w-full", received(text))),
      section("events", "Events", "w-full", events(attempt.events))));
  let drawn = drawTimeline(timeline, attempt);
  return () => {
    drawn?.destroy();
    replace(timeline);
    drawn = drawTimeline(timeline, attempt);
  };
}

function section(id, title, width, body) {
  return el("section", { class: `panel ${width}`, "aria-labelledby": `h-${id}`, id },
    el("header", { class: "panel-head" }, el("h2", { id: `h-${id}` }, title)), body.classList?.contains("panel-body") ? body : el("div", { class: "panel-body" }, body));
}

function facts(rows) {
  if (!rows.length) return el("p", { class: "empty" }, "Nothing is known.");
  return el("table", { class: "facts" }, el("tbody", {}, rows.map((row) =>
    el("tr", {}, el("th", { scope: "row" }, row.title),
      el("td", { class: row.unit === "text" ? "words" : "num" }, row.unit === "time" ? exact(row.value) : withUnit(row.value, row.unit),
        row.note && el("span", { class: "n" }, ` ${row.note}`))))));
}

function usage(rows) {
  return el("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": "Tokens counted and billed" }, el("table", { class: "data" }, caption("Tokens counted here with o200k_base against tokens that the provider reports"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Part"), el("th", { scope: "col", class: "num" }, "Counted, o200k_base"), el("th", { scope: "col", class: "num" }, "Reported by the provider"))),
    el("tbody", {}, rows.map((row) => el("tr", {}, el("th", { scope: "row" }, row.title),
      el("td", { class: "num" }, withUnit(row.counted, "count")), el("td", { class: "num" }, withUnit(row.reported, "count")))))));
}

function parameters(values) {
  const names = Object.keys(values ?? {});
  if (!names.length) return el("p", { class: "empty" }, "No request was sent, so there are no parameters.");
  return el("table", { class: "facts" }, el("tbody", {}, names.map((name) =>
    el("tr", {}, el("th", { scope: "row", class: "mono" }, name), el("td", { class: "mono words" }, JSON.stringify(values[name]))))));
}

function received(text) {
  return [
    el("p", { class: "meta" }, `${withUnit(text.characters, "count")} characters \u00b7 ${withUnit(text.tokens, "tokens")} \u00b7 ${withUnit(text.chunks, "count")} chunks \u00b7 SHA-256 `,
      el("span", { class: "mono break" }, text.sha256)),
    text.text === null
      ? el("p", { class: "empty" }, text.where)
      : el("pre", { class: "answer", tabindex: "0", "aria-label": "Text as received" }, text.text),
  ];
}

function judgments(rows) {
  if (!rows.length) return el("p", { class: "empty" }, "Nobody has judged this attempt yet: performance workloads have no judge.");
  return el("ul", {}, rows.map((row) => el("li", {}, JSON.stringify(row))));
}

function events(rows) {
  if (!rows.length) return el("p", { class: "empty" }, "The tables hold no events of this attempt yet.");
  return rows.map((event) => el("details", { class: "event" },
    el("summary", {}, el("strong", {}, event.type), el("span", { class: "meta" }, ` ${event.source} #${event.seq} \u00b7 ${exact(event.wall_ms)}`)),
    el("pre", { tabindex: "0" }, event.json)));
}
