"""Cases and what stands of endpoints: the SQL and the Python of one rule, over every order of decisions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_events import NOON, MadeLog, endpoint, ns
from msgspec import structs

from projections.integrity import Integrity
from projections.queries.registry import run_query
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from schemas.cases import Case, Standing, cases_of, standing_of
from schemas.definitions import Definitions
from schemas.events import Event, IntegrityDecided, IntegritySuspected, decode_event
from schemas.events.integrity import AccountEvidence, Measure

pytestmark = pytest.mark.clickhouse

HOUR = timedelta(hours=1)
PROVIDERS = {"mini": "amber", "deep": "amber", "seen": "birch"}
MEASURES: tuple[Measure, ...] = (
    "investigate",
    "clear",
    "withhold",
    "delay",
    "remove",
    "re-measure",
    "delist",
    "ban",
    "disclose",
    "lift",
)


def suspected(case: int, name: str) -> IntegritySuspected:
    return IntegritySuspected(
        case=UUID(int=case),
        endpoint=name,
        workload="text-10k",
        account="main",
        compared_with="guest",
        window_start_ns=ns(NOON - 72 * HOUR),
        window_end_ns=ns(NOON),
        evidence=(),
        definition="d",
    )


def decided(case: int, measure: Measure, **other: Any) -> IntegrityDecided:
    return IntegrityDecided(**{"case": UUID(int=case), "measure": measure, "person": "p", "reason": "r", **other})


decisions = st.builds(
    lambda case, measure, number, lifts, account, until, statement: decided(
        case,
        measure,
        reason=f"reason {number}",
        decision=None if number == 0 else UUID(int=1000 + number),
        lifts=None if lifts == 0 else UUID(int=1000 + lifts),
        account=account,
        until_ns=None if until is None else ns(NOON + until * HOUR),
        statement=statement,
    ),
    st.integers(1, 4),
    st.sampled_from(MEASURES),
    st.integers(0, 9),
    st.integers(0, 9),
    st.sampled_from([None, "guest", "other"]),
    st.sampled_from([None, -5, 5]),
    st.sampled_from([None, "told"]),
)
openings = st.builds(suspected, st.integers(1, 3), st.sampled_from(["mini", "deep", "seen", "unknown"]))
history = st.lists(
    st.tuples(st.sampled_from(["lab", "office"]), st.integers(0, 5), st.one_of(decisions, openings)), max_size=25
)


def logs_of(events: list[tuple[str, int, Event]]) -> list[MadeLog]:
    """Two logs, of which one declares what there is; times may be equal and go backwards."""
    logs = {"lab": MadeLog("lab"), "office": MadeLog("office")}
    logs["lab"].open(*(endpoint(name, provider=provider) for name, provider in PROVIDERS.items()))
    for source, minute, event in events:
        logs[source].add(event, NOON + timedelta(minutes=minute))
    return list(logs.values())


async def folded(store: ClickHouseStore, *logs: MadeLog) -> None:
    runner = Runner(store, PROJECTIONS, Definitions())
    await runner.open()
    for log in logs:
        await runner.fold_available(LogSource(log))


def in_python(logs: list[MadeLog]) -> tuple[dict[UUID, Case], dict[str, Standing]]:
    every = [(stored.envelope, decode_event(stored.envelope)) for log in logs for stored in log.events]
    cases = cases_of(every)
    return dict(cases), dict(standing_of(cases.values(), PROVIDERS))


def as_row(name: str, standing: Standing) -> dict[str, Any]:
    until = standing.delayed_until_ns
    return {
        "endpoint": name,
        "shown_account": standing.shown_account,
        "withheld": standing.withheld,
        "delayed_until": None if until is None else datetime.fromtimestamp(until / 1e9, UTC),
        "removed": standing.removed,
        "delisted": standing.delisted,
        "banned": standing.banned,
        "statement": standing.statement,
        "reason": standing.reason,
        "case_id": str(standing.case),
    }


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history)
async def test_the_tables_and_the_fold_agree(store: ClickHouseStore, events: list[tuple[str, int, Event]]) -> None:
    """Whatever was suspected and decided, in whichever logs, SQL and Python say the same of endpoints and cases."""
    for table in ("checkpoints", "endpoints", *(table.name for table in Integrity.tables)):
        await store.execute(f"TRUNCATE TABLE {table}")
    logs = logs_of(events)
    await folded(store, *logs)
    cases, standing = in_python(logs)
    listed = (await run_query(store, "integrity-cases", end=NOON + HOUR)).dicts()
    assert {row["case_id"]: row["state"] for row in listed} == {str(each): case.state for each, case in cases.items()}
    told = (await run_query(store, "integrity-decisions", end=NOON + HOUR)).dicts()
    in_force = sorted(row["reason"] for row in told if row["in_force"])
    assert in_force == sorted(each.event.reason for case in cases.values() for each in case.effective)
    rows = (await run_query(store, "standing")).dicts()
    wanted = [as_row(name, each) for name, each in standing.items()]
    assert [{key: row[key] for key in wanted[0]} for row in rows] == wanted if wanted else rows == []


async def test_a_ban_holds_for_the_whole_provider(store: ClickHouseStore) -> None:
    """A ban on one endpoint bans all of its provider's and nobody else's, until it is lifted from another log."""
    ban = UUID(int=50)
    events: list[tuple[str, int, Event]] = [
        ("lab", 0, suspected(1, "mini")),
        ("lab", 1, decided(1, "ban", decision=ban, reason="reserved machines")),
    ]
    await folded(store, *logs_of(events))
    rows = (await run_query(store, "standing")).dicts()
    assert [(row["endpoint"], row["banned"], row["reason"]) for row in rows] == [
        ("deep", True, "reserved machines"),
        ("mini", True, "reserved machines"),
    ]
    await folded(store, *logs_of([*events, ("office", 2, decided(1, "lift", lifts=ban))]))
    assert (await run_query(store, "standing")).dicts() == []


async def test_cases_say_what_was_found_and_decided(store: ClickHouseStore) -> None:
    """A case has its findings in words, who opened it, what is in force, and the newest decision with its reason."""
    found = suspected(1, "mini")
    evidence = (
        AccountEvidence(metric="ttft", pairs=24, ratio=1.41, p_value=0.1, corrected_p_value=0.2),
        AccountEvidence(
            metric="error-share", pairs=9, ratio=None, p_value=None, corrected_p_value=None, primary=0.0, other=0.125
        ),
    )
    by_person = structs.replace(suspected(2, "seen"), person="R. Novak", reason="answers look quantized")
    await folded(
        store,
        *logs_of(
            [
                ("lab", 0, structs.replace(found, evidence=evidence)),
                ("lab", 1, by_person),
                ("lab", 2, decided(1, "delist", person="A. Berg", reason="too slow for others")),
            ]
        ),
    )
    newest, older = (await run_query(store, "integrity-cases", end=NOON + HOUR)).dicts()
    assert (newest["endpoint"], newest["provider"], newest["state"]) == ("seen", "birch", "open")
    assert (newest["opened_by"], newest["decided"], newest["person"]) == (
        "R. Novak: answers look quantized",
        None,
        None,
    )
    assert (older["evidence"], older["findings"]) == ("ttft ratio 1.41, error-share 0 % against 12.5 %", 2)
    assert (older["state"], older["measures"], older["opened_by"]) == (
        "measures-in-force",
        "delist",
        "the comparison",
    )
    assert (older["person"], older["reason"]) == ("A. Berg", "too slow for others")
    assert older["decided"] == NOON + timedelta(minutes=2)
    chosen = (await run_query(store, "integrity-cases", end=NOON + HOUR, provider="birch")).dicts()
    assert [row["endpoint"] for row in chosen] == ["seen"]
    marks = (await run_query(store, "decisions", start=NOON, end=NOON + HOUR)).dicts()
    assert [(row["title"], row["text"]) for row in marks] == [("Decided: delist", "too slow for others (A. Berg)")]
