"""Queries of the office tasks on a real ClickHouse: every figure by a worked example."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any
from uuid import UUID

import pytest
from made_events import NOON, endpoint
from made_office import OfficeLog

from daemon.integrity.statistics import mcnemar
from daemon.judging.intervals import wilson
from daemon.judging.office.totals import FEWEST_PRIVATE, THRESHOLD
from daemon.judging.office.uncertainty import (
    FEWEST_UNITS,
    REPLICATES,
    Counts,
    compared,
    difference_interval,
    share_interval,
    weight_thresholds,
    weights,
)
from projections.queries import office_private, office_quality, resampling
from projections.queries.registry import run_query
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from schemas.definitions import Definitions

pytestmark = pytest.mark.clickhouse

Fields = Mapping[str, bool | str | None]
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
RIGHT: Fields = {"total": True, "currency": True, "issue_date": True, "vat_id": True}
WRONG: Fields = {**RIGHT, "total": "number_format"}


def opened(source: str = "lab") -> OfficeLog:
    log = OfficeLog(source)
    log.open(endpoint(), endpoint("deep", provider="birch"))
    return log


async def fold(store: ClickHouseStore, log: OfficeLog) -> None:
    runner = Runner(store, PROJECTIONS, Definitions())
    await runner.open()
    await runner.fold_available(LogSource(log))


async def asked(store: ClickHouseStore, log: OfficeLog, name: str, **parameters: Any) -> list[dict[str, Any]]:
    await fold(store, log)
    return (await run_query(store, name, **{"end": NOON, **parameters})).dicts()


async def one(store: ClickHouseStore, log: OfficeLog, name: str, **parameters: Any) -> dict[str, Any]:
    (row,) = await asked(store, log, name, **parameters)
    return row


async def test_shares_by_hand(store: ClickHouseStore) -> None:
    """Three documents of four fields with two mistakes: 10 of 12 right, one of three free of errors, two valid."""
    log = opened()
    log.answer("i-1-cs", RIGHT)
    log.answer("i-2-cs", WRONG)
    log.answer("i-3-cs", dict.fromkeys(("total",), "invalid_json") | {"vat_id": None})
    row = await one(store, log, "office-quality")
    assert (row["n"], row["fields"], row["right"]) == (3, 9, 7)
    assert (row["right_share"], row["error_free_share"], row["valid_share"]) == (7 / 9, 1 / 3, 2 / 3)
    assert (row["right_low"], row["right_high"]) == (None, None)
    assert (row["provider"], row["endpoint"], row["task"], row["language"]) == ("amber", "mini", "invoice", "cs")
    assert (row["oldest"], row["newest"], row["definition"], row["data_set"]) == (
        NOON - HOUR,
        NOON - HOUR,
        "office-fields 1",
        "1",
    )


@pytest.mark.parametrize(("wrong", "reaches"), [(5, True), (6, False)])
async def test_the_threshold_is_on_the_exact_fraction(store: ClickHouseStore, wrong: int, reaches: bool) -> None:  # noqa: FBT001  # a case
    """95 of 100 right fields reach the threshold, 94 do not."""
    log = opened()
    for number in range(25):
        log.answer(f"i-{number}-cs", WRONG if number < wrong else RIGHT)
    row = await one(store, log, "office-quality")
    assert (row["fields"], row["right"], row["reaches_threshold"]) == (100, 100 - wrong, reaches)
    assert row["threshold"] == float(THRESHOLD)


async def test_a_new_scoring_takes_the_place_of_the_old(store: ClickHouseStore) -> None:
    """Judgments that are superseded count no more, and without a word the newest version of the rules stands."""
    log = opened()
    first = log.ask("i-1-cs")
    (old,) = log.judge(first, "i-1-cs", {"total": "wrong_value"}, version="9")
    log.judge(first, "i-1-cs", {"total": True}, version="10", supersedes=old)
    second = log.ask("i-2-cs")
    log.judge(second, "i-2-cs", {"total": True}, version="10")
    log.judge(second, "i-2-cs", {"total": "wrong_value"}, version="9", at=NOON - 20 * MINUTE)
    row = await one(store, log, "office-quality")
    assert (row["n"], row["right"], row["definition"]) == (2, 2, "office-fields 10")


async def test_an_older_moment_shows_what_was_known(store: ClickHouseStore) -> None:
    """Asked for the moment before a re-scoring, figures are those of the scoring that stood then."""
    log = opened()
    attempt = log.ask("i-1-cs")
    (old,) = log.judge(attempt, "i-1-cs", {"total": "wrong_value"})
    log.judge(attempt, "i-1-cs", {"total": True}, version="2", supersedes=old, at=NOON - 5 * MINUTE)
    assert (await one(store, log, "office-quality"))["right"] == 1
    assert (await one(store, log, "office-quality", end=NOON - 10 * MINUTE))["right"] == 0


async def test_the_newest_answer_counts(store: ClickHouseStore) -> None:
    """A document answered again, by a new prompt or in a new data set, counts once, by the newest answer."""
    log = opened()
    log.answer("i-1-cs", WRONG, at=NOON - 5 * HOUR, run=UUID(int=1), cost="0.5")
    log.answer("i-1-cs", RIGHT, at=NOON - 4 * HOUR, run=UUID(int=2), prompt_version="2", cost="0.002")
    row = await one(store, log, "office-quality")
    assert (row["n"], row["error_free_share"], row["prompts"]) == (1, 1.0, "2")
    assert (await one(store, log, "office-costs"))["cost_usd_1000"] == 2.0
    log.answer("i-9-cs", WRONG, at=NOON - 3 * HOUR, data_set="2")
    row = await one(store, log, "office-quality")
    assert (row["n"], row["error_free_share"], row["data_set"]) == (1, 0.0, "2")


async def test_repetitions_and_controls_are_in_no_figure(store: ClickHouseStore) -> None:
    """Asks that are repeated on purpose, of control accounts, or stopped by us, are neither work nor cost."""
    log = opened()
    log.answer("i-1-cs", RIGHT)
    log.answer("i-1-cs", WRONG, repetition=2, at=NOON - 50 * MINUTE)
    log.answer("i-1-cs", WRONG, role="control", account="guest", at=NOON - 50 * MINUTE)
    log.ask("i-1-cs", failure="crash", status="not-completed", at=NOON - 2 * HOUR)
    assert (await one(store, log, "office-quality"))["error_free_share"] == 1.0
    row = await one(store, log, "office-costs")
    assert (row["n"], row["cost_usd_1000"], row["unknown_costs"]) == (1, 1.0, 0)


async def test_costs_by_hand(store: ClickHouseStore) -> None:
    """Two documents for 0.003 USD are 1.5 USD a thousand; half of them mended add 1,000, 875 EUR or 11,250 CZK."""
    log = opened()
    log.answer("i-1-cs", RIGHT, cost="0.001", latency_s=1.0)
    log.answer("i-2-cs", WRONG, cost="0.002", latency_s=4.0)
    log.rate("USD", "EUR", "0.5", on=date(2026, 11, 20))
    log.rate("USD", "EUR", "0.92", on=date(2026, 11, 27))
    log.rate("USD", "CZK", "20")
    row = await one(store, log, "office-costs")
    assert (row["n"], row["cost_usd_1000"], row["known_usd_1000"], row["faulty_share"]) == (2, 1.5, 1.5, 0.5)
    assert row["true_cost_usd_1000"] == 1001.5
    assert (row["cost_eur_1000"], row["true_cost_eur_1000"]) == pytest.approx((1.38, 876.38))
    assert (row["cost_czk_1000"], row["true_cost_czk_1000"]) == (30.0, 11280.0)
    assert (row["rate_eur"], row["rate_eur_on"], row["rate_czk"], row["rate_czk_on"]) == (
        0.92,
        "2026-11-27",
        20.0,
        "2026-11-27",
    )
    assert (row["latency_p50"], row["latency_mean"]) == (2.5, 2.5)
    assert row["latency_p90"] == pytest.approx(3.7)


async def test_asks_that_led_to_an_answer_are_paid_for(store: ClickHouseStore) -> None:
    """A rejected schema and a second ask belong to a document's cost, latency and shares, in a later run too."""
    log = opened()
    at = NOON - 3 * HOUR
    log.ask("i-1-cs", failure="invalid-request", at=at, run=UUID(int=1))
    log.ask("i-1-cs", kind="without-schema", cost="0.001", latency_s=2.0, at=at + MINUTE, run=UUID(int=1))
    log.answer("i-1-cs", RIGHT, kind="again", cost="0.004", latency_s=3.0, at=at + 60 * MINUTE, run=UUID(int=2))
    log.ask("i-2-cs", failure="rate-limited", at=at)
    log.answer("i-2-cs", RIGHT, cost="0.001", at=at + MINUTE)
    row = await one(store, log, "office-costs")
    assert (row["n"], row["cost_usd_1000"], row["unknown_costs"]) == (2, 3.0, 0)
    assert row["latency_mean"] == 3.0
    quality = await one(store, log, "office-quality")
    assert (quality["again_share"], quality["without_schema_share"]) == (0.5, 0.5)


