"""What the public is shown, on real tables: under a checkpoint, of what stands, by the account that is shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from statistics import median
from typing import Any
from uuid import UUID

import pytest
from made_events import NOON, MadeLog, endpoint, ns

from projections.contract import AnyProjection
from projections.queries.registry import run_query
from projections.rebuild import rebuild
from projections.registry import PROJECTIONS, projections_named
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from schemas.definitions import Definitions
from schemas.events import AttestationRecorded, IntegrityDecided, IntegritySuspected, LogCheckpointed, UsageReported
from schemas.events.integrity import Measure

pytestmark = pytest.mark.clickhouse

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
CONTROL = {"account": "guest", "role": "control"}
CASE = UUID(int=77)


def opened() -> MadeLog:
    log = MadeLog()
    log.open(endpoint(), endpoint("deep", reasoning="hidden"), endpoint("other", provider="birch"))
    return log


def checkpointed(log: MadeLog, at: datetime = NOON, root: bytes = b"\xab" * 32) -> int:
    """Append a checkpoint over everything so far; return its size."""
    size = log.last_seq()
    log.add(LogCheckpointed(size=size, root=root, subtrees=()), at)
    return size


def suspected(log: MadeLog, name: str = "mini") -> None:
    log.add(
        IntegritySuspected(
            case=CASE,
            endpoint=name,
            workload="text-10k",
            account="main",
            compared_with="guest",
            window_start_ns=ns(NOON - 3 * DAY),
            window_end_ns=ns(NOON),
            evidence=(),
            definition="d",
        ),
        NOON,
    )


def decided(log: MadeLog, measure: Measure, number: int = 1, **other: Any) -> None:
    event = IntegrityDecided(
        case=CASE, measure=measure, person="Ada", reason="because", decision=UUID(int=number), **other
    )
    log.add(event, NOON + number * timedelta(seconds=1))


async def folded(store: ClickHouseStore, log: MadeLog, projections: Sequence[AnyProjection] = PROJECTIONS) -> None:
    runner = Runner(store, projections, Definitions())
    await runner.open()
    await runner.fold_available(LogSource(log))


async def board(store: ClickHouseStore, end: datetime = NOON) -> dict[str, dict[str, Any]]:
    """Rows of the public leaderboard by endpoint; the other public figures must be of the same endpoints."""
    rows = (await run_query(store, "public-leaderboard", end=end)).dicts()
    names = {row["endpoint"] for row in rows}
    assert {row["endpoint"] for row in (await run_query(store, "public-endpoints", end=end)).dicts()} == names
    history = (await run_query(store, "public-history", start=end - 30 * DAY, end=end)).dicts()
    assert {row["endpoint"] for row in history} == names
    return {row["endpoint"]: row for row in rows}


def measured() -> MadeLog:
    log = opened()
    log.run(
        NOON - DAY,
        {"ttft_s": 1.0},
        {"ttft_s": 4.0, **CONTROL},
        {"endpoint": "deep"},
        {"endpoint": "other"},
    )
    checkpointed(log, NOON - HOUR)
    return log


async def test_figures_are_as_of_the_newest_checkpoint(store: ClickHouseStore) -> None:
    """Events behind the newest checkpoint are in no public figure, and rows name its size, root and time."""
    log = opened()
    log.run(NOON - DAY, {"ttft_s": 1.0})
    checkpointed(log, NOON - DAY, b"\x01" * 32)
    log.run(NOON - 12 * HOUR, {"ttft_s": 3.0})
    size = checkpointed(log, NOON - 2 * HOUR)
    log.run(NOON - HOUR, {"ttft_s": 100.0})
    checkpointed(log, NOON + HOUR, b"\x02" * 32)
    await folded(store, log)
    row = (await board(store))["mini"]
    assert (row["ttft_p50"], row["n"], row["checkpoint_size"]) == (2.0, 2, size)
    assert (row["checkpoint_root"], row["checkpointed"]) == ("ab" * 32, NOON - 2 * HOUR)
    assert row["newest"] == NOON - 12 * HOUR
    days = (await run_query(store, "public-history", start=NOON - 3 * DAY, end=NOON)).dicts()
    assert [(day["ttft_p50"], day["n"], day["checkpoint_size"]) for day in days] == [(1.0, 1, size), (3.0, 1, size)]


@pytest.mark.parametrize("behind", ["attempts", "integrity", "catalogue", "office-judgments"])
async def test_a_checkpoint_counts_once_everything_under_it_is_folded(store: ClickHouseStore, behind: str) -> None:
    """While a table lacks events under the newest checkpoint, figures and what names them stay at the one before."""
    log = opened()
    log.run(NOON - DAY, {"ttft_s": 1.0})
    size = checkpointed(log, NOON - DAY, b"\x01" * 32)
    await folded(store, log)
    log.run(NOON - 2 * HOUR, {"ttft_s": 3.0})
    newest = checkpointed(log, NOON - HOUR)
    await folded(store, log, [each for each in PROJECTIONS if each.name != behind])
    (named,) = (await run_query(store, "public-checkpoints", end=NOON)).dicts()
    row = (await board(store))["mini"]
    assert (row["n"], row["checkpoint_size"], row["checkpoint_root"]) == (1, size, "01" * 32)
    assert (named["size"], named["root"], named["time"]) == (size, row["checkpoint_root"], NOON - DAY)
    await folded(store, log)
    (named,) = (await run_query(store, "public-checkpoints", end=NOON)).dicts()
    assert (await board(store))["mini"]["checkpoint_size"] == named["size"] == newest


async def test_rebuilt_tables_count_as_far_as_the_rebuild_came(store: ClickHouseStore) -> None:
    """While rebuilt tables lack what others had folded meanwhile, figures stay at the checkpoint that they reach."""
    log, short, attempts = opened(), MadeLog(), projections_named(["attempts"])
    log.run(NOON - DAY, {"ttft_s": 1.0})
    size = checkpointed(log, NOON - DAY)
    short.events = list(log.events)
    log.run(NOON - 2 * HOUR, {"ttft_s": 3.0})
    newest = checkpointed(log, NOON - HOUR)
    await folded(store, log)
    assert (await board(store))["mini"]["checkpoint_size"] == newest
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Runner, "fold_available", killed)
        with pytest.raises(KilledHereError):
            await rebuild(store, LogSource(short), attempts, Definitions())
    row = (await board(store))["mini"]
    assert (row["n"], row["checkpoint_size"]) == (1, size)
    await folded(store, log)
    row = (await board(store))["mini"]
    assert (row["n"], row["checkpoint_size"]) == (2, newest)


class KilledHereError(Exception):
    pass


async def killed(*_: object) -> None:
    raise KilledHereError


async def test_without_a_checkpoint_nothing_is_public(store: ClickHouseStore) -> None:
    """A log without a checkpoint has no public figure, because nobody could hold it to anything."""
    log = opened()
    log.run(NOON - DAY, {})
    await folded(store, log)
    assert await board(store) == {}


@pytest.mark.parametrize("measure", ["withhold", "remove", "delist"])
async def test_what_does_not_stand_is_absent_until_it_is_lifted(store: ClickHouseStore, measure: Measure) -> None:
    """A measure against an endpoint takes its figures out of every public table; lifting it brings them back."""
    log = measured()
    suspected(log)
    await folded(store, log)
    before = await board(store)
    assert set(before) == {"mini", "deep", "other"}
    decided(log, measure)
    await folded(store, log)
    assert set(await board(store)) == {"deep", "other"}
    (told,) = (await run_query(store, "standing")).dicts()
    assert (told["endpoint"], told["reason"]) == ("mini", "because")
    decided(log, "lift", 2, lifts=UUID(int=1))
    await folded(store, log)
    assert await board(store) == before


async def test_a_ban_takes_out_the_whole_provider(store: ClickHouseStore) -> None:
    """A ban takes every endpoint of the provider out, and a cleared case brings them back."""
    log = measured()
    suspected(log)
    decided(log, "ban")
    await folded(store, log)
    assert set(await board(store)) == {"other"}
    decided(log, "clear", 2)
    await folded(store, log)
    assert set(await board(store)) == {"mini", "deep", "other"}


async def test_a_delay_ends_at_its_moment(store: ClickHouseStore) -> None:
    """Delayed figures are absent before the decision's moment and there from it on."""
    log = measured()
    suspected(log)
    decided(log, "delay", until_ns=ns(NOON + HOUR))
    await folded(store, log)
    assert "mini" not in await board(store, NOON + HOUR - timedelta(microseconds=1))
    assert (await board(store, NOON + HOUR))["mini"]["ttft_p50"] == 1.0
    decided(log, "disclose", 2, statement="Delayed.")
    await folded(store, log)
    for end, absent in ((NOON, True), (NOON + HOUR, False)):
        (told,) = (await run_query(store, "public-disclosures", end=end)).dicts()
        assert told["figures_absent"] is absent


