"""Slots: names, moments, late and missed ones, whatever the daemon and the clocks do."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.schedule.slots import MINUTE_NS, Due, Missed, Plan, Rhythm, Slot, current_slot, parse_period_ns
from schemas.errors import ConfigurationError

HOUR_NS = 60 * MINUTE_NS
MONDAY_NS = int(datetime(2026, 11, 30, tzinfo=UTC).timestamp()) * 1_000_000_000


def every_3_hours(**changes: object) -> Plan:
    values = {
        "workload": "text-10k",
        "scenario": "single",
        "period_ns": 3 * HOUR_NS,
        "moment": "aligned",
        "jitter_ns": 5 * MINUTE_NS,
    }
    return Plan(**{**values, **changes})  # type: ignore[arg-type]


def daily_at_random() -> Plan:
    return every_3_hours(workload="text-1k", scenario="parallel-10", period_ns=24 * HOUR_NS, moment="random")


def test_a_slot_is_named_by_its_nominal_time() -> None:
    """A slot's name is its plan and its nominal time in UTC."""
    assert Slot(every_3_hours(), MONDAY_NS + 3 * HOUR_NS).name == "text-10k@2026-11-30T03:00Z"
    assert Slot(daily_at_random(), MONDAY_NS).name == "text-1k/parallel-10@2026-11-30T00:00Z"


def test_weekly_slots_begin_on_mondays() -> None:
    """A weekly plan's slots begin on Mondays at midnight UTC."""
    weekly = every_3_hours(period_ns=7 * 24 * HOUR_NS)
    assert current_slot(weekly, MONDAY_NS + 6 * 24 * HOUR_NS).nominal_ns == MONDAY_NS


@pytest.mark.parametrize("text", ["", "3", "h", "0h", "-3h", "3 h", "1.5h", "3w"])
def test_a_period_that_is_none_is_refused(text: str) -> None:
    """Only a whole number and a unit make a period, and the message shows what was written."""
    with pytest.raises(ConfigurationError, match="expected a period"):
        parse_period_ns(text)


def test_a_slot_waits_for_its_jitter() -> None:
    """An aligned slot begins at its nominal time plus the drawn part of its jitter, and not before."""
    rhythm = Rhythm(every_3_hours(), lambda: 0.5, MONDAY_NS - 3 * HOUR_NS)
    moment_ns = rhythm.upcoming(MONDAY_NS)[1]
    assert MONDAY_NS + 2 * MINUTE_NS < moment_ns < MONDAY_NS + 3 * MINUTE_NS
    assert rhythm.decide(moment_ns - 1) == []
    assert rhythm.decide(moment_ns) == [Due(Slot(rhythm.plan, MONDAY_NS), late=False)]
    assert rhythm.decide(moment_ns + HOUR_NS) == []


def test_a_slot_missed_by_less_than_its_period_runs_late() -> None:
    """A daemon that starts an hour after a slot runs it at once and marks it late."""
    rhythm = Rhythm(every_3_hours(), lambda: 0.9, MONDAY_NS - 3 * HOUR_NS)
    assert rhythm.decide(MONDAY_NS + HOUR_NS) == [Due(Slot(rhythm.plan, MONDAY_NS), late=True)]


def test_a_sleep_of_ten_hours_misses_slots_and_catches_up_once() -> None:
    """After ten hours of sleep the slots in between are missed and only the current one runs."""
    rhythm = Rhythm(every_3_hours(), lambda: 0.0, MONDAY_NS)
    decisions = rhythm.decide(MONDAY_NS + 10 * HOUR_NS)
    assert [type(decision) for decision in decisions] == [Missed, Missed, Due]
    assert [decision.slot.nominal_ns for decision in decisions] == [MONDAY_NS + n * 3 * HOUR_NS for n in (1, 2, 3)]


def test_a_new_plan_begins_with_the_current_slot() -> None:
    """A plan without a past misses nothing and begins with the slot that is current."""
    rhythm = Rhythm(every_3_hours(), lambda: 0.0)
    assert [type(decision) for decision in rhythm.decide(MONDAY_NS + HOUR_NS)] == [Due]


def test_a_changed_period_goes_on_with_the_new_grid() -> None:
    """After a change of period the last slot of the old grid is not repeated on the new one."""
    rhythm = Rhythm(every_3_hours(period_ns=2 * HOUR_NS), lambda: 0.0, MONDAY_NS + 3 * HOUR_NS)
    decisions = rhythm.decide(MONDAY_NS + 4 * HOUR_NS)
    assert [decision.slot.nominal_ns for decision in decisions] == [MONDAY_NS + 4 * HOUR_NS]


