"""When a read's bytes arrived: kernel times on the monotonic clock, and what takes their place."""

from __future__ import annotations

import socket
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.transport.kernel_times import Arrival, Arrivals, WallOffset
from schemas.clocks import ManualClock

WALL_NS = 1_796_000_000_000_000_000
MS = 1_000_000


class Line:
    """One connection under a clock that moves by hand."""

    def __init__(self) -> None:
        self.clock = ManualClock(WALL_NS)
        self.offset = WallOffset(self.clock)
        self.arrivals = Arrivals(self.offset)

    def read(self, arrived_ns_ago: int | None) -> Arrival:
        """Read bytes that the kernel saw so long ago by the wall clock as it was then; None: it says nothing."""
        if arrived_ns_ago is None:
            return self.arrivals.of([])
        return self.arrivals.of([stamp(self.clock.wall_ns() - arrived_ns_ago)])


def stamp(wall_ns: int) -> tuple[int, int, bytes]:
    return (socket.SOL_SOCKET, 64, struct.pack("=qq", *divmod(wall_ns, 1_000_000_000)))


def test_a_read_has_the_time_at_which_its_bytes_arrived() -> None:
    """However late a read is made, its time is that of the arrival, on the monotonic clock."""
    line = Line()
    line.clock.advance(500 * MS)
    assert line.read(30 * MS) == Arrival(line.clock.mono_ns() - 30 * MS, user_space=False)


def test_without_a_kernel_time_the_read_is_when_it_was_made() -> None:
    """A read of which the kernel says nothing has the time of the read, and says so."""
    line = Line()
    line.clock.advance(5 * MS)
    assert line.read(None) == Arrival(line.clock.mono_ns(), user_space=True)


@pytest.mark.parametrize("step_ns", [5_000 * MS, -5_000 * MS, MS, -MS])
def test_a_stepped_wall_clock_spoils_one_read_of_each_connection(step_ns: int) -> None:
    """The read after a step has the time at which it was made, flagged; the next one is the kernel's again."""
    line = Line()
    other = Arrivals(line.offset)
    line.clock.advance(100 * MS)
    arrived = stamp(line.clock.wall_ns())
    line.clock.step_wall(step_ns)
    line.clock.advance(20 * MS)
    assert line.arrivals.of([arrived]) == Arrival(line.clock.mono_ns(), user_space=True)
    assert other.of([arrived]) == Arrival(line.clock.mono_ns(), user_space=True)
    line.clock.advance(20 * MS)
    assert line.read(3 * MS) == Arrival(line.clock.mono_ns() - 3 * MS, user_space=False)


@pytest.mark.parametrize("ago_ns", [-MS, 3_600_000 * MS])
def test_implausible_kernel_times_are_not_believed(ago_ns: int) -> None:
    """A time in the future, or from before the connection, gives way to that of the read, flagged."""
    line = Line()
    line.clock.advance(10 * MS)
    assert line.read(ago_ns) == Arrival(line.clock.mono_ns(), user_space=True)


def test_bytes_may_be_older_than_an_accepted_connection() -> None:
    """A connection that waited to be accepted may have brought bytes before, but not before its listener."""
    line = Line()
    since_ns = line.clock.mono_ns()
    line.clock.advance(10 * MS)
    arrivals = Arrivals(line.offset, not_before_ns=since_ns)
    early = arrivals.of([stamp(line.clock.wall_ns() - 4 * MS)])
    assert early == Arrival(line.clock.mono_ns() - 4 * MS, user_space=False)
    assert arrivals.of([stamp(line.clock.wall_ns() - 40 * MS)]).user_space


def test_segments_that_overtook_others_do_not_turn_time_back() -> None:
    """Bytes whose segment came early, behind a gap, have the time at which the gap was filled."""
    line = Line()
    line.clock.advance(100 * MS)
    filled = line.read(1 * MS)
    assert line.read(40 * MS) == filled


def test_foreign_ancillary_data_are_passed_over() -> None:
    """Only a whole time of the right kind is read; anything else beside the bytes is no time."""
    line = Line()
    _, _, data = stamp(line.clock.wall_ns())
    assert line.arrivals.of([(socket.SOL_SOCKET, 64, data[:8]), (socket.SOL_SOCKET, 37, data)]).user_space
    assert line.arrivals.of([(socket.SOL_SOCKET, 64, bytes(16))]).user_space


class InterruptedClock(ManualClock):
    """A clock whose reader is interrupted for a while right after reading the wall clock."""

    pause_ns = 0

    def wall_ns(self) -> int:
        wall_ns = super().wall_ns()
        if self.pause_ns:
            self.advance(self.pause_ns)
        return wall_ns


def test_an_interruption_between_two_readings_is_no_step() -> None:
    """When the process loses the processor between its readings, the better comparison of before stands."""
    clock = InterruptedClock(WALL_NS)
    offset = WallOffset(clock)
    arrivals = Arrivals(offset)
    clock.advance(100 * MS)
    arrived_ns = clock.mono_ns()
    arrived = stamp(clock.wall_ns())
    clock.pause_ns = 30 * MS
    assert arrivals.of([arrived]) == Arrival(arrived_ns, user_space=False)
    assert offset.epoch == 0


@given(
    st.lists(
        st.tuples(
            st.integers(0, 50 * MS),
            st.none() | st.integers(-(10**12), 10**12),
            st.sampled_from([0, 0, 0, 7_000 * MS, -7_000 * MS]),
        ),
        max_size=30,
    )
)
def test_times_never_go_back_and_never_lie_ahead(events: list[tuple[int, int | None, int]]) -> None:
    """Whatever the kernel claims and however the wall clock is stepped, times are in order and in the past."""
    line = Line()
    before_ns = 0
    for passed_ns, ago_ns, step_ns in events:
        line.clock.advance(passed_ns)
        line.clock.step_wall(step_ns)
        arrival = line.read(ago_ns)
        assert before_ns <= arrival.mono_ns <= line.clock.mono_ns()
        before_ns = arrival.mono_ns
