"""How much may go to quarantine before the reader stops: a few are an accident, many are a fault. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat

import msgspec

from projections.errors import QuarantineLimitError


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of what may be undecodable; entries that were dropped do not count.

    consecutive: records of one partition, or events of one source, one after the other.
    share: part of the last ``window`` records that this reader read.
    """

    consecutive: int = 10
    share: float = 0.01
    window: int = 1000


class Tally:
    """Counts what was undecodable among the newest records."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bad: deque[bool] = deque(maxlen=limits.window)
        self._runs: dict[str, int] = {}

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Forget what was counted inside when a limit was passed: whoever tries again counts the same records."""
        bad, runs = self._bad.copy(), dict(self._runs)
        try:
            yield
        except QuarantineLimitError:
            self._bad, self._runs = bad, runs
            raise

    def note_good(self, events: int) -> None:
        """Count events that could be decoded."""
        self._bad.extend(repeat(object=False, times=min(events, self._limits.window)))

    def note_source(self, source: str, *, bad: bool) -> None:
        """Count one event of a source, in order."""
        self._runs[source] = self._runs.get(source, 0) + 1 if bad else 0
        if bad:
            self.note_bad(self._runs[source], source=source)

    def note_bad(self, run: int, *, source: str = "") -> None:
        """Count one record as undecodable, the ``run``-th in a row. Raises :class:`QuarantineLimitError`."""
        self._bad.append(True)
        if run > self._limits.consecutive:
            raise QuarantineLimitError(
                f"{run} undecodable records came one after the other{self._advice(source)}", source=source
            )
        bad = sum(self._bad)
        if bad / self._limits.window > self._limits.share:
            raise QuarantineLimitError(
                f"{bad} of the last {self._limits.window} records are undecodable, and "
                f"{self._limits.share:.2%} are allowed{self._advice(source)}",
                source=source,
            )

    def _advice(self, source: str) -> str:
        whose = f"source {source!r}" if source else "an unknown source"
        return (
            f", the last of {whose}: that is no accident, so the reader stops. `messwerk quarantine list` shows "
            "them; upgrade, or drop them with a reason, or raise the limits in [project]"
        )
