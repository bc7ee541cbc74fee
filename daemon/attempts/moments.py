"""The moments of one exchange on the monotonic clock, and the timing block that they make."""

from __future__ import annotations

from daemon.transport.contract import Responded, Sent
from schemas.events.attempts import ClockKind, Timing

_STEP_NS = 100_000_000


class Moments:
    """Everything is None until it has happened; ``last_read_ns`` is 0 until then."""

    def __init__(self) -> None:
        self.sent: Sent | None = None
        self.written_ns: int | None = None
        self.responded: Responded | None = None
        self.last_read_ns = 0
        self.complete_ns: int | None = None
        self.end_ns: int | None = None

    def us(self, mono_ns: int | None) -> int | None:
        """Microseconds since the request was sent; None when it was not, never negative."""
        if mono_ns is None or self.sent is None:
            return None
        return max(0, mono_ns - self.sent.mono_ns) // 1000

    def wall_ns_at(self, mono_ns: int) -> int:
        """Wall time of a moment, counted from the wall time at which the request was sent."""
        if self.sent is None:
            raise RuntimeError("a response before its request: the transport broke its contract")
        return self.sent.wall_ns + mono_ns - self.sent.mono_ns

    def wall_clock_stepped(self, wall_ns: int, mono_ns: int) -> bool:
        """Tell whether both clocks, read together, disagree on how long ago the request was sent."""
        return self.sent is not None and abs(wall_ns - self.wall_ns_at(mono_ns)) > _STEP_NS

    def latest_ns(self) -> int:
        """Return the last moment that is known; 0 when nothing has happened."""
        return max(self.last_read_ns, self.written_ns or 0, self.sent.mono_ns if self.sent else 0)

    def timing(self, clock: ClockKind) -> Timing:
        """Return the block that the log keeps."""
        sent, responded = self.sent, self.responded
        return Timing(
            clock=clock,
            sent_wall_ns=sent.wall_ns if sent else None,
            sent_mono_ns=sent.mono_ns if sent else None,
            request_written_us=self.us(self.written_ns),
            first_byte_us=self.us(responded.first_byte_mono_ns) if responded else None,
            headers_us=self.us(responded.mono_ns) if responded else None,
            complete_us=self.us(self.complete_ns),
            end_us=self.us(self.end_ns),
        )
