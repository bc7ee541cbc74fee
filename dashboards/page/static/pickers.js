// The bar of choices: time, and every variable of the dashboard.

import { el, replace } from "./dom.js";
import { chosen } from "./state.js";

const SPANS = [["now-24h", "24 h"], ["now-72h", "72 h"], ["now-7d", "7 d"], ["now-14d", "14 d"]];

export function drawPickers(host, dashboard, site, state, change) {
  const focused = document.activeElement?.id;
  const custom = !(state.to === "now" && SPANS.some(([from]) => from === state.from));
  const form = el("form", { class: "pickers", "aria-label": "What is shown", onsubmit: (event) => event.preventDefault() },
    el("fieldset", { class: "segments" },
      el("legend", {}, "Time (UTC)"),
      SPANS.map(([from, title]) => segment(`span-${from}`, title, !custom && state.from === from, () => change({ from, to: "now" }))),
      segment("span-custom", "Custom", custom, () => {
        custom_.hidden = false;
        custom_.querySelector("input").focus();
      })),
    dashboard.variables.map((variable) => picker(variable, site, state, change)));
  const custom_ = customSpan(state, site, change, custom);
  form.append(custom_);
  replace(host, form);
  if (focused) document.getElementById(focused)?.focus();
}

function segment(id, title, checked, choose) {
  return el("label", { class: "segment" },
    el("input", { type: "radio", name: "span", id, checked, onchange: choose }), el("span", {}, title));
}

function customSpan(state, site, change, shown) {
  const from = el("input", { type: "datetime-local", id: "from", value: field(absolute(state.from, site.now_ms)) });
  const to = el("input", { type: "datetime-local", id: "to", value: field(absolute(state.to, site.now_ms)) });
  const apply = () => {
    if (!from.value || !to.value) return;
    change({ from: `${from.value}Z`, to: `${to.value}Z` });
  };
  return el("div", { class: "custom", hidden: !shown },
    el("label", {}, "From", from), el("label", {}, "To", to), el("button", { type: "button", onclick: apply }, "Apply"));
}

function absolute(text, now) {
  const relative = text.match(/^now(?:-(\d+)([mhd]))?$/);
  if (relative) return now - (relative[1] ? Number(relative[1]) * { m: 60e3, h: 3600e3, d: 86400e3 }[relative[2]] : 0);
  return /^\d+$/.test(text) ? Number(text) : Date.parse(text.endsWith("Z") ? text : `${text}Z`);
}

function field(ms) {
  return Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 16) : "";
}

function picker(variable, site, state, change) {
  const value = chosen(state, variable);
  const options = optionsOf(variable, site, state);
  if (value && !options.some((o) => o.value === value)) options.push({ value, title: `${value} (unknown)` });
  return el("label", { class: "picker" }, el("span", {}, variable.title),
    el("select", { id: `pick-${variable.name}`, onchange: (event) => change({ vars: { [variable.name]: event.target.value } }) },
      !variable.required && el("option", { value: "", selected: value === "" }, variable.all_title),
      options.map((o) => el("option", { value: o.value, selected: o.value === value }, o.title))));
}

function optionsOf(variable, site, state) {
  const { catalogue } = site;
  const provider = state.vars.provider ?? "";
  const plain = (values) => values.map((value) => ({ value, title: value }));
  if (variable.choices.length) return variable.choices.map((value) => ({ value, title: `${value} ${variable.unit}`.trim() }));
  switch (variable.name) {
    case "endpoint":
      return catalogue.endpoints.filter((e) => !provider || e.provider === provider)
        .map((e) => ({ value: e.name, title: e.simulated ? `${e.name} (simulated)` : e.name }));
    case "provider": return plain(catalogue.providers);
    case "account":
      return catalogue.accounts.filter((a) => !provider || a.provider === provider).map((a) => ({ value: a.name, title: `${a.name} (${a.kind})` }));
    case "vantage": return plain(catalogue.vantages);
    case "workload": return plain(catalogue.workloads);
    case "catalogue": return plain(catalogue.task_catalogues);
    default: return plain(catalogue.scenarios);
  }
}
