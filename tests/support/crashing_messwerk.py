"""The command line as it is, in which something breaks that quotes the credentials it was given.

``CRASH`` says where: ``exchange``, in the middle of a request, which is one attempt's failure; ``command``,
outside of everything that is caught, which is the process's end.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator

from daemon.cli import main, run
from daemon.runs.engine import RunEngine
from daemon.transport.contract import PreparedRequest, Signal
from daemon.transport.exchanging import SocketTransport

seen: list[str] = []


async def broken_exchange(_self: SocketTransport, request: PreparedRequest) -> AsyncGenerator[Signal, None]:
    """Break with the request's headers in the message and in local variables."""
    headers = dict(request.headers)
    seen.append(f"{headers} {request.headers!r}")
    raise RuntimeError(f"broken with {seen[-1]}")
    yield


if os.environ["CRASH"] == "command":
    whole = RunEngine.run

    async def broken_run(self: RunEngine, request: object) -> object:
        """Run, and then break with everything that was seen."""
        summary = await whole(self, request)  # type: ignore[arg-type]  # handed through as it came
        asyncio.get_running_loop().call_exception_handler({"message": "lost", "exception": RuntimeError(seen[0])})
        try:
            raise ValueError(seen[0])  # noqa: TRY301  # the cause is wanted, too
        except ValueError as cause:
            raise RuntimeError(f"broken with {seen} after {summary}") from cause

    RunEngine.run = broken_run  # type: ignore[assignment,method-assign]  # a defect is what is wanted

SocketTransport.exchange = broken_exchange  # type: ignore[assignment,method-assign]  # the same
assert run is not None
main()