async def test_without_a_schema_from_the_beginning(store: ClickHouseStore) -> None:
    """Where a schema is known to be refused and not tried, an answer's asks begin with the one without it."""
    log = opened()
    log.answer("i-1-cs", RIGHT, kind="without-schema", cost="0.5", at=NOON - 5 * HOUR, run=UUID(int=1))
    new: dict[str, Any] = {"prompt_version": "2", "run": UUID(int=2)}
    log.ask("i-1-cs", kind="without-schema", cost="0.001", at=NOON - 3 * HOUR, **new)
    log.answer("i-1-cs", RIGHT, kind="again", cost="0.002", at=NOON - 2 * HOUR, **new)
    assert (await one(store, log, "office-costs"))["cost_usd_1000"] == 3.0


async def test_an_answer_of_another_provider_is_paid_for_and_no_answer(store: ClickHouseStore) -> None:
    """What another provider than the pinned one said is no document's answer; its cost is one all the same."""
    log = opened()
    log.answer("i-1-cs", WRONG, cost="0.004", flags=("other-provider",), at=NOON - 2 * HOUR)
    assert await asked(store, log, "office-quality") == []
    log.answer("i-1-cs", RIGHT, cost="0.001")
    assert (await one(store, log, "office-quality"))["error_free_share"] == 1.0
    row = await one(store, log, "office-costs")
    assert (row["cost_usd_1000"], row["latency_mean"]) == (5.0, 1.0)


