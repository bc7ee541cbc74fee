"""How figures, times and names are written: three significant digits, units beside them, UTC, a dash for unknown."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

UNKNOWN: Final = "\u2013"
_TO: Final = "\u2013"
_THIN: Final = "\u202f"
_FILE_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")

WORKLOADS: Final[Mapping[str, str]] = {
    "text-10k": "10,000 tokens of text",
    "text-1k": "1,000 tokens of text",
    "text-100k": "100,000 tokens of text",
    "vision": "A picture and 1,000 tokens",
}
"""Workloads in the order in which people read them; others follow by name."""

SCENARIOS: Final[Mapping[str, str]] = {"single": "one request at a time", "parallel-10": "ten requests at once"}

KINDS: Final[Mapping[str, str]] = {
    "primary": "primary",
    "funded": "with credit",
    "anonymous": "anonymous",
    "provider-given": "given by the provider",
}


def number(value: float | None) -> str:
    """Three significant digits, never in powers of ten."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if value == 0:
        return "0"
    places = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(places, 6)}f}"


def quantity(value: float | None, unit: str) -> str:
    """Write a value with its unit behind it; shares as per cent."""
    if value is None:
        return UNKNOWN
    if unit == "share":
        return share(value)
    return f"{number(value)}{_THIN}{unit}"


def share(value: float | None) -> str:
    """Write a share from 0 to 1 as per cent; 100 % only when it is all."""
    if value is None:
        return UNKNOWN
    percent = value * 100
    shown = f"{percent:.1f}"
    if shown == "100.0" and percent < 100:
        shown = "99.9"
    return f"{shown.removesuffix('.0') if percent in (0, 100) else shown}{_THIN}%"


def interval(low: float | None, high: float | None) -> str:
    """Write both ends, or nothing where one is unknown."""
    return "" if low is None or high is None else f"{number(low)}{_TO}{number(high)}"


def share_interval(low: float | None, high: float | None) -> str:
    """Write both ends of a share's interval, or nothing where one is unknown."""
    return "" if low is None or high is None else f"{share(low)}{_TO}{share(high)}"


def count(value: int) -> str:
    """Write an integer with commas."""
    return f"{value:,}"


def day(moment: datetime) -> str:
    """Write a date."""
    return f"{moment:%Y-%m-%d}"


def minute(moment: datetime) -> str:
    """Write a time in UTC, to the minute."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def iso(moment: datetime) -> str:
    """Write a time in UTC for programs."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def file_name(name: str) -> str:
    """Name a page after an endpoint. A name that no file should have gets a part of its hash instead."""
    if _FILE_NAME.fullmatch(name) and name not in {"index", "methodology"}:
        return f"{name}.html"
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
    return f"{plain or 'endpoint'}-{hashlib.sha256(name.encode()).hexdigest()[:8]}.html"


def workload_rank(workload: str, scenario: str) -> tuple[int, str, int, str]:
    """Order of sections: workloads as people read them, each alone before in parallel."""
    known, alone = list(WORKLOADS), list(SCENARIOS)
    return (
        known.index(workload) if workload in known else len(known),
        workload,
        alone.index(scenario) if scenario in alone else len(alone),
        scenario,
    )


def workload_title(workload: str) -> str:
    """Say what is sent."""
    return WORKLOADS.get(workload, workload)


def scenario_title(scenario: str) -> str:
    """Say how it is sent."""
    return SCENARIOS.get(scenario, scenario)
