"""A sign of life from the measuring event loop, for supervisors: a small file, and systemd's watchdog if it asks.

A process that exists may still be stuck. What is written here can only be written by a loop that turns, over a log
that works. Nobody may conclude anything about measurements from it.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from schemas.clocks import Clock
from schemas.errors import MesswerkError
from schemas.log import LogWriter

PERIOD_S: Final = 10.0
LATE_S: Final = 60.0
"""After so long without a beat a daemon counts as stuck."""


class NotAliveError(MesswerkError):
    """No daemon measures into this data directory, or it is stuck."""


class Beat(msgspec.Struct, frozen=True):
    """One sign of life: when, on which boot's monotonic clock, and of which process."""

    boot: str
    mono_ns: int
    process: int


async def keep_beating(path: Path, log: LogWriter, clock: Clock, notify: Callable[[str], None]) -> None:
    """Beat until cancelled, or until the log has failed; then the file goes with the last breath.

    notify: gets systemd's words: ready once, alive with every beat.
    """
    notify("READY=1")
    try:
        while log.failed is None:
            # First, because a disk that refuses this file must not have a daemon ended whose log still works.
            notify("WATCHDOG=1")
            _write(path, Beat(clock.boot, clock.mono_ns(), os.getpid()))
            await asyncio.sleep(PERIOD_S)
    finally:
        _remove(path)


def _write(path: Path, beat: Beat) -> None:
    scrap = path.with_name(f".{path.name}.new")
    scrap.write_bytes(msgspec.json.encode(beat))
    scrap.replace(path)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


def last_beat_s(path: Path, clock: Clock) -> float:
    """Return how long ago the last beat was. Raises :class:`NotAliveError` when it is too long ago, or never was."""
    try:
        beat = msgspec.json.decode(path.read_bytes(), type=Beat)
    except FileNotFoundError as problem:
        raise NotAliveError(
            f"no daemon measures here: there is no {path}; start one, or see why it stopped"
        ) from problem
    except (OSError, msgspec.MsgspecError) as problem:
        raise NotAliveError(f"{path} cannot be read: {problem}") from problem
    if beat.boot != clock.boot:
        raise NotAliveError(f"{path} is from before this machine's last start: no daemon has measured here since")
    age_s = (clock.mono_ns() - beat.mono_ns) / 1e9
    if age_s > LATE_S:
        raise NotAliveError(
            f"the daemon's last sign of life is {age_s:.0f} s old (process {beat.process}): it was killed or is "
            "stuck; restart it"
        )
    return age_s


def systemd_notifier(environment: Mapping[str, str]) -> Callable[[str], None]:
    """Return what tells systemd, by its protocol of one datagram a message; nothing where systemd does not ask."""
    address = environment.get("NOTIFY_SOCKET")
    if not address:
        return lambda _: None
    target = "\0" + address[1:] if address.startswith("@") else address

    def notify(message: str) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
            sender.setblocking(False)  # noqa: FBT003  # the library's signature
            sender.sendto(message.encode(), target)

    return notify