async def test_unknown_costs_stay_unknown(store: ClickHouseStore) -> None:
    """One unknown cost makes cost and true cost null, with what is known beside; without rates none is shown."""
    log = opened()
    log.answer("i-1-cs", RIGHT, cost="0.004")
    log.answer("i-2-cs", RIGHT, cost=None)
    row = await one(store, log, "office-costs")
    assert (row["cost_usd_1000"], row["true_cost_usd_1000"]) == (None, None)
    assert (row["known_usd_1000"], row["unknown_costs"], row["n"]) == (2.0, 1, 2)
    assert (row["rate_eur"], row["cost_eur_1000"], row["cost_czk_1000"]) == (None, None, None)


async def test_a_stalled_ask_may_have_been_paid_for(store: ClickHouseStore) -> None:
    """An ask that broke off while the answer came has an unknown cost, though the next one was answered."""
    log = opened()
    log.ask("i-1-cs", failure="stalled", at=NOON - 2 * HOUR)
    log.answer("i-1-cs", RIGHT, cost="0.001")
    row = await one(store, log, "office-costs")
    assert (row["cost_usd_1000"], row["known_usd_1000"], row["unknown_costs"]) == (None, 1.0, 1)


async def test_unjudged_documents_have_no_true_cost(store: ClickHouseStore) -> None:
    """Where nothing was judged there is a cost and neither faulty share nor true cost."""
    log = opened()
    log.ask("i-1-cs")
    row = await one(store, log, "office-costs")
    assert (row["cost_usd_1000"], row["faulty_share"], row["true_cost_usd_1000"]) == (1.0, None, None)
    assert await asked(store, log, "office-quality") == []


