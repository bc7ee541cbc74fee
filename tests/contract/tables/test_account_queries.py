"""Queries of the Accounts dashboard: newest looks, pairs, distributions, failures, attestations."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from made_events import NOON, MadeLog, endpoint, ns
from msgspec import structs

from projections.queries.registry import query_named, run_query
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from schemas.definitions import Definitions
from schemas.events import AccountsCompared, AttestationRecorded, IntegrityDecided, IntegritySuspected
from schemas.events.integrity import AccountEvidence, ComparedRows

pytestmark = pytest.mark.clickhouse

HOUR = timedelta(hours=1)
GUEST: dict[str, Any] = {"account": "guest", "role": "control"}


def opened() -> MadeLog:
    log = MadeLog()
    log.open(endpoint(), endpoint("deep", provider="birch"))
    return log


async def asked(store: ClickHouseStore, log: MadeLog, name: str, **parameters: Any) -> list[dict[str, Any]]:
    runner = Runner(store, PROJECTIONS, Definitions())
    await runner.open()
    await runner.fold_available(LogSource(log))
    known = {each.name for each in query_named(name).parameters}
    span = {"start": NOON - timedelta(days=3), "end": NOON}
    return (
        await run_query(store, name, **{key: value for key, value in span.items() if key in known}, **parameters)
    ).dicts()


def found(metric: str, **other: Any) -> AccountEvidence:
    return AccountEvidence(
        **{
            "metric": metric,
            "workload": "text-10k",
            "window_h": 72,
            "pairs": 24,
            "runs": 23,
            "ratio": None,
            "p_value": None,
            "corrected_p_value": None,
            **other,
        }
    )


def look(number: int, name: str = "mini", *evidence: AccountEvidence) -> AccountsCompared:
    rows = ComparedRows(
        window_h=72, start_ns=ns(NOON - 72 * HOUR), end_ns=ns(NOON), runs=23, pairs=24, sha256="ab" * 32
    )
    return AccountsCompared(
        look=UUID(int=number),
        endpoint=name,
        account="main",
        compared_with="guest",
        rows=(rows,),
        evidence=evidence,
        parameters="p",
        definition="d",
    )


def suspected(number: int, *evidence: AccountEvidence) -> IntegritySuspected:
    return IntegritySuspected(
        case=UUID(int=number),
        endpoint="mini",
        workload="text-10k",
        account="main",
        compared_with="guest",
        window_start_ns=1,
        window_end_ns=2,
        evidence=evidence,
        definition="d",
    )


async def test_verdicts_are_those_of_the_newest_look(store: ClickHouseStore) -> None:
    """Of each endpoint and pair the newest look stands, material ones first, with the shares of 429 beside them."""
    log = opened()
    log.add(look(1, "mini", found("ttft", ratio=9.0, verdict="material")), NOON - 30 * HOUR)
    log.add(
        look(
            2,
            "mini",
            found("output-speed", ratio=1.0, low=0.98, high=1.02, corrected_p_value=0.9, verdict="not-material"),
            found("rate-limited-share", primary=0.01, other=0.2, verdict="unknown"),
            found("ttft", ratio=1.4, low=1.3, high=1.5, corrected_p_value=1e-6, verdict="material"),
            found("ttft", workload="text-1k", ratio=1.0, verdict="not-material"),
        ),
        NOON - 6 * HOUR,
    )
    log.add(look(2, "deep", found("ttft", workload="all", ratio=1.0, verdict="not-material")), NOON - 6 * HOUR)
    rows = await asked(store, log, "account-verdicts", workload="text-10k")
    assert [(row["provider"], row["endpoint"], row["workload"], row["metric"]) for row in rows] == [
        ("amber", "mini", "text-10k", "ttft"),
        ("birch", "deep", "all", "ttft"),
        ("amber", "mini", "text-10k", "output-speed"),
        ("amber", "mini", "text-10k", "rate-limited-share"),
    ]
    first = rows[0]
    assert (first["n"], first["runs"], first["ratio"], first["low"], first["high"]) == (24, 23, 1.4, 1.3, 1.5)
    assert (first["corrected_p"], first["looked"]) == (1e-6, NOON - 6 * HOUR)
    assert (first["account_limited_share"], first["compared_limited_share"]) == (0.01, 0.2)
    assert rows[1]["account_limited_share"] is None
    assert [row["verdict"] for row in rows] == ["material", "not-material", "not-material", "unknown"]
    assert len(await asked(store, log, "account-verdicts")) == 5
    assert [row["endpoint"] for row in await asked(store, log, "account-verdicts", provider="birch")] == ["deep"]


async def test_shares_are_never_told_by_a_ratio(store: ClickHouseStore) -> None:
    """More errors are told as both shares: the ratio that is judged is of requests without one, and below one."""
    log = opened()
    errors = found("error-share", ratio=0.75, primary=0.0, other=0.25, corrected_p_value=1e-6, verdict="material")
    counts = found("input-tokens", ratio=1.2, primary=0.0, other=1.0, corrected_p_value=1e-6, verdict="material")
    log.add(look(1, "mini", errors, counts), NOON - 6 * HOUR)
    log.add(suspected(1, errors, counts), NOON - 6 * HOUR)
    rows = await asked(store, log, "account-verdicts")
    assert [(row["metric"], row["ratio"], row["compared_share"]) for row in rows] == [
        ("error-share", None, 0.25),
        ("input-tokens", 1.2, 1.0),
    ]
    (case,) = await asked(store, log, "integrity-cases")
    assert case["evidence"] == "error-share 0 % against 25 %, input-tokens 0 % against 100 %"


async def test_an_open_case_is_said_where_nothing_is_judged(store: ClickHouseStore) -> None:
    """While a pair's case is not cleared, its figures go on without a verdict, and the table says why."""
    log = opened()
    log.add(suspected(1), NOON - 9 * HOUR)
    log.add(look(1, "mini", found("ttft", ratio=1.4, verdict="unknown")), NOON - 6 * HOUR)
    assert [row["verdict"] for row in await asked(store, log, "account-verdicts")] == ["case open"]
    log.add(IntegrityDecided(case=UUID(int=1), measure="clear", person="p", reason="r"), NOON - 5 * HOUR)
    assert [row["verdict"] for row in await asked(store, log, "account-verdicts")] == ["unknown"]


