"""The daemon measures two accounts and looks at them: days of the built-in endpoints, in simulated time."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
import structlog

from daemon.cli.account_figures import account_figures
from daemon.configuration import builtin
from daemon.configuration.facts import with_sha256
from daemon.integrity.parameters import IntegrityParameters
from daemon.integrity.recomputing import recompute
from daemon.log import SqliteReader
from daemon.paths import DataPaths
from daemon.reference.endpoints import COMPARED_PROVIDER
from daemon.simulation.playing import play
from schemas.catalogue import ReasoningKind
from schemas.configuration import Configuration, IntegrityTable, PlanTable
from schemas.definitions import Definitions
from schemas.errors import LogError
from schemas.events import (
    AccountsCompared,
    AttemptCompleted,
    DaemonStopped,
    Event,
    IntegritySuspected,
    LogCheckpointed,
    decode_event,
)

DAY_NS = 86_400 * 1_000_000_000
START_NS = int(datetime(2026, 11, 2, 3, tzinfo=UTC).timestamp()) * 1_000_000_000


def compared_alone() -> Configuration:
    """Take the built-in provider with two accounts, and the cheapest rhythm that shows a difference in days."""
    plain = builtin()
    return with_sha256(
        msgspec.structs.replace(
            plain,
            providers=tuple(each for each in plain.providers if each.name == COMPARED_PROVIDER),
            endpoints=tuple(each for each in plain.endpoints if each.provider == COMPARED_PROVIDER),
            accounts=tuple(each for each in plain.accounts if each.provider == COMPARED_PROVIDER),
            plans=(PlanTable(workload="text-1k", every="3h"),),
        )
    )


def events(paths: DataPaths, kind: type[Event]) -> list[Any]:
    with closing(SqliteReader(paths.log)) as reader:
        return [decode_event(stored.envelope) for stored in reader.of_type(kind.TYPE, limit=100_000)]


def test_a_favoured_account_is_found_and_an_honest_endpoint_is_not(tmp_path: Path) -> None:
    """After three covered days a case stands at the endpoint that favours, and looks go on at both every day."""
    paths = DataPaths(tmp_path)
    with structlog.testing.capture_logs():
        play(
            compared_alone(),
            paths,
            start_wall_ns=START_NS,
            end_wall_ns=START_NS + 5 * DAY_NS,
            account_figures=account_figures,
        )
    (case,) = events(paths, IntegritySuspected)
    assert case.endpoint == "reference-partial"
    assert "ttft" in {each.metric for each in case.evidence}
    looks = [event.endpoint for event in events(paths, AccountsCompared)]
    assert sorted(looks) == ["reference-impartial"] * 5 + ["reference-partial"] * 5
    with closing(SqliteReader(paths.log)) as reader:
        again = recompute(reader, case.case, account_figures(Definitions()), IntegrityParameters(), Definitions().id)
    assert again.confirmed


@pytest.mark.parametrize("compare", [False, True], ids=["comparison off", "comparison on"])
def test_no_day_passes_without_a_checkpoint(tmp_path: Path, *, compare: bool) -> None:
    """A log too small for its 1,000th event in a day gets a checkpoint a day, and no second one beside a look's."""
    paths = DataPaths(tmp_path)
    plain = compared_alone()
    small = msgspec.structs.replace(plain, integrity=IntegrityTable(compare=compare), endpoints=plain.endpoints[:1])
    with structlog.testing.capture_logs():
        play(
            with_sha256(small),
            paths,
            start_wall_ns=START_NS,
            end_wall_ns=START_NS + 4 * DAY_NS,
            account_figures=account_figures,
        )
    with closing(SqliteReader(paths.log)) as reader:
        made = [stored.envelope.wall_ns for stored in reader.of_type(LogCheckpointed.TYPE, limit=100)]
    gaps = [later - earlier for earlier, later in pairwise([START_NS, *made])]
    assert max(gaps) < DAY_NS + 3600 * 1_000_000_000
    assert len(made) == (6 if compare else 4), "looks: one made up at the start, one a day; and one at the stop"


def test_a_look_that_fails_stops_no_measuring(tmp_path: Path) -> None:
    """Where figures cannot be computed every slot still runs to its end, and the failure is told each day."""

    def broken(completed: AttemptCompleted, reasoning: ReasoningKind) -> Any:  # noqa: ARG001  # the contract's
        raise LogError("no figures")

    paths = DataPaths(tmp_path)
    with structlog.testing.capture_logs() as told:
        play(
            compared_alone(),
            paths,
            start_wall_ns=START_NS,
            end_wall_ns=START_NS + 2 * DAY_NS,
            account_figures=lambda _: broken,
        )
    failed = [line for line in told if line["log_level"] == "error"]
    assert len(failed) == 2
    assert all("the look at accounts failed" in line["event"] for line in failed)
    assert sum(each.retry_of is None for each in events(paths, AttemptCompleted)) == 2 * 2 * 16
    (stopped,) = events(paths, DaemonStopped)
    assert stopped.reason == "signal"