async def test_kinds_and_categories(store: ClickHouseStore) -> None:
    """Shares by tier, variant and layout, and wrong fields by category, are of the documents that have them."""
    log = opened()
    log.answer("i-1-cs", RIGHT, tier="scan", variant="standard", layout="ledger")
    log.answer("i-2-cs", {**WRONG, "vat_id": "invalid_json"}, tier="photo", variant="standard", layout="letter")
    log.answer("e-1-cs", {"customer": "diacritics_lost"}, work="email", layout="thread")
    tiers = await asked(store, log, "office-by-kind", dimension="tier")
    assert [(row["task"], row["kind"], row["n"], row["right_share"]) for row in tiers] == [
        ("invoice", "photo", 1, 0.5),
        ("invoice", "scan", 1, 1.0),
    ]
    layouts = await asked(store, log, "office-by-kind", dimension="layout")
    assert [(row["task"], row["kind"]) for row in layouts] == [
        ("email", "thread"),
        ("invoice", "ledger"),
        ("invoice", "letter"),
    ]
    fields = {(row["task"], row["field"]): row for row in await asked(store, log, "office-categories")}
    total = fields["invoice", "total"]
    assert (total["n"], total["right_share"], total["number_format"], total["wrong_value"]) == (2, 0.5, 1, 0)
    assert fields["invoice", "vat_id"]["invalid_json"] == 1
    assert fields["email", "customer"]["diacritics_lost"] == 1


def counts(n: int, seed: int) -> dict[str, Counts]:
    source = random.Random(seed)
    return {f"i-{number}-cs": (source.choice((13, 13, 13, 12, 12, 8)), 13) for number in range(n)}


def judged_like(log: OfficeLog, made: Mapping[str, Counts], **ask: Any) -> None:
    for document, (right, judged) in made.items():
        fields = {f"f{place}": place < right or "wrong_value" for place in range(judged)}
        log.answer(document, fields, **ask)


async def test_intervals_are_those_of_the_statement(store: ClickHouseStore) -> None:
    """The tables' intervals are to the ninth digit those that the pure functions give for the same documents."""
    assert (resampling.REPLICATES, resampling.FEWEST_UNITS) == (REPLICATES, FEWEST_UNITS)
    log, made = opened(), counts(40, seed=1)
    judged_like(log, made)
    row = await one(store, log, "office-quality")
    fields, free = share_interval(made), wilson(sum(right == 13 for right, _ in made.values()), 40)
    assert fields is not None
    assert free is not None
    assert (row["right_low"], row["right_high"]) == pytest.approx((fields.low, fields.high), abs=1e-9)
    assert (row["error_free_low"], row["error_free_high"]) == pytest.approx((free.low, free.high), abs=1e-9)


async def test_weights_are_those_of_the_statement(store: ClickHouseStore) -> None:
    """The draws of a name in SQL are those in Python, every one."""
    for name in ("i-1-cs", "Žluťoučký", ""):
        (row,) = (await store.select(f"SELECT {resampling.weights('{name:String}')} AS weights", {"name": name})).rows
        assert tuple(row[0]) == weights(name)
    assert tuple(resampling.thresholds()) == weight_thresholds()


