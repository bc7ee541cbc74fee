"""Work that must come to its end although whoever waits for it is cancelled: what the log has to be told."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def uninterrupted(work: Coroutine[Any, Any, T]) -> T:
    """Carry ``work`` to its end and return its result or raise its error.

    A cancellation that arrives meanwhile, however often, is raised when the work is done; an error of the
    work comes first, since nobody else would hear of it.
    """
    task = asyncio.get_running_loop().create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as problem:
            cancelled = problem
    result = task.result()
    if cancelled is not None:
        raise cancelled
    return result
