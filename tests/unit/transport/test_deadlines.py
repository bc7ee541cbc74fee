"""Which limit ends an exchange, by the times of what arrived and not by when somebody looks."""

from __future__ import annotations

from daemon.transport.contract import Ended, Limits, Read, Responded, Written
from daemon.transport.deadlines import Deadlines

LIMITS = Limits(connect_s=1, first_byte_s=2, silence_s=3, total_s=10, response_bytes=100)
S = 1_000_000_000


def test_a_response_that_began_too_late_is_none() -> None:
    """Headers whose first byte came after its limit are past it, even when they are looked at before the limit is."""
    deadlines = Deadlines(LIMITS, 0)
    assert not deadlines.past(Responded(2 * S, 5 * S, 200, ()))
    assert deadlines.past(Responded(2 * S + 1, 5 * S, 200, ()))
    assert deadlines.next(2 * S + 1, 5 * S).cause == "timeout-first-byte"


def test_bytes_after_the_total_limit_are_past_it() -> None:
    """Body bytes count until the very end of the total limit; what is no bytes is never past it."""
    deadlines = Deadlines(LIMITS, 0)
    assert not deadlines.past(Read(10 * S, b"x"))
    assert deadlines.past(Read(10 * S + 1, b"x"))
    assert not deadlines.past(Ended(99 * S, "complete"))
    assert not deadlines.past(Written(99 * S))


def test_the_nearest_limit_is_next() -> None:
    """Before a response its first byte is due, then the next byte after the latest, and the total ends all."""
    deadlines = Deadlines(LIMITS, 0)
    assert (deadlines.next(None, None).mono_ns, deadlines.next(None, None).cause) == (2 * S, "timeout-first-byte")
    assert (deadlines.next(S, 4 * S).mono_ns, deadlines.next(S, 4 * S).cause) == (7 * S, "stalled")
    assert (deadlines.next(S, 8 * S).mono_ns, deadlines.next(S, 8 * S).cause) == (10 * S, "timeout-total")