async def test_two_models_by_hand(store: ClickHouseStore) -> None:
    """Models are compared over the documents that both answered, with the leader or with the one that is named."""
    log = opened()
    first, second = counts(30, seed=2), counts(36, seed=3)
    judged_like(log, first)
    judged_like(log, second, endpoint="deep")
    expected = compared({name: (first[name], second[name]) for name in first})
    row = await one(store, log, "office-comparison", against="deep")
    assert (row["endpoint"], row["against"], row["n"]) == ("mini", "deep", 30)
    assert row["difference"] == pytest.approx(expected.difference)
    assert expected.interval is not None
    assert (row["low"], row["high"]) == pytest.approx((expected.interval.low, expected.interval.high), abs=1e-9)
    assert (row["only_this"], row["only_against"]) == (expected.only_first, expected.only_second)
    assert row["p"] == pytest.approx(mcnemar(expected.only_first, expected.only_second), rel=1e-9)
    leader = await one(store, log, "office-comparison")
    assert leader["against"] == "deep"  # with six documents more it has more right fields
    other = await one(store, log, "office-comparison", against="mini")
    assert other["difference"] == pytest.approx(-row["difference"])
    assert await asked(store, log, "office-comparison", against="deep", endpoint="deep") == []


async def test_the_gap_is_over_common_fields(store: ClickHouseStore) -> None:
    """English less Czech, over pairs of which both were judged and fields that both have."""
    log = opened()
    pairs = {}
    for number in range(12):
        czech: Fields = {"total": number % 3 != 0 or "number_format", "currency": True, "vat_id": "wrong_value"}
        english: Fields = {"total": number != 0 or "wrong_value", "currency": True, "vat_id": None}
        log.answer(f"i-{number}-cs", czech)
        log.answer(f"i-{number}-en", english, language="en")
        pairs[f"i-{number}"] = ((1 + (number != 0), 2), (1 + (number % 3 != 0), 2))
    log.answer("i-99-cs", WRONG)
    row = await one(store, log, "office-language-gap")
    assert (row["n"], row["fields"], row["en_share"], row["cs_share"]) == (12, 24, 23 / 24, 20 / 24)
    assert row["gap"] == pytest.approx(3 / 24)
    expected = difference_interval(pairs)
    assert expected is not None
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert (row["only_en"], row["only_cs"], row["p"]) == (3, 0, pytest.approx(0.25))


async def test_the_tax_by_hand(store: ClickHouseStore) -> None:
    """Tokens less those of the empty prompt, over paragraphs counted in both languages, beyond English."""
    log = opened()
    tokens = {("a", "en"): 30, ("a", "cs"): 45, ("b", "en"): 50, ("b", "cs"): 75, ("c", "cs"): 1000, ("a", "de"): 34}
    for (paragraph, language), count in tokens.items():
        log.ask(paragraph, work="language-tax", language=language, pair=None, tokens=(count, 1))
    log.ask("c", work="language-tax", language="en", pair=None, tokens=(None, 1))
    assert await asked(store, log, "language-tax") == []
    log.ask("empty", work="language-tax", language="en", pair=None, tokens=(10, 1))
    found = {row["language"]: row for row in await asked(store, log, "language-tax")}
    assert {name: (row["n"], row["tokens"], row["english_tokens"]) for name, row in found.items()} == {
        "cs": (2, 100, 60),
        "de": (1, 24, 20),
        "en": (2, 60, 60),
    }
    assert found["cs"]["tax"] == pytest.approx(2 / 3)
    assert (found["de"]["tax"], found["en"]["tax"]) == (pytest.approx(0.2), 0.0)
    assert found["cs"]["overhead_tokens"] == 10


