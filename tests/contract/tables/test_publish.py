"""Publishing from real tables: a decision takes a figure out of the snapshot, a later one brings it back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from made_events import NOON, MadeLog, endpoint, ns

from dashboards.publication.gathering import gather
from dashboards.publication.site import rendered
from projections.queries.registry import run_query
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from schemas.definitions import Definitions
from schemas.events import AttestationRecorded, IntegrityDecided, IntegritySuspected, LogCheckpointed
from schemas.events.integrity import Measure

pytestmark = pytest.mark.clickhouse

DAY = timedelta(days=1)
CASE = UUID(int=5)
PRIVATE = ("main", "guest", "Ada", "for reasons of ours")


def measured() -> MadeLog:
    log = MadeLog()
    log.open(endpoint(), endpoint("deep", reasoning="hidden"), endpoint("other", provider="birch"))
    for hours in range(1, 70, 6):
        log.run(
            NOON - timedelta(hours=hours),
            {"ttft_s": 1.0},
            {"ttft_s": 4.0, "account": "guest", "role": "control"},
            {"endpoint": "deep"},
            {"endpoint": "other"},
        )
    log.add(AttestationRecorded(endpoint="mini", statement="fp8 as sold", by="Amber"), NOON - DAY)
    log.add(LogCheckpointed(size=log.last_seq(), root=b"\x07" * 32), NOON)
    log.add(
        IntegritySuspected(
            case=CASE,
            endpoint="mini",
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
    return log


async def published(store: ClickHouseStore, log: MadeLog) -> Mapping[str, bytes]:
    runner = Runner(store, PROJECTIONS, Definitions())
    await runner.open()
    await runner.fold_available(LogSource(log))
    return rendered(await gather(partial(run_query, store), NOON + timedelta(minutes=5)))


def decide(log: MadeLog, measure: Measure, number: int = 1, **other: Any) -> None:
    event = IntegrityDecided(
        case=CASE,
        measure=measure,
        person="Ada",
        reason="for reasons of ours",
        decision=UUID(int=number),
        **other,
    )
    log.add(event, NOON + timedelta(seconds=number))


@pytest.mark.parametrize("measure", ["withhold", "delay", "remove", "delist", "ban"])
async def test_a_decision_takes_a_figure_out_and_a_later_one_brings_it_back(
    store: ClickHouseStore, measure: Measure
) -> None:
    """After a measure no file knows the endpoint any more; when it is lifted the snapshot is the one from before."""
    log = measured()
    before = await published(store, log)
    assert "mini.html" in before
    decide(log, measure, until_ns=ns(NOON + DAY) if measure == "delay" else None)
    without = await published(store, log)
    assert "mini.html" not in without
    assert not any(re.search(rb"\bmini\b", content) for content in without.values())
    assert ("deep.html" in without) == (measure != "ban")  # of the same provider
    assert "other.html" in without
    decide(log, "lift", 2, lifts=UUID(int=1))
    assert await published(store, log) == before


async def test_a_snapshot_is_the_same_from_the_same_tables(store: ClickHouseStore) -> None:
    """Asked twice for one moment, tables give equal bytes, whatever was appended behind the checkpoint meanwhile."""
    log = measured()
    first = await published(store, log)
    log.run(NOON + timedelta(minutes=1), {"ttft_s": 50.0})
    assert await published(store, log) == first


async def test_no_person_and_no_account_is_named(store: ClickHouseStore) -> None:
    """Names of accounts and persons and the reasons of decisions are in no file; a disclosed statement is."""
    log = measured()
    decide(log, "re-measure", account="guest")
    decide(log, "disclose", 2, statement="Measured again with an ordinary account.")
    files = await published(store, log)
    everything = b"\n".join(files.values()).decode().replace("<main>", "").replace("</main>", "").replace("main,", "")
    for word in PRIVATE:
        assert f'"{word}"' not in everything, word
        assert f",{word}," not in everything, word
        assert f">{word}<" not in everything, word
    assert "Ada" not in everything
    assert "for reasons of ours" not in everything
    assert "Measured again with an ordinary account." in everything
    assert b"ordinary account" in files["mini.html"]
    assert b"fp8 as sold" in files["mini.html"]
