"""Slots and their rules, pure: which slots exist, which is due, which are lost.

A plan's slots lie at whole multiples of its period since Monday 1970-01-05T00:00Z, all in UTC, so a day of
25 local hours has as many slots as any other. A slot is named by its nominal time and is dealt with once:
it runs, runs late, or is recorded as skipped. Waiting, running and logging happen elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, Literal

import msgspec

from schemas.configuration import PlanTable
from schemas.errors import ConfigurationError
from schemas.events.runs import Scenario

SECOND_NS: Final = 1_000_000_000
MINUTE_NS: Final = 60 * SECOND_NS
ANCHOR_NS: Final = 4 * 24 * 3600 * SECOND_NS
"""Monday 1970-01-05T00:00Z: weekly slots fall on Mondays."""

LATE_AFTER_NS: Final = 2 * MINUTE_NS
"""A run counts as late when it starts this long after the last moment its slot allows."""

_PERIOD = re.compile(r"([1-9][0-9]*)(m|h|d)")
_UNIT_NS: Final = {"m": MINUTE_NS, "h": 60 * MINUTE_NS, "d": 24 * 60 * MINUTE_NS}


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """One workload at one rhythm, with times in nanoseconds. ``endpoints`` empty: all that can do it."""

    workload: str
    scenario: Scenario
    period_ns: int
    moment: Literal["aligned", "random"]
    jitter_ns: int
    endpoints: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Name of the rhythm: the workload, and the scenario unless it is ``single``."""
        return self.workload if self.scenario == "single" else f"{self.workload}/{self.scenario}"

    @property
    def spread_ns(self) -> int:
        """Length of the span after the nominal time in which a slot's moment is drawn."""
        return self.period_ns if self.moment == "random" else self.jitter_ns


class Slot(msgspec.Struct, frozen=True):
    """One occasion of a plan."""

    plan: Plan
    nominal_ns: int

    @property
    def name(self) -> str:
        """For example ``text-10k@2026-11-30T03:00Z``."""
        moment = datetime.fromtimestamp(self.nominal_ns // SECOND_NS, UTC)
        return f"{self.plan.key}@{moment:%Y-%m-%dT%H:%MZ}"


class Due(msgspec.Struct, frozen=True):
    """A slot whose moment has come."""

    slot: Slot
    late: bool


class Missed(msgspec.Struct, frozen=True):
    """A slot that is over and was never dealt with."""

    slot: Slot


def parse_period_ns(text: str) -> int:
    """Turn ``30m``, ``3h`` or ``7d`` into nanoseconds. Raises :class:`ConfigurationError` for anything else."""
    match = _PERIOD.fullmatch(text)
    if match is None:
        raise ConfigurationError(f'expected a period such as "30m", "3h" or "7d", got "{text}"')
    return int(match[1]) * _UNIT_NS[match[2]]


def plan_from(table: PlanTable) -> Plan:
    """Compile a ``[[plan]]`` table."""
    return Plan(
        workload=table.workload,
        scenario=table.scenario,
        period_ns=parse_period_ns(table.every),
        moment=table.moment,
        jitter_ns=int(table.jitter_minutes * MINUTE_NS),
        endpoints=table.endpoints,
    )


def current_slot(plan: Plan, now_ns: int) -> Slot:
    """Slot whose period contains ``now_ns``."""
    return Slot(plan, now_ns - (now_ns - ANCHOR_NS) % plan.period_ns)


class Rhythm:
    """Follows one plan through time and says each slot exactly once.

    ``draw`` returns a number in [0, 1); it decides moments, which must not be predictable from the date, so
    the daemon gives it the operating system's randomness. ``last_dealt_ns`` is the nominal time of the
    newest slot that the log already knows; None for a plan that never ran, which begins with the slot that
    is current now.
    """

    def __init__(self, plan: Plan, draw: Callable[[], float], last_dealt_ns: int | None = None) -> None:
        self.plan = plan
        self._draw = draw
        self._last_dealt_ns = last_dealt_ns
        self._moment: tuple[int, int] | None = None

    def decide(self, now_ns: int) -> list[Due | Missed]:
        """Return what has become of slots up to ``now_ns``, oldest first, and count it as dealt with.

        A slot that began less than one period ago runs, late if need be; an older one is missed. So however
        long the daemon slept, at most one slot catches up.
        """
        current = current_slot(self.plan, now_ns)
        if self._last_dealt_ns is None:
            self._last_dealt_ns = current.nominal_ns - self.plan.period_ns
        decisions: list[Due | Missed] = [
            Missed(Slot(self.plan, nominal_ns))
            for nominal_ns in range(self._next_after(self._last_dealt_ns), current.nominal_ns, self.plan.period_ns)
        ]
        if decisions:
            self._last_dealt_ns = current.nominal_ns - self.plan.period_ns
        if self._last_dealt_ns < current.nominal_ns and self._moment_of(current, now_ns) <= now_ns:
            late = now_ns > current.nominal_ns + self.plan.spread_ns + LATE_AFTER_NS
            decisions.append(Due(current, late))
            self._last_dealt_ns = current.nominal_ns
        return decisions

    def upcoming(self, now_ns: int) -> tuple[Slot, int]:
        """Return the slot that comes next, and the wall time at which :meth:`decide` will call it due."""
        slot = current_slot(self.plan, now_ns)
        if self._last_dealt_ns is not None and self._last_dealt_ns >= slot.nominal_ns:
            slot = Slot(self.plan, self._next_after(self._last_dealt_ns))
        return slot, max(self._moment_of(slot, now_ns), now_ns)

    def silent_until_ns(self, now_ns: int) -> int | None:
        """Nominal time of the next slot, when slots to come are dealt with already; None as a rule.

        So it is after a wall clock went ahead and was set back: a slot runs once, so nothing runs before then.
        """
        if self._last_dealt_ns is None or self._last_dealt_ns <= now_ns:
            return None
        return self._next_after(self._last_dealt_ns)

    def _next_after(self, nominal_ns: int) -> int:
        # A changed period leaves the last nominal time off the new grid; the next slot is on it.
        return current_slot(self.plan, nominal_ns).nominal_ns + self.plan.period_ns

    def _moment_of(self, slot: Slot, now_ns: int) -> int:
        """Draw once per slot: anywhere in its spread that is still ahead, or at once when none is left."""
        if self._moment is None or self._moment[0] != slot.nominal_ns:
            begin = max(slot.nominal_ns, now_ns) if self.plan.moment == "random" else slot.nominal_ns
            end = slot.nominal_ns + self.plan.spread_ns
            # A second of margin keeps a random moment from falling into the next slot's period.
            span = max(0, end - begin - SECOND_NS)
            self._moment = (slot.nominal_ns, begin + int(span * self._draw()))
        return self._moment[1]
