"""One look over everything gathered: which windows count, what is judged, and the events that follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any
from uuid import UUID

import pytest
from made_events import ns
from msgspec import Raw
from paired_runs import FURTHER, HOUR_NS, MAIN, PLAIN, START, Shape, alike, favouring, history

from daemon.cli.account_figures import account_figures
from daemon.integrity.gathered import Gathered
from daemon.integrity.looking import compare_gathered, judge_found, look_events, windows
from daemon.integrity.pairing import Pairing
from daemon.integrity.parameters import IntegrityParameters
from daemon.integrity.standing import Standing, standing
from schemas.cases import cases_of
from schemas.definitions import Definitions
from schemas.envelope import Envelope
from schemas.events import AccountsCompared, Event, IntegrityDecided, IntegritySuspected

PARAMETERS = IntegrityParameters()
LOOK = UUID(int=99)
CASE, CLEARING = UUID(int=1), UUID(int=2)


def ids() -> Iterator[UUID]:
    return (UUID(int=1_000 + number) for number in count())


def look(
    events: Sequence[Event], days: float, stands: Standing | None = None
) -> list[AccountsCompared | IntegritySuspected]:
    pairing, gathered = Pairing(account_figures(Definitions()), 50_000_000), Gathered()
    for seq, event in enumerate(events, start=1):
        for found in pairing.feed(seq, event):
            gathered.add(found)
    spans = windows(PARAMETERS, ns(START) + round(24 * days) * HOUR_NS)
    wanted = [(accounts, spans) for accounts in gathered.accounts()]
    judged = judge_found(compare_gathered(gathered, wanted, stands or Standing(), PARAMETERS), PARAMETERS)
    fresh = ids()
    return look_events(
        judged,
        look=LOOK,
        upto_seq=len(events),
        new_id=lambda: next(fresh),
        parameters=PARAMETERS,
        definition="d",
    )


def suspicions(events: Sequence[Event], days: float, stands: Standing | None = None) -> list[IntegritySuspected]:
    return [event for event in look(events, days, stands) if isinstance(event, IntegritySuspected)]


def test_a_day_without_a_finding_is_an_event() -> None:
    """Equal accounts give one event with all evidence, and no suspicion."""
    (event,) = look(history(range(24)), 3)
    assert isinstance(event, AccountsCompared)
    assert (event.look, event.endpoint, event.account, event.compared_with) == (LOOK, "mini", MAIN, PLAIN)
    assert [(rows.window_h, rows.runs) for rows in event.rows] == [(72, 24)]
    assert {each.verdict for each in event.evidence if each.metric == "ttft"} == {"not-material"}
    assert (event.parameters, event.definition) == (PARAMETERS.id, "d")


def test_a_material_difference_opens_a_case() -> None:
    """An account that waits half as long again is found within three days, with the rows behind it."""
    compared, suspected = look(history(range(24), favouring), 3)
    assert isinstance(compared, AccountsCompared)
    assert isinstance(suspected, IntegritySuspected)
    assert {each.metric for each in suspected.evidence} >= {"ttft"}
    assert all(each.verdict == "material" for each in suspected.evidence)
    assert set(suspected.evidence) <= set(compared.evidence)
    assert suspected.rows == compared.rows
    assert (suspected.look, suspected.workload) == (LOOK, "text-1k")
    assert (suspected.window_start_ns, suspected.window_end_ns) == (ns(START), ns(START) + 72 * HOUR_NS)


@pytest.mark.parametrize(("first", "covered"), [(0, [72]), (2, [72]), (3, [])])
def test_a_window_is_compared_once_measurements_reach_back(first: int, covered: list[int]) -> None:
    """A window whose first tenth saw no pair is not compared, and the look says so by stating no rows."""
    (event,) = look(history(range(first, 24), alike), 3)
    assert isinstance(event, AccountsCompared)
    assert [rows.window_h for rows in event.rows] == covered
    assert bool(event.evidence) == bool(covered)


def test_an_open_case_is_compared_and_not_judged() -> None:
    """An endpoint with an open case gets no second one, and its findings make no other easier."""
    stands = Standing(open_cases={"mini": CASE})
    events = history(range(24), favouring, endpoints=("mini", "other"))
    found = look(events, 3, stands)
    assert [event.endpoint for event in found if isinstance(event, IntegritySuspected)] == ["other"]
    mini = next(event for event in found if event.endpoint == "mini")
    assert {each.verdict for each in mini.evidence} == {"unknown"}
    assert any(each.p_value is not None for each in mini.evidence)


def test_a_cleared_case_counts_from_its_clearing() -> None:
    """What a person has cleared is not found again the next day; what is measured afterwards is."""
    cleared_ns = ns(START) + 24 * HOUR_NS
    stands = Standing(cleared_ns={"mini": cleared_ns})
    events = history(range(40), favouring)
    assert suspicions(events, 3, stands) == []
    assert [each.window_start_ns for each in suspicions(events, 4, stands)] == [cleared_ns]


def test_each_pair_of_accounts_has_its_own_case() -> None:
    """With two ordinary accounts of which one is treated worse, the case names that one."""

    def one_only(run: int, account: str) -> dict[str, Any]:
        return favouring(run, account) if account == FURTHER else alike(run, account)

    shape: Shape = one_only
    found = suspicions(history(range(24), shape, accounts=(MAIN, PLAIN, FURTHER)), 3)
    assert [event.compared_with for event in found] == [FURTHER]


def suspected(case: UUID = CASE, endpoint: str = "mini") -> IntegritySuspected:
    return IntegritySuspected(
        case=case,
        endpoint=endpoint,
        workload="all",
        account=MAIN,
        compared_with=PLAIN,
        window_start_ns=0,
        window_end_ns=1,
        evidence=(),
        definition="d",
    )


def envelope(place: int) -> Envelope:
    """Stand for the place of an event in a log: ten microseconds after the one before it."""
    return Envelope(
        id=UUID(int=place),
        type="",
        v=1,
        source="here",
        boot="b",
        seq=place,
        wall_ns=10_000 * place,
        mono_ns=0,
        data=Raw(b""),
    )


def decided(measure: Any, **more: Any) -> IntegrityDecided:
    return IntegrityDecided(**{"case": CASE, "measure": measure, "person": "p", "reason": "r", **more})


@pytest.mark.parametrize(
    ("decisions", "is_open"),
    [
        ([], True),
        ([decided("withhold", decision=CLEARING)], True),
        ([decided("clear", decision=CLEARING)], False),
        ([decided("clear", decision=CLEARING), decided("lift", lifts=CLEARING)], True),
        ([decided("withhold", decision=CLEARING), decided("lift", lifts=CLEARING)], True),
        ([decided("clear")], False),
    ],
)
def test_case_is_open_until_it_is_cleared(*, decisions: list[IntegrityDecided], is_open: bool) -> None:
    """Measures leave a case open, a clearing ends it, and taking the clearing back opens it again."""
    events = [(envelope(place), event) for place, event in enumerate([suspected(), *decisions], start=1)]
    stands = standing(cases_of(events).values())
    assert ("mini" in stands.open_cases) is is_open
    assert stands.judges("mini", 20_000) is not is_open
    assert not stands.judges("mini", 19_999)
    assert stands.judges("other", 0)


def test_a_clearing_that_was_taken_back_dates_nothing() -> None:
    """Of two clearings the one that was not lifted says from when on a window is judged again."""
    second = UUID(int=CLEARING.int + 1)
    decisions = [
        decided("clear", decision=CLEARING),
        decided("clear", decision=second),
        decided("lift", lifts=second),
    ]
    events = [(envelope(place), event) for place, event in enumerate([suspected(), *decisions], start=1)]
    stands = standing(cases_of(events).values())
    assert stands.judges("mini", events[1][0].wall_ns)
    assert not stands.judges("mini", events[1][0].wall_ns - 1)
