"""SIGTERM to a measuring daemon: what is in flight is finished or cancelled, and the log says which."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path

import pytest
from daemons import (
    Measured,
    Plan,
    ReferenceServerThread,
    acknowledged,
    assert_closed,
    events_of,
    messwerk,
    noted_in,
    sent_in,
    wait_until,
    write_configuration,
)

from daemon.paths import DataPaths
from schemas.events import AttemptCompleted, DaemonStarted, DaemonStopped, Event, LogCheckpointed, RunPlanned

pytestmark = pytest.mark.timeout(180)

QUICK = Measured(profile="calibration-quick", provider="quick")
SLOW = (Measured(profile="patient", provider="slow", output_tokens=None),)
"""Some forty seconds an answer: more than a stopping daemon waits."""


def daemon_arguments(paths: DataPaths, configuration: Path) -> tuple[str, ...]:
    return ("daemon", "--data", str(paths.root), "--config", str(configuration))


def endings(events: list[Event]) -> Counter[tuple[str, str, str]]:
    return Counter(
        (event.endpoint, event.status, event.failure.kind if event.failure else "")
        for event in events
        if isinstance(event, AttemptCompleted)
    )


def test_idle(tmp_path: Path, reference: ReferenceServerThread) -> None:
    """A daemon with nothing in flight stops at once with exit code 0 and seals its log."""
    configuration = write_configuration(tmp_path / "configuration", reference.base_url, [QUICK])
    paths = DataPaths(tmp_path / "data")
    with messwerk(*daemon_arguments(paths, configuration), stderr=tmp_path / "said") as process:
        wait_until(paths.log.exists, "there is a log")
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    *_, stopped, checkpoint = events_of(paths.log)
    assert isinstance(stopped, DaemonStopped)
    assert (stopped.reason, stopped.finished_in_flight, stopped.cancelled_in_flight) == ("signal", 0, 0)
    assert isinstance(checkpoint, LogCheckpointed)
    assert checkpoint.size == len(events_of(paths.log)) - 1


def test_what_ends_soon_is_finished_and_the_rest_is_cancelled(
    tmp_path: Path, reference: ReferenceServerThread
) -> None:
    """Short answers come through; after the grace long ones are cancelled and waiting requests closed unsent."""
    configuration = write_configuration(
        tmp_path / "configuration",
        reference.base_url,
        [Measured(profile="calibration-quick", provider="quick", output_tokens=1500), *SLOW],
        [
            Plan(workload="text-1k", endpoints=("calibration-quick",)),
            Plan(workload="text-10k", endpoints=("patient",)),
            Plan(workload="text-1k", scenario="parallel-10", endpoints=("patient",)),
        ],
        concurrency=1,
    )
    paths = DataPaths(tmp_path / "data")
    with messwerk(*daemon_arguments(paths, configuration), stderr=tmp_path / "said") as process:
        wait_until(
            lambda: noted_in(paths.log, RunPlanned) == 3 and sent_in(paths.log) >= 2,
            "all runs are planned, and a quick and a slow request are under way",
        )
        process.send_signal(signal.SIGTERM)
        told, _ = process.communicate()
        assert process.returncode == 0
    events = events_of(paths.log)
    assert_closed(events)
    found = endings(events)
    assert found["calibration-quick", "response", ""] == 1
    assert sum(found.values()) == 12
    # Either of the two slow runs may have come first at their provider; the other one waited.
    assert {key: count for key, count in found.items() if key[0] == "patient"} in (
        {("patient", "cancelled", "stopping"): 1, ("patient", "not-completed", "stopping"): 10},
        {("patient", "cancelled", "stopping"): 10, ("patient", "not-completed", "stopping"): 1},
    )
    for event in events:
        if isinstance(event, AttemptCompleted) and event.status == "cancelled":
            assert event.timing.sent_wall_ns is not None
            assert event.answer is not None
    *_, stopped, checkpoint = events
    assert isinstance(stopped, DaemonStopped)
    assert (stopped.reason, stopped.finished_in_flight, stopped.cancelled_in_flight) == ("signal", 1, 2)
    assert isinstance(checkpoint, LogCheckpointed)
    assert [event.seq for event in acknowledged(told)] == list(range(1, len(events)))


def test_a_second_signal_ends_it_at_once(tmp_path: Path, reference: ReferenceServerThread) -> None:
    """Told twice, the daemon ends without waiting, and the next start closes what that left open."""
    configuration = write_configuration(
        tmp_path / "configuration", reference.base_url, SLOW, [Plan(workload="text-1k", every="1d")]
    )
    paths = DataPaths(tmp_path / "data")
    with messwerk(*daemon_arguments(paths, configuration), stderr=tmp_path / "said") as process:
        wait_until(lambda: sent_in(paths.log) == 1, "a request is under way")
        process.send_signal(signal.SIGTERM)
        said = tmp_path / "said"
        wait_until(lambda: "waiting for requests under way" in said.read_text(), "the daemon begins to stop")
        process.send_signal(signal.SIGTERM)
        assert process.wait() == -signal.SIGTERM
    before = events_of(paths.log)
    assert not any(isinstance(event, DaemonStopped | AttemptCompleted) for event in before)
    with messwerk(*daemon_arguments(paths, configuration), stderr=tmp_path / "said again") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    events = events_of(paths.log)
    assert isinstance(events[len(before)], DaemonStarted)
    assert endings(events) == {("patient", "not-completed", "crash"): 1}
    assert_closed(events)
    assert "closed attempts that an earlier end left open" in (tmp_path / "said again").read_text()
