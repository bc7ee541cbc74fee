"""When a server wants to be asked again: ``Retry-After`` in all the shapes it comes in.

RFC 9110, section 10.2.3 allows whole seconds and HTTP dates; servers send fractions as well, and some add
``retry-after-ms``, which is more exact and therefore comes first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime

_NS_PER_S = 1_000_000_000


def retry_after_s(headers: Sequence[tuple[str, str]], now_wall_ns: int) -> float | None:
    """Seconds to wait from ``now_wall_ns`` on; 0 for the past, None when absent or nonsense."""
    values: dict[str, str] = {}
    for name, value in headers:
        values.setdefault(name.lower(), value.strip())
    milliseconds = _number(values.get("retry-after-ms", ""))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    value = values.get("retry-after", "")
    seconds = _number(value)
    if seconds is not None:
        return max(0.0, seconds)
    return _until(value, now_wall_ns)


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in value else None


def _until(value: str, now_wall_ns: int) -> float | None:
    try:
        moment = parsedate_to_datetime(value)
        if moment.tzinfo is None:  # "-0000": a date that does not say where; HTTP dates are all in UTC
            moment = moment.replace(tzinfo=UTC)
        return max(0.0, moment.timestamp() - now_wall_ns / _NS_PER_S)
    except (ValueError, OverflowError, IndexError, TypeError):
        return None
