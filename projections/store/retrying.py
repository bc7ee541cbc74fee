"""Which refusals are worth another try, and how long to wait for it.

Only what may be carried out twice is repeated: reads, and inserts under a deduplication token. The server
drops the second of two inserts with one token when it commits, also while the first is still under way, so
a connection that was lost after the insert had been carried out leaves one copy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import aiohttp
import msgspec
from clickhouse_connect.driver.exceptions import ClickHouseError, Error, OperationalError

from projections.errors import StoreBusyError, StoreError, StoreLostError

T = TypeVar("T")

Sleep = Callable[[float], Awaitable[object]]

LOST: Final = (OperationalError, aiohttp.ClientError, TimeoutError, ConnectionError)
"""What a client raises when nobody knows whether the server carried the statement out."""

BUSY: Final = {
    159: "it took too long",
    202: "too many queries at once",
    209: "a socket timed out",
    210: "its network failed",
    225: "its keeper is not to be reached",
    236: "it is stopping",
    241: "short of memory",
    242: "the table is read-only for now",
    243: "short of disk space",
    252: "too many parts: merges lag behind inserts",
    279: "no replica could be reached",
    285: "too few replicas are alive for the quorum",
    286: "an earlier insert has no quorum yet",
    289: "this replica lags behind the quorum",
    319: "nobody knows yet whether the insert was carried out",
    394: "somebody cancelled it",
    439: "no thread was free",
    745: "it is overloaded",
    999: "its keeper failed",
}
"""Error codes of ClickHouse that pass by themselves, and what to tell of them."""

_DISK: Final = ("Read-only file system", "No space left on device", "Input/output error")
_SHOWN: Final = 200


class Patience(msgspec.Struct, frozen=True):
    """Waits before the second, third … try, in seconds."""

    waits_s: tuple[float, ...] = (0.1, 0.3, 1.0, 3.0, 5.0)


async def repeated(
    action: Callable[[], Awaitable[T]],
    what: str,
    *,
    patience: Patience,
    recover: Callable[[], Awaitable[object]] | None = None,
    sleep: Sleep = asyncio.sleep,
) -> T:
    """Carry out something that may safely happen twice, until it succeeds or patience ends.

    ``recover`` brings the server back after a lost connection. Raises :class:`StoreLostError`,
    :class:`StoreBusyError`, or :class:`StoreError` for what no waiting can mend.
    """
    for wait_s in (*patience.waits_s, None):
        try:
            return await action()
        except (ClickHouseError, *LOST) as problem:
            failure = classified(problem, what)
            if wait_s is None or not isinstance(failure, StoreLostError | StoreBusyError):
                raise failure from problem
            if isinstance(failure, StoreLostError) and recover is not None:
                await recover()
        await sleep(wait_s)
    raise AssertionError("the last try returns or raises")


def classified(problem: Exception, what: str) -> StoreError:
    """Say in our own terms what a client library raised during ``what``."""
    code = problem.code if isinstance(problem, Error) else None
    if code in BUSY:
        return StoreBusyError(f"the tables' server is not able to for now ({BUSY[code]}): {brief(what)}: {problem}")
    if code is not None and any(words in str(problem) for words in _DISK):
        return StoreBusyError(f"the tables' server cannot write to its disk: {brief(what)}: {problem}")
    if code is None and isinstance(problem, LOST):
        return StoreLostError(
            f"the connection to the tables broke during: {brief(what)}: {problem}; it may have been carried out"
        )
    return StoreError(f"the tables refused: {brief(what)}: {problem}")


def brief(text: str) -> str:
    """Beginning of a statement on one line."""
    return " ".join(text.split())[:_SHOWN]
