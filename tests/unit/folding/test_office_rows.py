"""Rows of the office tasks: asks beside their attempts, unknown costs, private documents, verdicts and rates."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_events import NOON, answered, endpoint
from made_office import OfficeLog
from msgspec import structs

from projections import office_attempts
from projections.contract import AnyProjection
from projections.exchange_rates import ExchangeRates
from projections.folding import fold_batch
from projections.office_attempts import OfficeAttempts
from projections.office_judgments import OfficeJudgments
from projections.private_totals import PrivateTotals
from schemas.definitions import Definitions
from schemas.log import StoredEvent

OFFICE: tuple[AnyProjection, ...] = (OfficeAttempts(), OfficeJudgments(), PrivateTotals(), ExchangeRates())


def made() -> OfficeLog:
    log = OfficeLog()
    log.open(endpoint(simulated=True))
    return log


def rows(events: Sequence[StoredEvent], cuts: Sequence[int] = ()) -> dict[str, list[Any]]:
    """Fold events in batches that end at the cuts."""
    found: dict[str, list[Any]] = {}
    places: Any = {}
    edges = [0, *sorted(cuts), len(events)]
    for begin, end in pairwise(edges):
        if begin == end:
            continue
        folded = fold_batch(events[begin:end], OFFICE, places, Definitions())
        places = folded.places
        for table, some in folded.rows.items():
            found.setdefault(table, []).extend(some)
    return found


def test_an_attempt_has_what_it_asked_about() -> None:
    """An office attempt's row joins the ask with cost as returned, latency, tokens and the catalogue."""
    log = made()
    log.ask("i-1-cs", tier="scan", variant="advance", layout="ledger", cost="0.0012", latency_s=2.5, tokens=(900, 80))
    (row,) = rows(log.events)["office_attempts"]
    assert (row.work, row.language, row.document, row.pair) == ("invoice", "cs", "i-1-cs", "i-1")
    assert (row.tier, row.variant, row.layout, row.kind) == ("scan", "advance", "ledger", "first")
    assert (row.cost_usd, row.latency_us, row.input_tokens, row.output_tokens) == (
        Decimal("0.0012"),
        2_500_000,
        900,
        80,
    )
    assert (row.provider, row.model, row.vantage, row.simulated, row.answered) == (
        "amber",
        "mini-1",
        "vienna",
        True,
        True,
    )


def test_unknown_costs_stay_null() -> None:
    """A cost that is not returned is null; of what was refused before anything was generated none is missing."""
    log = made()
    log.ask("i-1-cs", cost=None)
    log.ask("i-2-cs", failure="rate-limited")
    log.ask("i-3-cs", failure="stalled")
    found = rows(log.events)["office_attempts"]
    assert [(row.cost_usd, row.may_cost, row.answered) for row in found] == [
        (None, True, True),
        (None, False, False),
        (None, True, False),
    ]
    assert [row.latency_us for row in found][1:] == [None, None]


def test_other_attempts_have_no_row() -> None:
    """Attempts without an ask, such as those of speed, are in no office table."""
    log = made()
    log.run(NOON, {})
    assert not rows(log.events).get("office_attempts")


def test_of_private_documents_there_is_a_hash() -> None:
    """A private document's row names neither pair nor tier, variant or layout."""
    log = made()
    log.ask("5f" * 32, split="private", pair=None, cost="0.001")
    (row,) = rows(log.events)["office_attempts"]
    assert (row.split, row.pair, row.tier, row.variant, row.layout) == ("private", None, None, None, None)


def test_verdicts_are_rows() -> None:
    """A field's verdict has its document, field, category and version; other judgments have no row."""
    log = made()
    attempt = log.ask("i-1-cs")
    log.judge(attempt, "i-1-cs", {"total": "number_format", "vat_id": None, "currency": True})
    log.judge(attempt, "i-1-cs", {"total": True}, suite="rubric")
    found = {row.field: row for row in rows(log.events)["office_judgments"]}
    assert {field: (row.verdict, row.category) for field, row in found.items()} == {
        "total": (False, "number_format"),
        "vat_id": (None, None),
        "currency": (True, None),
    }
    assert {row.document for row in found.values()} == {"i-1-cs"}


def test_totals_and_their_categories() -> None:
    """Private totals are one row, with a row for every field and category."""
    log = made()
    log.private(documents=50, valid=49, error_free=31, judged=640, right=597)
    found = rows(log.events)
    (total,) = found["private_totals"]
    assert (total.documents, total.valid, total.error_free, total.judged, total.right) == (50, 49, 31, 640, 597)
    assert [(row.field, row.category, row.wrong) for row in found["private_categories"]] == [
        ("total", "net_instead_of_total", 43)
    ]


@pytest.fixture(scope="module")
def busy() -> list[StoredEvent]:
    log = made()
    for number in range(6):
        attempt = log.ask(f"i-{number}-cs", cost=None if number == 3 else "0.001")
        if number == 2:
            attempt = log.ask(f"i-{number}-cs", kind="again")
        log.judge(attempt, f"i-{number}-cs", {"total": number % 2 == 0 or "wrong_value"})
    log.private()
    log.rate("USD", "EUR", "0.92")
    return log.events


@settings(max_examples=40, deadline=None)
@given(cuts=st.sets(st.integers(0, 40), max_size=8))
def test_batches_change_nothing(busy: list[StoredEvent], cuts: set[int]) -> None:
    """However the log is cut into batches, the rows are the same."""
    assert rows(busy, [cut for cut in cuts if cut <= len(busy)]) == rows(busy)


def test_asks_without_an_end_are_forgotten_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of asks that nothing completed only the newest are remembered, so that the state stays small."""
    monkeypatch.setattr(office_attempts, "MOST_OPEN_ASKS", 2)
    log = made()
    first, *others = [log.ask(f"i-{number}-cs", completed=False) for number in range(3)]
    for attempt in (first, *others):
        log.add(structs.replace(answered(NOON), attempt=attempt))
    assert [row.document for row in rows(log.events)["office_attempts"]] == ["i-1-cs", "i-2-cs"]