async def test_measured_again_shows_the_ordinary_account(store: ClickHouseStore) -> None:
    """After a re-measurement the named account's figures are the public ones, marked, and no name is shown."""
    log = measured()
    suspected(log)
    decided(log, "re-measure", account="guest")
    await folded(store, log)
    rows = await board(store)
    shown = rows["mini"]
    assert (shown["ttft_p50"], shown["account_kind"], shown["measured_again"]) == (4.0, "anonymous", True)
    assert (rows["deep"]["account_kind"], rows["deep"]["measured_again"]) == ("primary", False)


async def test_reasoning_is_that_of_the_account_that_is_shown(store: ClickHouseStore) -> None:
    """Totals of a re-measured endpoint use the average reasoning tokens of the account whose figures are shown."""
    log = opened()
    log.run(NOON - DAY, {"endpoint": "deep"}, {"endpoint": "deep", **CONTROL})
    for prompt in range(60):
        asked = {"suite": "reasoning", "endpoint": "deep", "prompt_task": f"p{prompt}"}
        usage = {
            tokens: UsageReported(input_tokens=1, output_tokens=9999, reasoning_tokens=tokens)
            for tokens in (100, 900)
        }
        log.run(
            NOON - DAY,
            {**asked, "usage": usage[100]},
            {**asked, "usage": usage[900], **CONTROL},
            workload="reasoning",
        )
    checkpointed(log, NOON - HOUR)
    suspected(log, "deep")
    await folded(store, log)
    usual = (await board(store))["deep"]
    decided(log, "re-measure", account="guest")
    await folded(store, log)
    again = (await board(store))["deep"]
    assert usual["total_100_p50"] == pytest.approx(0.5 + 100 / 100 + 100 / 100)
    assert again["total_100_p50"] == pytest.approx(0.5 + 900 / 100 + 100 / 100)
    assert (usual["total_assumed"], again["total_assumed"]) == (False, False)


