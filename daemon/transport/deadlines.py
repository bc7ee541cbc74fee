"""When an exchange has taken too long, and by which of its limits. Pure arithmetic over monotonic times."""

from __future__ import annotations

import msgspec

from daemon.transport.contract import EndCause, Limits, Read, Responded, Signal

_NS_PER_S = 1_000_000_000


class Due(msgspec.Struct, frozen=True):
    """A moment, and what it means when nothing has happened until then."""

    mono_ns: int
    cause: EndCause
    message: str


class Deadlines:
    """The limits of one exchange, from the moment its request was sent.

    ``total_s`` and ``first_byte_s`` count from there; ``silence_s`` counts from the latest byte of a response
    that has begun. Connecting has a limit of its own and is over by then.
    """

    def __init__(self, limits: Limits, sent_mono_ns: int) -> None:
        self._limits = limits
        self._total_ns = sent_mono_ns + round(limits.total_s * _NS_PER_S)
        self._first_byte_ns = sent_mono_ns + round(limits.first_byte_s * _NS_PER_S)

    @property
    def earliest_ns(self) -> int:
        """The first moment at which the exchange can end by a limit."""
        return min(self._total_ns, self._first_byte_ns)

    def past(self, signal: Signal) -> bool:
        """Tell whether bytes arrived after the exchange should have ended, whenever they are looked at."""
        match signal:
            case Read():
                return signal.mono_ns > self._total_ns
            case Responded():
                return signal.first_byte_mono_ns > self.earliest_ns
            case _:
                return False

    def next(self, first_byte_ns: int | None, last_byte_ns: int | None) -> Due:
        """Return the limit that is reached next when nothing more arrives."""
        total = Due(self._total_ns, "timeout-total", f"not complete after {self._limits.total_s:g} s")
        if first_byte_ns is None or last_byte_ns is None or first_byte_ns > self._first_byte_ns:
            message = f"no response within {self._limits.first_byte_s:g} s"
            due = Due(self._first_byte_ns, "timeout-first-byte", message)
        else:
            silent_ns = last_byte_ns + round(self._limits.silence_s * _NS_PER_S)
            due = Due(silent_ns, "stalled", f"no bytes for {self._limits.silence_s:g} s")
        return due if due.mono_ns < total.mono_ns else total
