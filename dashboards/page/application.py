"""The page's web application: one document, its files, and a JSON interface over the named queries.

Every route reads; nothing can be changed through the page. What a request gets wrong is answered with 400
and the parameter at fault, what the tables refuse with 503 and their words.
"""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec
from aiohttp import web

from dashboards.page import static_files
from dashboards.page.asking import aligned, ask_panel, step_s, takes_step
from dashboards.page.attempts import describe_attempt, read_attempt_id
from dashboards.page.contract import Ask, Surroundings
from dashboards.page.errors import BadRequestError, NotFoundError
from dashboards.page.figures import panel_figures, to_csv
from dashboards.page.parameters import Choice, read_choice
from dashboards.page.refusals import refusal
from dashboards.page.security import Handler, guard
from dashboards.page.site import describe_site
from dashboards.panels import Dashboard, Panel
from dashboards.registry import DASHBOARDS
from projections.errors import QueryError
from projections.queries.contract import QueryTable
from schemas.errors import MesswerkError

_encoder: Final = msgspec.json.Encoder(decimal_format="number")
_QUERIES_AT_ONCE: Final = 4
"""A page asks a dozen things at the same moment; the tables' own server is one small process."""


def make_page(ask: Ask, around: Surroundings) -> web.Application:
    """Build the application over whatever answers named queries."""
    app = web.Application(middlewares=[guard(around.allowed_hosts), _refusals])
    page = _Page(ask, around)
    files = static_files.load_files()
    document = files["/static/index.html"]

    async def index(request: web.Request) -> web.Response:
        return static_files.answer(request, document)

    async def file(request: web.Request) -> web.Response:
        found = files.get(request.path)
        if found is None:
            raise NotFoundError("there is no such file", where=request.path)
        return static_files.answer(request, found)

    app.router.add_get("/", index)
    app.router.add_get("/d/{dashboard}", index)
    app.router.add_get("/attempt/{attempt}", index)
    app.router.add_get("/static/{name}", file)
    app.router.add_get("/vendor/{name}", file)
    app.router.add_get("/api/site", page.site)
    app.router.add_get("/api/dashboards", page.dashboards)
    app.router.add_get("/api/panel/{dashboard}/{panel}.csv", page.panel_csv)
    app.router.add_get("/api/panel/{dashboard}/{panel}", page.panel)
    app.router.add_get("/api/attempt/{attempt}", page.attempt)
    return app


class _Asked(msgspec.Struct, frozen=True, kw_only=True):
    dashboard: Dashboard
    panel: Panel
    choice: Choice
    width_s: int | None


class _Page:
    """The JSON interface's handlers."""

    def __init__(self, ask: Ask, around: Surroundings) -> None:
        self._answer = ask
        self._around = around
        self._turns = asyncio.Semaphore(_QUERIES_AT_ONCE)

    async def _ask(self, name: str, **parameters: object) -> QueryTable:
        async with self._turns:
            return await self._answer(name, **parameters)

    async def site(self, request: web.Request) -> web.Response:
        return _json(request, await describe_site(self._ask, self._around))

    async def dashboards(self, request: web.Request) -> web.Response:
        return _json(request, list(DASHBOARDS.values()))

    async def panel(self, request: web.Request) -> web.Response:
        asked = self._read(request)
        answer = await ask_panel(self._ask, asked.panel, asked.choice, asked.width_s)
        figures = panel_figures(asked.dashboard.id, asked.panel, answer, asked.choice, step_s=asked.width_s)
        return _json(request, figures)

    async def panel_csv(self, request: web.Request) -> web.Response:
        asked = self._read(request)
        answer = await ask_panel(self._ask, asked.panel, asked.choice, asked.width_s)
        response = static_files.conditional(request, to_csv(answer).encode(), content_type="text/csv")
        name = f"messwerk-{asked.dashboard.id}-{asked.panel.id}.csv"
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return response

    async def attempt(self, request: web.Request) -> web.Response:
        attempt = read_attempt_id(request.match_info["attempt"])
        return _json(request, await describe_attempt(self._ask, attempt))

    def _read(self, request: web.Request) -> _Asked:
        name = request.match_info["dashboard"]
        dashboard = DASHBOARDS.get(name)
        if dashboard is None:
            raise NotFoundError(
                f"there is no dashboard {name!r}; there are {', '.join(DASHBOARDS)}", where="dashboard"
            )
        panel_id = request.match_info["panel"]
        panel = dashboard.panel(panel_id)
        if panel is None:
            known = ", ".join(panel.id for panel in dashboard.panels)
            raise NotFoundError(f"{dashboard.id} has no panel {panel_id!r}; it has {known}", where="panel")
        choice = read_choice(request.query, dashboard, now_ms=self._around.present_ms())
        width_s = step_s(choice.to_ms - choice.from_ms, panel.step) if takes_step(panel) else None
        return _Asked(dashboard=dashboard, panel=panel, choice=aligned(choice, panel), width_s=width_s)


@web.middleware
async def _refusals(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except BadRequestError as problem:
        return refusal(request, 404 if isinstance(problem, NotFoundError) else 400, problem.what, problem.where)
    except QueryError as problem:
        return refusal(request, 400, str(problem), request.path)
    except MesswerkError as problem:
        return refusal(request, 503, str(problem), request.path)
    except web.HTTPNotFound:
        return refusal(request, 404, "there is nothing at this address", request.path)
    except web.HTTPException as answer:
        if answer.status < 400:
            raise
        return refusal(request, answer.status, answer.reason, request.path)


def _json(request: web.Request, value: object) -> web.Response:
    return static_files.conditional(request, _encoder.encode(value), content_type="application/json")
