"""UUIDs of version 7 from an injected clock."""

from __future__ import annotations

from uuid import RFC_4122, UUID

from hypothesis import given
from hypothesis import strategies as st

from schemas.clocks import ManualClock
from schemas.ids import UuidFactory, unix_ms

NOON_NS = 1_796_040_000_000_000_000


def zeros(count: int) -> bytes:
    """Randomness that is none."""
    return bytes(count)


def ones(count: int) -> bytes:
    """Randomness at its largest."""
    return b"\xff" * count


def test_rfc_example() -> None:
    """The example of RFC 9562, appendix A.6, comes out of its time and its random bits."""
    rand_a, rand_b = 0xCC3, 0x18C4DC0C0C07398F
    random = ((rand_a << 62) | rand_b).to_bytes(10, "big")
    # The example's top random bit is 1; the factory keeps it 0 as room for its counter.
    made = UuidFactory(ManualClock(1_645_557_742_000 * 1_000_000), lambda _: random)()
    example = UUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
    assert made.int | (0x800 << 64) == example.int
    assert unix_ms(example) == 1_645_557_742_000


@given(st.integers(0, 2**47), st.binary(min_size=10, max_size=10))
def test_layout(ms: int, random: bytes) -> None:
    """Version, variant and time are in their places whatever the clock and the randomness are."""
    made = UuidFactory(ManualClock(ms * 1_000_000), lambda _: random)()
    assert (made.version, made.variant, unix_ms(made)) == (7, RFC_4122, ms)


@given(st.lists(st.integers(-10_000_000_000, 10_000_000_000), min_size=1, max_size=60))
def test_strictly_increasing(steps_ns: list[int]) -> None:
    """Identifiers increase strictly, as values and as text, however the wall clock is stepped."""
    clock = ManualClock(NOON_NS)
    make = UuidFactory(clock)
    made = []
    for step_ns in steps_ns:
        clock.step_wall(step_ns)
        made += [make(), make()]
    assert made == sorted(set(made))
    assert [str(one) for one in made] == sorted({str(one) for one in made})


def test_same_millisecond_carries_over() -> None:
    """Counting up within a millisecond carries from the low random bits into the high ones and keeps the layout."""
    make = UuidFactory(ManualClock(NOON_NS), lambda count: bytes(2) + ones(count - 2))
    first, second = make(), make()
    assert second > first
    assert {one.version for one in (first, second)} == {7}
    assert {one.variant for one in (first, second)} == {RFC_4122}


def test_follows_an_earlier_one() -> None:
    """A factory told of an earlier identifier goes on after it, with the clock behind and in the same millisecond."""
    clock = ManualClock(NOON_NS)
    earlier = UuidFactory(clock, ones)()
    assert UuidFactory(clock, zeros, after=earlier)() > earlier
    clock.step_wall(-3_600_000_000_000)
    behind = UuidFactory(clock, zeros, after=earlier)()
    assert behind > earlier
    assert unix_ms(behind) == unix_ms(earlier)
