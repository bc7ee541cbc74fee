"""Health and readiness of a projecting process over HTTP, for supervisors and orchestrators.

``/health`` answers 200 while the process is worth keeping, 503 once nothing moves. ``/ready`` answers 200 while
everything is folded as it should be: 503 while starting, in trouble, stalled, or with a source that stopped. Both
carry the whole report as JSON. There is no password, so it listens on loopback unless told otherwise.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec
from aiohttp import web

from projections.errors import HealthPortError
from projections.service import ServiceReport

_NO_CACHE = {"Cache-Control": "no-store"}


def make_health(report: Callable[[], ServiceReport]) -> web.Application:
    """Return the application."""

    async def health(_: web.Request) -> web.Response:
        now = report()
        return _answer(now, fine=now.phase != "stalled")

    async def ready(_: web.Request) -> web.Response:
        now = report()
        return _answer(now, fine=now.ready)

    app = web.Application()
    app.router.add_get("/health", health)
    app.router.add_get("/ready", ready)
    return app


@asynccontextmanager
async def serve_health(report: Callable[[], ServiceReport], host: str, port: int) -> AsyncIterator[str]:
    """Serve while the context lasts and yield the address; port 0 takes a free one.

    Raises :class:`HealthPortError` when nothing can listen there.
    """
    runner = web.AppRunner(make_health(report), access_log=None, shutdown_timeout=2.0)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as problem:
            raise HealthPortError(
                f"health: cannot listen on {host}:{port}: {problem.strerror or problem}; set another health_host or "
                "health_port in messwerk.toml, [project] (port 0 takes a free one)"
            ) from problem
        bound = runner.addresses[0]
        shown = f"[{bound[0]}]" if ":" in bound[0] else bound[0]
        yield f"http://{shown}:{bound[1]}"
    finally:
        await runner.cleanup()


def _answer(report: ServiceReport, *, fine: bool) -> web.Response:
    return web.Response(
        body=msgspec.json.encode(report),
        status=200 if fine else 503,
        content_type="application/json",
        headers=_NO_CACHE,
    )
