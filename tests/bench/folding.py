"""How fast events are folded, and how much that disturbs whoever shares the process.

Run by command: ``python tests/bench/folding.py``. Prints figures of this machine; asserts nothing.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from made_events import NOON, MadeLog, endpoint

from projections.embedded import open_embedded, open_in_process
from projections.folding import fold_batch
from projections.registry import PROJECTIONS
from projections.runner import GENTLE, Pace
from projections.source import LogSource
from schemas.definitions import Definitions

RUNS = 400
CHUNKS = 150


def history() -> MadeLog:
    log = MadeLog()
    log.open(*(endpoint(f"endpoint-{n}") for n in range(10)))
    for n in range(RUNS):
        log.run(NOON + timedelta(minutes=n), *({"endpoint": f"endpoint-{k}", "ttft_s": 0.5} for k in range(5)))
    return log


async def lag_us(until: asyncio.Event) -> list[float]:
    """Measure how late the loop wakes from sleeps of one millisecond."""
    late: list[float] = []
    while not until.is_set():
        before = time.perf_counter()
        await asyncio.sleep(0.001)
        late.append((time.perf_counter() - before - 0.001) * 1e6)
    return sorted(late)


async def disturbed(log: MadeLog, pace: Pace) -> tuple[float, list[float]]:
    done = asyncio.Event()
    with tempfile.TemporaryDirectory() as directory:
        async with open_embedded(Path(directory), Definitions(), pace=pace) as tables:
            measuring = asyncio.create_task(lag_us(done))
            begun = time.perf_counter()
            await tables.fold_available(LogSource(log))
            taken = time.perf_counter() - begun
            done.set()
            return len(log.events) / taken, await measuring


async def quiet() -> list[float]:
    done = asyncio.Event()
    measuring = asyncio.create_task(lag_us(done))
    await asyncio.sleep(3)
    done.set()
    return await measuring


async def in_process(log: MadeLog) -> float:
    with tempfile.TemporaryDirectory() as directory:
        async with open_in_process(Path(directory), Definitions()) as tables:
            begun = time.perf_counter()
            await tables.fold_available(LogSource(log))
            return len(log.events) / (time.perf_counter() - begun)


def shown(name: str, late: list[float]) -> None:
    print(
        f"{name:<28} loop late by p50 {late[len(late) // 2]:7.0f} us, "
        f"p99 {late[int(len(late) * 0.99)]:7.0f} us, max {late[-1]:7.0f} us"
    )


def main() -> None:
    log = history()
    print(f"{len(log.events)} events, {RUNS * 5} attempts of {CHUNKS * 10 // 15} chunks")
    begun = time.perf_counter()
    fold_batch(log.events, PROJECTIONS, {}, Definitions())
    print(f"folding alone:       {len(log.events) / (time.perf_counter() - begun):9.0f} events/s")
    rate, fast = asyncio.run(disturbed(log, Pace()))
    print(f"into the child:      {rate:9.0f} events/s")
    rate, gentle = asyncio.run(disturbed(log, GENTLE))
    print(f"gently:              {rate:9.0f} events/s")
    print(f"into this process:   {asyncio.run(in_process(log)):9.0f} events/s")
    shown("nothing folded", asyncio.run(quiet()))
    shown("folding at full speed", fast)
    shown("folding gently", gentle)


if __name__ == "__main__":
    main()
