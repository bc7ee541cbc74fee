"""What the log keeps about the machine and the build at each start."""

from __future__ import annotations

import ctypes
import platform
import sys
from importlib.metadata import version
from typing import Final

from schemas.events import ClockState, DaemonStarted

_MEASURING_PACKAGES: Final = ("aiohttp", "msgspec", "tiktoken", "pillow", "apscheduler")
"""Packages whose version could change a measured number or a prompt's bytes."""

_TIME_ERROR: Final = 5


class _Timex(ctypes.Structure):
    # struct timex of Linux, as far as the fields read here; the kernel writes the rest into the padding.
    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("padding", ctypes.c_byte * 256),
    )


def clock_state() -> ClockState:
    """Ask the kernel whether something disciplines its wall clock (Linux; elsewhere nothing is known)."""
    if sys.platform != "linux":
        return ClockState(source="system")
    timex = _Timex()
    state = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex))
    if state < 0:
        return ClockState(source="system")
    synchronised = state != _TIME_ERROR
    return ClockState(
        source="adjtimex",
        synchronised=synchronised,
        # Without synchronisation the kernel's estimate is a default, not a reading.
        estimated_error_us=timex.esterror if synchronised else None,
    )


def daemon_started(*, configuration_sha256: str, vantage: str, simulated: bool) -> DaemonStarted:
    """Facts of a start on this machine. ``simulated``: the whole run plays in simulated time."""
    return DaemonStarted(
        build=version("messwerk"),
        configuration_sha256=configuration_sha256,
        vantage=vantage,
        versions={
            "python": platform.python_version(),
            **{package: version(package) for package in _MEASURING_PACKAGES},
        },
        platform=platform.platform(),
        clock=ClockState(source="simulated") if simulated else clock_state(),
        simulated=simulated,
    )
