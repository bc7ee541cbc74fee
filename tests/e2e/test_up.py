"""``messwerk up`` as a newcomer runs it: an address, a page with a past, measuring by itself, and a clean end."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from daemons import events_of, sent_in, wait_until

from daemon.paths import DataPaths
from schemas.events import (
    AttemptCompleted,
    CalibrationCompleted,
    DaemonStarted,
    DaemonStopped,
    LogCheckpointed,
    RunPlanned,
)

pytestmark = [pytest.mark.clickhouse, pytest.mark.timeout(300)]

FIGURES = ("ttft_p50", "ttfat_p50", "output_speed_p50", "end_to_end_p50")
_ADDRESS = re.compile(r"Messwerk's page: (http://127\.0\.0\.1:[0-9]+/)")


class Up:
    """A running ``messwerk up``."""

    def __init__(self, directory: Path, *options: str) -> None:
        directory.mkdir(exist_ok=True)
        self.paths = DataPaths(directory / "data")
        self.out, self.said = directory / "out", directory / "said"
        with self.out.open("w") as out, self.said.open("w") as said:
            self.process = subprocess.Popen(
                [*MESSWERK, "up", "--data", str(self.paths.root), "--port", "0", *options], stdout=out, stderr=said
            )

    def wait_until(self, true: Callable[[], bool], what: str) -> None:
        """Wait for something that it does, but not longer than it lives."""
        wait_until(lambda: true() or self.process.poll() is not None, what, within_s=180)
        assert self.process.poll() is None, self.said.read_text()[-2000:]

    @property
    def address(self) -> str:
        """Where the page is."""
        self.wait_until(lambda: _ADDRESS.search(self.out.read_text()) is not None, "the page's address is printed")
        found = _ADDRESS.search(self.out.read_text())
        assert found is not None
        return found[1]

    def ask(self, path: str) -> Any:
        """Ask the page's API."""
        with urllib.request.urlopen(self.address + path, timeout=30) as answer:
            return json.load(answer)

    def panel(self, path: str) -> list[dict[str, Any]]:
        """Rows of a panel, as the page gets them."""
        figures = self.ask(f"api/panel/{path}")
        names = [column["name"] for column in figures["columns"]]
        return [dict(zip(names, row, strict=True)) for row in figures["rows"]]


MESSWERK = (sys.executable, "-m", "daemon.cli")


def messwerk(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*MESSWERK, *arguments], capture_output=True, text=True, check=False)


def children_of(pid: int) -> set[int]:
    """Find the processes below one, at any depth."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue  # ended while we looked
    found, grown = {pid}, True
    while grown:
        below = {child for child, parent in parents.items() if parent in found}
        grown = not below <= found
        found |= below
    return found - {pid}


@contextmanager
def running(directory: Path, *options: str) -> Iterator[Up]:
    up = Up(directory, *options)
    try:
        yield up
    finally:
        if up.process.poll() is None:
            up.process.kill()
            up.process.wait()


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """Run one with a day of history, for all tests that only look."""
    with running(tmp_path_factory.mktemp("up"), "--days", "1") as up:
        up.wait_until(lambda: lives(up.paths), "the daemon measures by itself")
        yield up


def calibrated_runs(paths: DataPaths) -> list[RunPlanned]:
    """Find the runs whose plan names a calibration made for them, in order."""
    planned = (event for event in events_of(paths.log) if isinstance(event, RunPlanned))
    return [run for run in planned if run.calibration is not None and run.calibration_basis == "fresh"]


def lives(paths: DataPaths) -> bool:
    """Tell whether a daemon that is not simulated has sent a request."""
    if not sent_in(paths.log):
        return False
    starts = [event for event in events_of(paths.log) if isinstance(event, DaemonStarted)]
    return not starts[-1].simulated and events_of(paths.log)[-1].TYPE != DaemonStarted.TYPE


def test_the_page_shows_figures_of_simulated_endpoints(up: Up) -> None:
    """The leaderboard has TTFT, TTFAT, speed and end-to-end for all eleven endpoints, each marked as simulated."""
    rows = up.panel("overview/leaderboard?workload=text-1k&scenario=single")
    assert len({row["endpoint"] for row in rows}) == 11
    for row in rows:
        assert row["simulated"] is True
        assert row["n"] >= 3
        assert all(row[figure] > 0 for figure in FIGURES), row
    site = up.ask("api/site")
    assert site["all_simulated"] is True
    assert len(site["catalogue"]["endpoints"]) == 11


def test_one_endpoint_has_its_figures_too(up: Up) -> None:
    """An endpoint's own dashboard has TTFT before TTFAT where reasoning is shown, and marks it as simulated."""
    rows = up.panel("endpoint/figures?endpoint=reference-thinker&workload=text-1k&scenario=single")
    median = {row["metric"]: row["p50"] for row in rows}
    assert median["ttft"] < median["ttfat"] < median["end-to-end"]
    assert median["output-speed"] > 0
    assert all(row["simulated"] for row in rows)


def test_slots_begin_by_themselves(up: Up) -> None:
    """After the history the current slots run live, recorded as planned by the schedule."""

    def live_runs() -> list[RunPlanned]:
        events = events_of(up.paths.log)
        start = max(place for place, event in enumerate(events) if isinstance(event, DaemonStarted))
        return [event for event in events[start:] if isinstance(event, RunPlanned)]

    def begun() -> bool:
        return {"text-1k", "text-10k", "vision"} <= {run.workload for run in live_runs()}

    up.wait_until(begun, "the current slots' runs are planned, which a calibration precedes")
    runs = live_runs()
    assert begun()
    assert all(run.trigger == "schedule" and run.slot is not None for run in runs)
    assert "slot begins" in up.said.read_text()


