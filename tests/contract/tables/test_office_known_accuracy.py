"""From reference models of known accuracy, by true runs, log and tables, to figures: exactly what was planned."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import pytest
from office_running import Documents, OfficeSetting

from daemon.log import SqliteReader
from daemon.office.contract import OfficeRequest
from daemon.reference.office.planning import OfficeModel
from daemon.reference.replying import tokens_of
from daemon.workloads.office.language_tax import corpus
from projections.queries.registry import run_query
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from schemas.definitions import Definitions
from schemas.events import AttemptCompleted, DocumentAsked, PrivateTotalsRecorded
from schemas.office import ErrorCategory, Task

pytestmark = pytest.mark.clickhouse

PAIRS = 50
END = datetime(2040, 1, 1, tzinfo=UTC)
ERRING = OfficeModel(
    name="erring",
    title="",
    right_share=Fraction(93, 100),
    error_free_share=Fraction(61, 100),
    harder=frozenset({"photo", "cs", "credit-note", "thread"}),
)
WAYWARD = OfficeModel(name="wayward", title="", refuses_schema=True, broken_first=3, elsewhere_first=2)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> OfficeSetting:
    """Ask both models about fifty pairs of e-mails, and the first about invoices and the parallel paragraphs.

    Runs are in a simulated time of their own, so before any loop runs.
    """
    root = tmp_path_factory.mktemp("office")
    office = OfficeSetting(root, (ERRING, WAYWARD), documents=Documents(), served=PAIRS)
    assert office.run(OfficeRequest(works=("email",), pairs=PAIRS)).complete
    office.endpoints = office.endpoints[:1]
    assert office.run(OfficeRequest(works=("invoice", "language-tax"), pairs=PAIRS)).complete
    return office


@pytest.fixture
def private(tmp_path: Path) -> OfficeSetting:
    """Ask about fifteen pairs of which a third is private."""
    setting = OfficeSetting(tmp_path, (ERRING,), documents=Documents(salt="s" * 32), served=15)
    assert setting.run(OfficeRequest(works=("email",), pairs=15)).complete
    return setting


async def fold(store: ClickHouseStore, office: OfficeSetting) -> None:
    runner = Runner(store, PROJECTIONS, Definitions())
    await runner.open()
    with closing(SqliteReader(office.paths.log)) as reader:
        await runner.fold_available(LogSource(reader))


async def asked(store: ClickHouseStore, name: str, **parameters: Any) -> list[dict[str, Any]]:
    return (await run_query(store, name, end=END, **parameters)).dicts()


async def test_what_is_planned_is_what_is_shown(measured: OfficeSetting, store: ClickHouseStore) -> None:
    """93.0 % right fields and 61 % error-free documents are shown at exactly those counts, with their categories."""
    await fold(store, measured)
    plan = measured.office.plan("erring", "email")
    rows = await asked(store, "office-quality", endpoint="erring", task="email")
    assert [row["language"] for row in rows] in (["cs", "en"], ["en", "cs"])
    assert sum(row["n"] for row in rows) == 2 * PAIRS
    assert (sum(row["fields"] for row in rows), sum(row["right"] for row in rows)) == (plan.fields, plan.right)
    assert sum(round(row["error_free_share"] * row["n"]) for row in rows) == plan.error_free == 61
    assert Fraction(plan.right, plan.fields) == Fraction(93, 100)
    fields = await asked(store, "office-categories", endpoint="erring", task="email")
    counted = {category: sum(row[category] for row in fields) for category in get_args(ErrorCategory)}
    assert {category: count for category, count in counted.items() if count} == dict(plan.categories)
    gap = next(row for row in await asked(store, "office-language-gap", task="email") if row["endpoint"] == "erring")
    right = {row["language"]: row["right"] for row in rows}
    assert gap["gap"] == pytest.approx((right["en"] - right["cs"]) / (plan.fields / 2))
    assert gap["n"] == PAIRS


@pytest.mark.parametrize(("task", "harder"), [("invoice", ("photo", "credit-note")), ("email", ("thread",))])
async def test_kinds_of_documents_are_as_planned(
    measured: OfficeSetting, store: ClickHouseStore, task: Task, harder: tuple[str, ...]
) -> None:
    """By tier, variant, layout and language, right fields and error-free documents are those planned for each."""
    await fold(store, measured)
    plan = measured.office.plan("erring", task).documents
    facts = [one.facts for one, _ in measured.documents.documents(task, PAIRS)]
    shares: dict[str, list[tuple[int, int]]] = {}
    for dimension in ("tier", "variant", "layout") if task == "invoice" else ("layout",):
        rows = await asked(store, "office-by-kind", endpoint="erring", task=task, dimension=dimension)
        planned = {
            (language, kind): [
                each for each in facts if (each.language, getattr(each, dimension)) == (language, kind)
            ]
            for language, kind in {(each.language, getattr(each, dimension)) for each in facts}
        }
        assert len(rows) == len(planned)
        for row in rows:
            own = planned[row["language"], row["kind"]]
            wrong = [len(plan[each.id].mistakes) for each in own]
            assert (row["n"], row["fields"] - row["right"]) == (len(own), sum(wrong))
            assert round(row["error_free_share"] * row["n"]) == wrong.count(0)
            shares.setdefault(row["kind"], []).append((wrong.count(0), len(own)))
            shares.setdefault(row["language"], []).append((wrong.count(0), len(own)))
    free = {kind: sum(part for part, _ in each) / sum(of for _, of in each) for kind, each in shares.items()}
    assert all(free[kind] < 0.61 for kind in (*harder, "cs"))
    assert free["en"] > 0.61


async def test_costs_are_all_that_was_paid(measured: OfficeSetting, store: ClickHouseStore) -> None:
    """The cost of both models is the sum of every reported cost, re-asks and another provider's answers included."""
    await fold(store, measured)
    events = measured.events()
    work = {each.attempt: each.document.work for each in events if isinstance(each, DocumentAsked)}
    paid: dict[str, Decimal] = {}
    for each in events:
        if isinstance(each, AttemptCompleted) and work[each.attempt] == "email":
            paid[each.endpoint] = paid.get(each.endpoint, Decimal(0)) + (each.cost_reported_usd or 0)
    rows = await asked(store, "office-costs", task="email")
    for model in ("erring", "wayward"):
        own = [row for row in rows if row["endpoint"] == model]
        shown = sum(row["cost_usd_1000"] / 1000 * row["n"] for row in own)
        assert shown == pytest.approx(float(paid[model]), rel=1e-9)
        assert [row["unknown_costs"] for row in own] == [0, 0]
        for row in own:
            assert row["true_cost_usd_1000"] == pytest.approx(row["cost_usd_1000"] + 2000 * row["faulty_share"])
    wayward = await asked(store, "office-quality", endpoint="wayward")
    assert sum(round(row["again_share"] * row["n"]) for row in wayward) == 3
    assert [row["without_schema_share"] for row in wayward] == [1.0, 1.0]
    assert [row["error_free_share"] for row in wayward] == [1.0, 1.0]


