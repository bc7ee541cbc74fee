"""States of cases and what stands of endpoints, by name; SQL and Python are held together beside the tables."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from made_events import MadeLog

from schemas.cases import Case, cases_of, standing_of
from schemas.events import Event, IntegrityDecided, IntegritySuspected, decode_event
from schemas.events.integrity import Measure

CASE = UUID(int=1)
PROVIDERS = {"mini": "amber", "deep": "amber", "seen": "birch"}


def suspected() -> IntegritySuspected:
    return IntegritySuspected(
        case=CASE,
        endpoint="mini",
        workload="all",
        account="main",
        compared_with="guest",
        window_start_ns=1,
        window_end_ns=2,
        evidence=(),
        definition="d",
    )


def decided(measure: Measure, number: int = 9, **other: Any) -> IntegrityDecided:
    return IntegrityDecided(
        case=CASE, measure=measure, person="p", reason=f"because of {number}", decision=UUID(int=number), **other
    )


def folded(*events: Event) -> Case:
    log = MadeLog()
    for event in (suspected(), *events):
        log.add(event)
    return cases_of((stored.envelope, decode_event(stored.envelope)) for stored in log.events)[CASE]  # type: ignore[misc]  # all known


@pytest.mark.parametrize(
    ("decisions", "state", "in_force"),
    [
        ((), "open", []),
        ((decided("investigate"),), "investigating", []),
        ((decided("investigate"), decided("withhold")), "measures-in-force", ["withhold"]),
        ((decided("withhold", 5), decided("lift", lifts=UUID(int=5))), "open", []),
        (
            (decided("withhold", 5), decided("ban", 6), decided("lift", lifts=UUID(int=5))),
            "measures-in-force",
            ["ban"],
        ),
        ((decided("withhold"), decided("clear")), "cleared", []),
        (
            (decided("withhold", 5), decided("clear", 6), decided("lift", lifts=UUID(int=6))),
            "measures-in-force",
            ["withhold"],
        ),
        ((decided("clear", 5), decided("clear", 6), decided("lift", lifts=UUID(int=6))), "cleared", []),
        (
            (decided("withhold", 5), decided("lift", 6, lifts=UUID(int=5)), decided("lift", lifts=UUID(int=6))),
            "open",
            [],
        ),
        ((decided("withhold", 5), decided("lift", lifts=UUID(int=77))), "measures-in-force", ["withhold"]),
    ],
)
def test_states(decisions: tuple[IntegrityDecided, ...], state: str, in_force: list[str]) -> None:
    """A case is open, under investigation, under measures or cleared; a lift of a lift changes nothing."""
    case = folded(*decisions)
    assert (case.state, [each.event.measure for each in case.in_force]) == (state, in_force)


def test_what_stands_is_the_sum_of_what_is_in_force() -> None:
    """Several measures hold at once; of accounts, statements and reasons the newest one counts."""
    case = folded(
        decided("re-measure", 1, account="guest"),
        decided("delay", 2, until_ns=50),
        decided("delay", 3, until_ns=40),
        decided("disclose", 4, statement="told"),
        decided("re-measure", 5, account="other"),
    )
    standing = standing_of([case], PROVIDERS)
    assert list(standing) == ["mini"]
    mini = standing["mini"]
    assert (mini.shown_account, mini.delayed_until_ns, mini.statement) == ("other", 50, "told")
    assert (mini.withheld, mini.removed, mini.delisted, mini.banned) == (False, False, False, False)
    assert (mini.reason, mini.case) == ("because of 5", CASE)


def test_a_delay_without_an_end_withholds() -> None:
    """A delay that names no end holds figures back until it is lifted."""
    assert standing_of([folded(decided("delay"))], PROVIDERS)["mini"].withheld


@pytest.mark.parametrize(("providers", "banned"), [(PROVIDERS, ["deep", "mini"]), ({"seen": "birch"}, ["mini"])])
def test_a_ban_is_the_providers(providers: dict[str, str], banned: list[str]) -> None:
    """A ban holds for every endpoint of the provider, or for the one alone whose provider nobody knows."""
    standing = standing_of([folded(decided("ban"))], providers)
    assert [name for name, each in standing.items() if each.banned] == banned


def test_decisions_without_a_case_are_nobodys() -> None:
    """A decision on a case that no log opened decides nothing."""
    log = MadeLog()
    stored = log.add(decided("ban"))
    assert cases_of([(stored.envelope, decided("ban"))]) == {}