def test_live_runs_are_calibrated_first_and_the_page_shows_it(up: Up) -> None:
    """A calibration stands in the log before the plan that names it; the page has its error and the verdicts."""
    up.wait_until(lambda: bool(calibrated_runs(up.paths)), "a run is planned under a calibration")
    events = events_of(up.paths.log)
    planned = calibrated_runs(up.paths)[0]
    before = [event for event in events[: events.index(planned)] if isinstance(event, CalibrationCompleted)]
    made = next(event for event in before if event.calibration == planned.calibration)
    assert planned.calibration_basis == "fresh"
    assert planned.calibration_within_bounds is made.within_bounds

    def shown() -> list[dict[str, Any]]:
        rows = up.panel("instrument/last-slots")
        return [row for row in rows if row["calibration_basis"] == "fresh" and row["slot"] == planned.slot]

    up.wait_until(lambda: bool(shown()), "the page has the run's calibration")
    assert shown()[0]["calibration_within_bounds"] is planned.calibration_within_bounds
    errors = up.panel("instrument/calibration-error")
    assert any(row["way"] == "plain" and row["error_ms"] is not None for row in errors)
    slots = up.panel("instrument/slots")
    assert sum(row["uncalibrated"] for row in slots) < sum(row["run"] for row in slots)


def test_other_commands_look_in_while_it_runs(up: Up) -> None:
    """Status, query and log tail answer beside the running one, and the log can be verified."""
    data = ("--data", str(up.paths.root))
    status = messwerk("status", "--json", *data)
    assert status.returncode == 0, status.stderr
    told = json.loads(status.stdout)
    assert told["source"] == "reference"
    assert told["served_by_another_process"] is True
    query = messwerk("query", "leaderboard", "-p", "workload=text-1k", "--json", *data)
    assert query.returncode == 0, query.stderr
    assert len({row["endpoint"] for row in json.loads(query.stdout)["rows"]}) == 11
    tail = messwerk("log", "tail", *data)
    assert tail.returncode == 0, tail.stderr
    assert tail.stdout.count("\n") >= 10
    verified = messwerk("log", "verify", *data)
    assert verified.returncode == 0, verified.stderr


def test_a_second_one_says_who_holds_the_directory(up: Up) -> None:
    """Another `up` over the same directory ends with 1 and names the process that serves it."""
    second = messwerk("up", "--data", str(up.paths.root), "--port", "0")
    assert second.returncode == 1
    assert f"served by process {up.process.pid}" in second.stderr
    assert "Traceback" not in second.stderr
    third = messwerk("daemon", "--data", str(up.paths.root))
    assert third.returncode == 1
    assert f"is already being written by process {up.process.pid}" in third.stderr
    assert up.process.poll() is None


def test_a_signal_ends_it_and_its_children(tmp_path: Path) -> None:
    """SIGTERM ends everything with 0: the log is sealed, every attempt closed, and no process is left behind."""
    with running(tmp_path / "up", "--days", "0") as up:
        up.wait_until(lambda: sent_in(up.paths.log) >= 1, "the daemon measures")
        children = children_of(up.process.pid)
        assert len(children) >= 2, "the tables' server and the reference endpoints"
        up.process.send_signal(signal.SIGTERM)
        assert up.process.wait() == 0, up.said.read_text()[-2000:]
        assert [pid for pid in children if Path(f"/proc/{pid}").exists()] == []
        assert not (up.paths.tables / "server.json").exists()
        assert "Traceback" not in up.said.read_text()
    *_, stopped, checkpoint = events = events_of(up.paths.log)
    assert isinstance(stopped, DaemonStopped)
    assert stopped.reason == "signal"
    assert stopped.finished_in_flight + stopped.cancelled_in_flight >= 1
    assert isinstance(checkpoint, LogCheckpointed)
    planned = {attempt.attempt for event in events if isinstance(event, RunPlanned) for attempt in event.attempts}
    assert planned <= {event.attempt for event in events if isinstance(event, AttemptCompleted)}


def test_killed_it_leaves_no_children(tmp_path: Path) -> None:
    """A kill -9 ends its children too, and the next start serves and measures over what is there."""
    with running(tmp_path / "up", "--days", "0") as up:
        up.wait_until(lambda: sent_in(up.paths.log) >= 1, "the daemon measures")
        children = children_of(up.process.pid)
        up.process.kill()
        up.process.wait()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children), "its children have ended")
    before = len(events_of(up.paths.log))
    with running(tmp_path / "up", "--days", "0") as up:
        up.wait_until(lambda: "closed attempts that an earlier end left open" in up.said.read_text(), "it recovers")
        assert up.ask("api/site")["dashboards"]
    assert isinstance(events_of(up.paths.log)[before], DaemonStarted)


def test_the_page_shows_a_history_while_it_is_played_and_a_signal_ends_it(tmp_path: Path) -> None:
    """Its last three days end where it is, so that there are figures at once; SIGTERM ends both processes with 0."""
    with running(tmp_path / "up", "--days", "14") as up:
        up.wait_until(lambda: bool(up.panel("overview/leaderboard")), "the first figures are there")
        site = up.ask("api/site")
        history = site["history"]
        assert history["to_ms"] - history["from_ms"] == 14 * 86_400_000
        assert history["from_ms"] < history["reached_ms"] < history["to_ms"]
        assert site["now_ms"] == history["reached_ms"]
        assert 0 <= site["now_ms"] - site["newest_ms"] < 86_400_000
        children = children_of(up.process.pid)
        up.process.send_signal(signal.SIGTERM)
        assert up.process.wait() == 0, up.said.read_text()[-2000:]
        assert [pid for pid in children if Path(f"/proc/{pid}").exists()] == []
        assert "Traceback" not in up.said.read_text()
