"""A rebuild in a process of its own, to be killed: as a script it takes a login on its input."""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta

import msgspec
from made_events import NOON, MadeLog, endpoint

from projections.pace import Pace
from projections.rebuild import rebuild
from projections.registry import PROJECTIONS
from projections.source import LogSource
from projections.store import claims
from projections.store.clickhouse import ClickHouseStore
from projections.store.login import Login
from schemas.definitions import Definitions


def history() -> MadeLog:
    """Return the same log every time."""
    log = MadeLog()
    log.open(endpoint(), endpoint("deep", reasoning="hidden"))
    for hour in range(40):
        log.run(NOON + timedelta(hours=3 * hour), {}, {"endpoint": "deep"}, {"failure_kind": "overloaded"})
    return log


async def _main() -> None:
    claims.USUAL = claims.Patience(renew_s=0.2, dead_after_s=2)  # type: ignore[misc]  # killed claims lapse soon
    store = await ClickHouseStore.log_in(msgspec.json.decode(sys.stdin.buffer.read(), type=Login))
    print("begun", flush=True)
    while True:
        await rebuild(store, LogSource(history()), PROJECTIONS, Definitions(), pace=Pace(batch_events=30))


if __name__ == "__main__":
    asyncio.run(_main())