def test_a_random_moment_after_a_restart_lies_ahead() -> None:
    """A daily random slot that has not run is drawn again from what is left of its day, and is not late."""
    rhythm = Rhythm(daily_at_random(), lambda: 0.5, MONDAY_NS - 24 * HOUR_NS)
    moment_ns = rhythm.upcoming(MONDAY_NS + 12 * HOUR_NS)[1]
    assert MONDAY_NS + 17 * HOUR_NS < moment_ns < MONDAY_NS + 19 * HOUR_NS
    assert rhythm.decide(moment_ns) == [Due(Slot(rhythm.plan, MONDAY_NS), late=False)]


@given(
    steps=st.lists(st.integers(1, 40 * HOUR_NS), min_size=1, max_size=60),
    restarts=st.sets(st.integers(0, 59)),
    seed=st.integers(0, 2**32),
    random_moment=st.booleans(),
)
def test_every_slot_is_dealt_with_exactly_once(
    steps: list[int], restarts: set[int], seed: int, *, random_moment: bool
) -> None:
    """However time passes and whenever the daemon restarts, no slot is dealt with twice and none is left out."""
    plan = daily_at_random() if random_moment else every_3_hours()
    draw = random.Random(seed).random
    rhythm = Rhythm(plan, draw, MONDAY_NS)
    now_ns, dealt = MONDAY_NS, [MONDAY_NS]
    for number, step in enumerate(steps):
        now_ns += step
        dealt += [decision.slot.nominal_ns for decision in rhythm.decide(now_ns)]
        if number in restarts:
            rhythm = Rhythm(plan, draw, dealt[-1])
    assert dealt == list(range(MONDAY_NS, dealt[-1] + 1, plan.period_ns))
    assert now_ns - dealt[-1] < 2 * plan.period_ns


@given(start=st.integers(0, 40 * HOUR_NS), seed=st.integers(0, 2**32))
def test_waking_at_the_next_moment_finds_something_due(start: int, seed: int) -> None:
    """The moment a rhythm asks to be woken at is one at which it has something to say."""
    rhythm = Rhythm(daily_at_random(), random.Random(seed).random)
    now_ns = MONDAY_NS + start
    for _ in range(4):
        rhythm.decide(now_ns)
        slot, moment_ns = rhythm.upcoming(now_ns)
        assert moment_ns > now_ns
        assert rhythm.decide(moment_ns)[-1].slot == slot
        now_ns = moment_ns


def test_a_wall_clock_that_is_set_back_waits_for_the_first_slot_that_is_open() -> None:
    """After the wall clock was five hours ahead, no slot of those hours runs again, and the next one is known."""
    rhythm = Rhythm(every_3_hours(), lambda: 0.0, MONDAY_NS)
    ahead = [decision.slot.nominal_ns for decision in rhythm.decide(MONDAY_NS + 6 * HOUR_NS)]
    assert ahead == [MONDAY_NS + 3 * HOUR_NS, MONDAY_NS + 6 * HOUR_NS]
    back_ns = MONDAY_NS + HOUR_NS
    assert rhythm.decide(back_ns) == []
    assert rhythm.upcoming(back_ns) == (Slot(rhythm.plan, MONDAY_NS + 9 * HOUR_NS), MONDAY_NS + 9 * HOUR_NS)
    assert rhythm.silent_until_ns(back_ns) == MONDAY_NS + 9 * HOUR_NS
    assert rhythm.silent_until_ns(MONDAY_NS + 6 * HOUR_NS) is None
    assert [type(decision) for decision in rhythm.decide(MONDAY_NS + 9 * HOUR_NS)] == [Due]


@given(
    steps=st.lists(st.integers(-40 * HOUR_NS, 40 * HOUR_NS), min_size=1, max_size=60),
    restarts=st.sets(st.integers(0, 59)),
    seed=st.integers(0, 2**32),
    random_moment=st.booleans(),
)
def test_no_slot_is_dealt_with_twice_whatever_the_clock_does(
    steps: list[int], restarts: set[int], seed: int, *, random_moment: bool
) -> None:
    """However a wall clock is set ahead and back and whenever the daemon restarts, slots come once and in order."""
    plan = daily_at_random() if random_moment else every_3_hours()
    draw = random.Random(seed).random
    rhythm = Rhythm(plan, draw, MONDAY_NS)
    now_ns, dealt = MONDAY_NS, [MONDAY_NS]
    for number, step in enumerate(steps):
        now_ns += step
        dealt += [decision.slot.nominal_ns for decision in rhythm.decide(now_ns)]
        slot, moment_ns = rhythm.upcoming(now_ns)
        assert slot.nominal_ns == dealt[-1] + plan.period_ns or slot == current_slot(plan, now_ns)
        assert moment_ns >= now_ns
        if number in restarts:
            rhythm = Rhythm(plan, draw, dealt[-1])
    assert dealt == list(range(MONDAY_NS, dealt[-1] + 1, plan.period_ns))
