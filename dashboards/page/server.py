"""Serving the page: one listening socket, a URL to print, and a clear word when the port is taken."""

from __future__ import annotations

import errno
from types import TracebackType
from typing import Self

from aiohttp import web

from dashboards.page.errors import PageError, PagePortError


class PageServer:
    """A page that is being served; ``async with`` or :meth:`close` ends it."""

    def __init__(self, runner: web.AppRunner, url: str) -> None:
        self._runner = runner
        self.url = url

    async def close(self) -> None:
        """Stop listening, and let answers under way finish."""
        await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def serve_page(app: web.Application, host: str = "127.0.0.1", port: int = 0) -> PageServer:
    """Serve ``app``; port 0 takes a free one. Raises :class:`PagePortError` or :class:`PageError`."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=2.0)
    await runner.setup()
    site = web.TCPSite(runner, host, port)
    try:
        await site.start()
    except OSError as problem:
        await runner.cleanup()
        if problem.errno == errno.EADDRINUSE:
            raise PagePortError(
                f"page: {host}:{port} is taken by another program (perhaps a second messwerk); stop that one, or set "
                "another port with --port, or in messwerk.toml, [page], port"
            ) from problem
        raise PageError(
            f"page: cannot listen on {host}:{port}: {problem.strerror or problem}; set another host or port in "
            "messwerk.toml, [page]"
        ) from problem
    bound = runner.addresses[0]
    shown = f"[{bound[0]}]" if ":" in bound[0] else bound[0]
    return PageServer(runner, f"http://{shown}:{bound[1]}/")
