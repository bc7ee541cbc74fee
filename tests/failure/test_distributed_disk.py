"""A disk that runs full, fails or is slow under the log of a daemon that also forwards, by injected system calls.

Clocks that jump are played in the simulation instead (``tests/support/simulated_cluster.py``: every life of a
process may begin with a corrected wall clock).
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from daemons import ReferenceServerThread, wait_until
from forwarding_topic import made_topic
from installation import Installation, Place, installation

from tests.support.kafka import KafkaBroker

pytestmark = [pytest.mark.strace, pytest.mark.kafka, pytest.mark.clickhouse, pytest.mark.timeout(300)]


@pytest.fixture
async def made(
    tmp_path: Path, kafka_broker: KafkaBroker, reference: ReferenceServerThread
) -> AsyncIterator[Installation]:
    with installation(tmp_path, kafka_broker, await made_topic(kafka_broker), reference.base_url) as one:
        yield one


@contextmanager
def injected(place: Place, calls: str, fault: str) -> Iterator[Path]:
    """Make system calls of a daemon upon its log's files fail or wait; yields what strace notes."""
    noted = place.root / "strace"
    log = str(place.paths.log)
    strace = subprocess.Popen(
        [
            "strace", "-f", "-q", "-p", str(place.daemon.process.pid), "-o", str(noted),
            "-P", log, "-P", f"{log}-wal", "-e", f"trace={calls}", "-e", f"inject={calls}:{fault}",
        ],
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield noted
    finally:
        strace.send_signal(signal.SIGTERM)
        strace.wait()


@pytest.mark.parametrize(
    ("calls", "fault", "said"),
    [
        ("pwrite64", "error=ENOSPC", "disk full; measuring stops"),
        ("fdatasync,fsync", "error=EIO", "SQLITE_IOERR"),
    ],
)
async def test_a_log_that_cannot_be_written(made: Installation, calls: str, fault: str, said: str) -> None:
    """The daemon ends and says why and what is safe; started again with a sound disk it goes on, and no law broke."""
    place = made.place("ill-disk")
    place.start()
    await asyncio.to_thread(place.wait_for, 60, "it measures")
    with injected(place, calls, fault) as noted:
        await asyncio.to_thread(wait_until, lambda: not place.daemon.alive, "it ends")
        assert "INJECTED" in noted.read_text()
    assert place.daemon.end(signal.SIGTERM) == 1
    text = place.said.read_text()
    assert said in text
    assert "are safe; free space and restart" in text or "may or may not be there" in text
    place.start()
    await asyncio.to_thread(place.wait_for, 60, "it measures again")
    await made.settle()
    assert not (await made.history()).broken_laws()


async def test_a_slow_disk(made: Installation) -> None:
    """With every sync of the log taking 0.3 s the daemon measures and forwards on, and no law is broken."""
    place = made.place("slow-disk")
    place.start()
    await asyncio.to_thread(place.wait_for, 60, "it measures")
    with injected(place, "fdatasync,fsync", "delay_enter=300000") as noted:
        await asyncio.to_thread(place.wait_for, 60, "it measures slowly")
        wanted = place.end_of_log
        await asyncio.to_thread(wait_until, lambda: place.marked >= wanted, "it forwards")
        assert "DELAYED" in noted.read_text()
        place.stop()
    await made.settle()
    assert not (await made.history()).broken_laws()
