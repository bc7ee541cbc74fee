// Where the reader is, kept in the address: a shared link shows the same page, time and choices.

const RESERVED = new Set(["from", "to"]);
export const DEFAULT_FROM = "now-72h";

export function readState(url = new URL(location.href)) {
  const path = url.pathname.replace(/\/+$/, "");
  const attempt = path.match(/^\/attempt\/([^/]+)$/);
  const dashboard = path.match(/^\/d\/([^/]+)$/);
  const vars = {};
  for (const [name, value] of url.searchParams) if (!RESERVED.has(name)) vars[name] = value;
  return {
    attempt: attempt ? decodeURIComponent(attempt[1]) : null,
    dashboard: dashboard ? decodeURIComponent(dashboard[1]) : "overview",
    from: url.searchParams.get("from") ?? DEFAULT_FROM,
    to: url.searchParams.get("to") ?? "now",
    vars,
  };
}

export function query(state, overrides = {}) {
  const params = new URLSearchParams();
  params.set("from", state.from);
  params.set("to", state.to);
  // An explicit empty value means "all" where a variable has a default of its own.
  for (const [name, value] of Object.entries({ ...state.vars, ...overrides })) params.set(name, value);
  return params.toString();
}

export function dashboardHref(state, dashboard, overrides = {}) {
  return `/d/${encodeURIComponent(dashboard)}?${query(state, overrides)}`;
}

export function attemptHref(state, attempt) {
  return `/attempt/${encodeURIComponent(attempt)}?${query(state)}`;
}

export function chosen(state, variable) {
  return state.vars[variable.name] ?? variable.default;
}
