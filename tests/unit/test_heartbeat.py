"""The daemon's sign of life: who sees what, when it stops, and what systemd hears."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from daemon.cli import cli
from daemon.heartbeat import LATE_S, NotAliveError, keep_beating, last_beat_s, systemd_notifier
from daemon.log import InlineLog
from daemon.paths import DataPaths
from schemas.clocks import ManualClock, SystemClock
from schemas.errors import LogError


@pytest.fixture
def paths(tmp_path: Path) -> DataPaths:
    """Return where the log is, with its folder."""
    paths = DataPaths(tmp_path)
    paths.log.parent.mkdir()
    return paths


async def begun(paths: DataPaths, clock: ManualClock | SystemClock, heard: list[str]) -> asyncio.Task[None]:
    """Begin beating, and return when the first beat is there."""
    log = InlineLog(paths.log, source="here", clock=clock)
    task = asyncio.create_task(keep_beating(paths.alive, log, clock, heard.append))
    await asyncio.sleep(0)
    assert paths.alive.exists()
    return task


async def ended(task: asyncio.Task[None]) -> None:
    """Cancel and wait."""
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_beat_is_seen_and_grows_old(paths: DataPaths) -> None:
    """A fresh beat is alive by the monotonic clock alone; one that is too old is not."""
    clock = ManualClock(10**18)
    task = await begun(paths, clock, [])
    clock.step_wall(-(10**17))
    assert last_beat_s(paths.alive, clock) == 0
    clock.advance(int((LATE_S + 1) * 1e9))
    with pytest.raises(NotAliveError, match="killed or is stuck"):
        last_beat_s(paths.alive, clock)
    await ended(task)


async def test_a_stop_takes_the_file_away(paths: DataPaths) -> None:
    """After an orderly stop nothing is alive, and it is said that nobody measures."""
    await ended(await begun(paths, ManualClock(10**18), []))
    with pytest.raises(NotAliveError, match="no daemon measures here"):
        last_beat_s(paths.alive, ManualClock(10**18))


async def test_another_boot(paths: DataPaths) -> None:
    """A file that a power cut left behind does not pass for life after the next start."""
    task = await begun(paths, ManualClock(10**18, boot="before"), [])
    with pytest.raises(NotAliveError, match="before this machine's last start"):
        last_beat_s(paths.alive, ManualClock(10**18, boot="after"))
    await ended(task)


async def test_a_failed_log_ends_it(paths: DataPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the log has failed the heart stops, although the loop turns."""
    monkeypatch.setattr("daemon.heartbeat.PERIOD_S", 0.001)
    clock = ManualClock(10**18)
    log = InlineLog(paths.log, source="here", clock=clock)
    task = asyncio.create_task(keep_beating(paths.alive, log, clock, lambda _: None))
    await asyncio.sleep(0)
    log._file.failed = LogError("full")
    await task
    assert not paths.alive.exists()


async def test_systemd_hears(paths: DataPaths, tmp_path: Path) -> None:
    """Where systemd listens it hears that the daemon is ready, and that it is alive."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        notify = systemd_notifier({"NOTIFY_SOCKET": str(tmp_path / "notify")})
        log = InlineLog(paths.log, source="here", clock=ManualClock(10**18))
        task = asyncio.create_task(keep_beating(paths.alive, log, ManualClock(10**18), notify))
        heard = [await asyncio.to_thread(listener.recv, 100) for _ in range(2)]
        await ended(task)
    assert heard == [b"READY=1", b"WATCHDOG=1"]
    systemd_notifier({})("READY=1")


@pytest.mark.parametrize("content", [b"", b"[]", b'{"boot": 1}'])
def test_a_damaged_file(paths: DataPaths, content: bytes) -> None:
    """A file that is no beat is no sign of life."""
    paths.alive.write_bytes(content)
    with pytest.raises(NotAliveError, match="cannot be read"):
        last_beat_s(paths.alive, ManualClock(1))


async def test_the_command(paths: DataPaths) -> None:
    """`messwerk alive` says so, and ends with 1 when nobody is."""
    asked = ["alive", "--data", str(paths.root)]
    assert isinstance(CliRunner().invoke(cli, asked).exception, NotAliveError)
    task = await begun(paths, SystemClock(), [])
    done = await asyncio.to_thread(CliRunner().invoke, cli, asked)
    assert (done.exit_code, done.stdout.split(",")[0]) == (0, "alive")
    await ended(task)
