// Requests to the page's own server; errors keep the server's words.

export class ServerError extends Error {
  constructor(status, message, where) {
    super(message);
    this.status = status;
    this.where = where;
  }
}

async function get(path, signal) {
  let response;
  try {
    response = await fetch(path, { signal, headers: { Accept: "application/json" }, cache: "no-cache" });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new ServerError(0, "The page's server does not answer. Is messwerk still running?", path);
  }
  const body = await response.json().catch(() => null);
  if (!response.ok) {
    throw new ServerError(response.status, body?.error?.what ?? `The server answered ${response.status}.`, body?.error?.where ?? path);
  }
  return body;
}

export const getSite = (signal) => get("/api/site", signal);
export const getPanel = (dashboard, panel, query, signal) =>
  get(`/api/panel/${encodeURIComponent(dashboard)}/${encodeURIComponent(panel)}?${query}`, signal);
export const getAttempt = (id, signal) => get(`/api/attempt/${encodeURIComponent(id)}`, signal);
export const csvHref = (dashboard, panel, query) =>
  `/api/panel/${encodeURIComponent(dashboard)}/${encodeURIComponent(panel)}.csv?${query}`;