async def test_private_documents_are_in_totals_alone(store: ClickHouseStore) -> None:
    """Private documents add to costs and latencies, are in no share, and have totals of at least five of them."""
    assert office_private.FEWEST_PRIVATE == FEWEST_PRIVATE
    log = opened()
    log.answer("i-1-cs", RIGHT, cost="0.001")
    secret = "5f" * 32
    for number in range(3):
        attempt = log.ask(f"{secret}{number}", split="private", pair=None, cost="0.003")
        log.judge(attempt, f"{secret}{number}", WRONG)  # which nothing records; were it recorded, it would not count
    log.private(documents=FEWEST_PRIVATE, valid=5, error_free=4, judged=65, right=60)
    log.private(task="email", documents=FEWEST_PRIVATE - 1, valid=4, error_free=4, judged=36, right=36)
    row = await one(store, log, "office-private")
    assert (row["task"], row["n"], row["right_share"], row["error_free_share"]) == ("invoice", 5, 60 / 65, 0.8)
    assert (await one(store, log, "office-quality"))["n"] == 1
    costs = await one(store, log, "office-costs")
    assert (costs["n"], costs["cost_usd_1000"], costs["faulty_share"]) == (4, 2.5, 0.0)
    for name in ("office-quality", "office-costs", "office-categories", "office-language-gap", "office-private"):
        assert secret not in str(await asked(store, log, name))
    for dimension in ("tier", "variant", "layout"):
        assert secret not in str(await asked(store, log, "office-by-kind", dimension=dimension))


async def test_a_language_can_be_chosen(store: ClickHouseStore) -> None:
    """Figures of documents in one language are those that they have among both, and other documents have none."""
    log = opened()
    for name in ("mini", "deep"):
        for number in range(2):
            log.answer(f"i-{number}-cs", RIGHT, endpoint=name)
            log.answer(f"i-{number}-en", WRONG, endpoint=name, language="en")
        log.private(endpoint=name, language="en")
    queries = ("office-quality", "office-categories", "office-costs", "office-comparison", "office-private")
    for name in queries:
        both = await asked(store, log, name)
        assert await asked(store, log, name, language="en") == [row for row in both if row["language"] == "en"] != []
        assert await asked(store, log, name, language="cs") == [row for row in both if row["language"] == "cs"]


async def test_the_newest_totals_count(store: ClickHouseStore) -> None:
    """Of several totals of a task and language the newest is shown, which a re-scoring makes."""
    log = opened()
    log.ask("i-1-cs")
    log.private(right=500)
    log.private(right=620, version="2", at=NOON - 10 * MINUTE)
    row = await one(store, log, "office-private")
    assert (row["right_share"], row["definition"]) == (620 / 640, "office-fields 2")


async def test_rates_are_the_newest_of_their_pair(store: ClickHouseStore) -> None:
    """The rate of the latest day counts, however late another was declared, with who stated it."""
    log = opened()
    log.rate("USD", "CZK", "21", on=date(2026, 11, 28))
    log.rate("USD", "CZK", "19", on=date(2026, 11, 2), at=NOON - HOUR)
    row = await one(store, log, "exchange-rates")
    assert (row["base"], row["quote"], row["rate"], row["day"], row["stated_by"]) == (
        "USD",
        "CZK",
        21.0,
        "2026-11-28",
        "ECB",
    )


async def test_order_of_judgments_changes_nothing(store: ClickHouseStore) -> None:
    """Verdicts of one moment recorded in another order, after other answers, give the same figures."""

    def made(source: str, seed: int) -> OfficeLog:
        log, chance = opened(source), random.Random(seed)
        documents = [(f"i-{number}-{language}", language) for number in range(15) for language in ("cs", "en")]
        attempts = {name: log.ask(name, language=language) for name, language in documents}
        chance.shuffle(documents)
        for name, _ in documents:
            fields = [("total", hash_free(name) or "wrong_value"), ("currency", True), ("vat_id", None)]
            chance.shuffle(fields)
            log.judge(attempts[name], name, dict(fields))
        return log

    names = ("office-quality", "office-language-gap", "office-categories", "office-costs")
    first = {name: await asked(store, made("lab", 1), name) for name in names}
    await store.execute("TRUNCATE TABLE office_attempts")
    await store.execute("TRUNCATE TABLE office_judgments")
    second = {name: await asked(store, made("lab-2", 2), name) for name in names}
    assert first == second
    assert first["office-quality"][0]["n"] == 15


def hash_free(name: str) -> bool:
    return sum(name.encode()) % 4 != 0


def test_thresholds_are_one() -> None:
    """The threshold in SQL is the one that scoring has."""
    assert office_quality.THRESHOLD_PERCENT == 100 * THRESHOLD
