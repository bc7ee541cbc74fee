"""Nanoseconds of a wall clock as the store's times. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def utc(wall_ns: int) -> datetime:
    """Aware time in UTC; what is below a microsecond is cut off, for the store keeps microseconds."""
    return _EPOCH + timedelta(microseconds=wall_ns // 1000)


def maybe_utc(wall_ns: int | None) -> datetime | None:
    """Do the same, and leave None alone."""
    return None if wall_ns is None else utc(wall_ns)
