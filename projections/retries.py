"""When a source that stopped is tried again: soon at first, then less and less often. Pure."""

from __future__ import annotations

import msgspec


class Again(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds before the first try and between two tries at the most; each wait is twice the one before."""

    first_s: float = 15.0
    longest_s: float = 900.0

    def wait_s(self, tries: int) -> float:
        """How long to wait after so many tries in vain."""
        # Beyond that the longest wait is long reached, and powers grow without end.
        return min(self.longest_s, self.first_s * 2.0 ** min(tries, 32))


class Retry(msgspec.Struct, frozen=True, kw_only=True):
    """How often a source was tried again in vain, and in how many seconds it is tried next."""

    tries: int
    next_in_s: float


class _Wait(msgspec.Struct):
    seq: int
    tries: int
    at_s: float


class Retries:
    """Which sources wait for their next try. A source that has moved since begins with the first wait again."""

    def __init__(self, again: Again) -> None:
        self._again = again
        self._waits: dict[str, _Wait] = {}

    def stopped(self, source: str, seq: int, now_s: float) -> None:
        """Note that a source stands behind ``seq``; noted again while it waits, nothing changes."""
        wait = self._waits.get(source)
        if wait is None or wait.seq != seq:
            self._waits[source] = _Wait(seq, 0, now_s + self._again.wait_s(0))
        elif now_s >= wait.at_s:
            wait.tries += 1
            wait.at_s = now_s + self._again.wait_s(wait.tries)

    def due(self, now_s: float) -> frozenset[str]:
        """Return the sources whose time has come."""
        return frozenset(source for source, wait in self._waits.items() if now_s >= wait.at_s)

    def forget(self, source: str) -> None:
        """Note that a source goes on."""
        self._waits.pop(source, None)

    def waiting(self, now_s: float) -> dict[str, Retry]:
        """How each source fares that waits."""
        return {
            source: Retry(tries=wait.tries, next_in_s=round(max(0.0, wait.at_s - now_s), 3))
            for source, wait in sorted(self._waits.items())
        }