def pairs(log: MadeLog) -> None:
    """Three pairs of which one failed, and a retry, which is no pair's."""
    for hours, mine, theirs in ((5, 0.1, 0.2), (4, 0.2, 0.3)):
        log.run(NOON - hours * HOUR, {"ttft_s": mine}, {"ttft_s": theirs, "speed": 50.0, **GUEST})
    log.run(NOON - 3 * HOUR, {"ttft_s": 0.2}, {"failure_kind": "rate-limited", **GUEST})
    log.run(NOON - 2 * HOUR, {"ttft_s": 0.2}, {"ttft_s": 9.0, "retry_of": UUID(int=5), **GUEST})


async def test_pairs_are_as_close_as_the_comparison_asks(store: ClickHouseStore) -> None:
    """The bound of a pair's skew is the one of the newest look, of each log its own, and 50 ms before any."""
    log = opened()
    for hours, apart_ms in ((5, 5), (4, 45), (3, 80)):
        log.run(NOON - hours * HOUR, {}, {"skew_ms": apart_ms, **GUEST})

    async def drawn() -> int:
        rows = await asked(store, log, "account-pairs-over-time", step_s=3 * 86400, endpoint="mini")
        return sum(row["n"] for row in rows)

    assert await drawn() == 2
    for number, (bound_ms, n) in enumerate(((20.0, 1), (100.0, 3), (None, 3)), 1):
        compared = look(number, "mini", found("ttft", ratio=1.0, verdict="not-material"))
        log.add(structs.replace(compared, max_start_skew_ms=bound_ms), NOON - 3 * HOUR + number * HOUR / 4)
        assert await drawn() == n


async def test_pairs_are_compared_within_their_step(store: ClickHouseStore) -> None:
    """The ratio is the other account's value over the shown one's, of first attempts that both came through."""
    log = opened()
    pairs(log)
    rows = await asked(store, log, "account-pairs-over-time", step_s=3 * 86400, endpoint="mini")
    (row,) = rows
    assert (row["account"], row["compared_with"], row["n"]) == ("main", "guest", 2)
    assert row["ttft_p50"] == pytest.approx((2.0 + 1.5) / 2)
    assert (row["ttft_p25"], row["ttft_p75"]) == (pytest.approx(1.625), pytest.approx(1.875))
    assert row["speed_p50"] == pytest.approx(0.5)
    assert await asked(store, log, "account-pairs-over-time", account="another") == []
    assert len(await asked(store, log, "account-pairs-over-time", account="guest", step_s=3600)) == 2


async def test_distributions_reach_one(store: ClickHouseStore) -> None:
    """Each side's share grows with the value from its first one to 1, and the same pairs are on both sides."""
    log = opened()
    pairs(log)
    rows = await asked(store, log, "account-ttft-distribution")
    assert [(row["value"], row["shown"], row["compared"], row["n"]) for row in rows] == [
        (0.1, 0.5, 0.0, 2),
        (0.2, 1.0, 0.5, 2),
        (0.3, 1.0, 1.0, 2),
    ]
    assert [row["value"] for row in await asked(store, log, "account-speed-distribution")] == pytest.approx([50, 100])


async def test_failures_are_shares_of_each_account(store: ClickHouseStore) -> None:
    """Both accounts stand there with their own shares, the one that is shown first."""
    log = opened()
    pairs(log)
    shown, other = await asked(store, log, "account-failures")
    assert (shown["account"], shown["role"], shown["n"], shown["rate_limited_share"]) == ("main", "measuring", 4, 0.0)
    assert (other["account"], other["n"], other["rate_limited_share"]) == ("guest", 4, 0.25)


async def test_the_newest_attestation_counts(store: ClickHouseStore) -> None:
    """Of each endpoint the newest attestation stands, with what it leaves open as unknown."""
    log = opened()
    said = AttestationRecorded(endpoint="mini", statement="fp8 for all", by="Amber", quantization="fp8")
    log.add(said, NOON - 9 * HOUR)
    log.add(structs.replace(said, quantization="fp4", public_standard_offer=True), NOON - 2 * HOUR)
    (row,) = await asked(store, log, "attestations")
    assert (row["provider"], row["endpoint"], row["quantization"], row["context_tokens"]) == (
        "amber",
        "mini",
        "fp4",
        None,
    )
    assert row["public_standard_offer"] is True