async def test_the_tax_is_that_of_the_paragraphs(measured: OfficeSetting, store: ClickHouseStore) -> None:
    """The tax of each language is that of the model's own way to count tokens."""
    await fold(store, measured)
    overhead = tokens_of(".")
    english = sum(tokens_of(each.en) - overhead for each in corpus().values())
    found = {row["language"]: row for row in await asked(store, "language-tax")}
    assert set(found) == {"en", "cs", "de", "fr", "es", "pl"}
    for language, row in found.items():
        tokens = sum(tokens_of(getattr(each, language)) - overhead for each in corpus().values())
        assert (row["n"], row["tokens"], row["overhead_tokens"]) == (50, tokens, overhead)
        assert row["tax"] == pytest.approx(tokens / english - 1)


async def test_of_private_documents_only_totals_are_shown(private: OfficeSetting, store: ClickHouseStore) -> None:
    """Totals are those of the events; no figure of the open documents has a private one, no row names one."""
    await fold(store, private)
    events = private.events()
    totals = {each.language: each for each in events if isinstance(each, PrivateTotalsRecorded)}
    hidden = {
        each.document.id for each in events if isinstance(each, DocumentAsked) and each.document.split == "private"
    }
    assert len(hidden) == 10
    rows = await asked(store, "office-private")
    assert {row["language"]: (row["n"], row["fields"]) for row in rows} == {
        language: (each.documents, each.judged) for language, each in totals.items()
    }
    assert {row["n"] for row in await asked(store, "office-quality")} == {10}
    assert {row["n"] for row in await asked(store, "office-costs")} == {15}
    for name in ("office-quality", "office-costs", "office-categories", "office-private", "office-language-gap"):
        told = str(await asked(store, name))
        assert not [each for each in hidden if each in told]