async def test_statements_and_attestations_are_told(store: ClickHouseStore) -> None:
    """A disclosed statement and a provider's newest attestation are public; the reason of a decision is not."""
    log = measured()
    suspected(log)
    for version in ("1", "2"):
        log.add(
            AttestationRecorded(endpoint="mini", statement="as sold", by="Amber, 2026", model_version=version),
            NOON - HOUR,
        )
    decided(log, "withhold")
    decided(log, "disclose", 2, statement="Accounts differed.")
    await folded(store, log)
    answer = (await run_query(store, "public-disclosures", end=NOON)).dicts()
    assert [(row["endpoint"], row["statement"], row["figures_absent"]) for row in answer] == [
        ("mini", "Accounts differed.", True)
    ]
    assert "because" not in str(answer)
    (attested,) = (await run_query(store, "public-attestations", end=NOON)).dicts()
    assert (attested["endpoint"], attested["model_version"], attested["stated_by"]) == ("mini", "2", "Amber, 2026")


@pytest.mark.parametrize("n", [5, 8, 11, 24, 60])
async def test_intervals_of_medians_hold_their_promise(store: ClickHouseStore, n: int) -> None:
    """The interval's ends are values whose ranks enclose the median with at least 95 %, exactly; none under 8."""
    log = opened()
    values = [(index * 37 % n + 1) / 10 for index in range(n)]
    log.run(NOON - DAY, *({"ttft_s": value} for value in values))
    checkpointed(log, NOON - HOUR)
    await folded(store, log)
    row = (await board(store))["mini"]
    assert row["ttft_p50"] == pytest.approx(median(values))
    if n < 8:
        assert (row["ttft_low"], row["ttft_high"]) == (None, None)
        return
    ordered = sorted(values)
    low, high = (min(range(n), key=lambda place: abs(ordered[place] - row[end])) for end in ("ttft_low", "ttft_high"))
    assert [ordered[low], ordered[high]] == pytest.approx([row["ttft_low"], row["ttft_high"]])
    outside = 2 * sum(math.comb(n, below) for below in range(low + 1)) / 2**n
    assert high == n - 1 - low
    assert outside <= 0.05
