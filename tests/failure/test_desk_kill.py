"""Persons' events and a real daemon: taken in while it runs, and neither lost nor doubled when it is killed."""

from __future__ import annotations

import signal
from contextlib import closing
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from click.testing import CliRunner
from daemons import SOURCE, Measured, ReferenceServerThread, events_of, messwerk, wait_until, write_configuration

from daemon.cli import cli
from daemon.desk.inbox import Inbox
from daemon.log import LogFile
from daemon.paths import DataPaths
from schemas.clocks import SystemClock
from schemas.events import IntegrityDecided, IntegritySuspected

pytestmark = pytest.mark.timeout(180)

CASE = UUID(int=77)
SUSPECTED = IntegritySuspected(
    case=CASE,
    endpoint="calibration-quick",
    workload="all",
    account="quick",
    compared_with="other",
    window_start_ns=1,
    window_end_ns=2,
    evidence=(),
    definition="d",
)


@pytest.fixture
def arguments(tmp_path: Path, reference: ReferenceServerThread) -> tuple[str, ...]:
    """Configure a daemon that has nothing to do but be there, over a log with a case."""
    quick = Measured(profile="calibration-quick", provider="quick")
    configuration = write_configuration(tmp_path / "configuration", reference.base_url, [quick])
    with closing(LogFile(DataPaths(tmp_path / "data").log, source=SOURCE, clock=SystemClock())) as log:
        log.append(SUSPECTED)
    return ("daemon", "--data", str(tmp_path / "data"), "--config", str(configuration))


def decided(data: Path) -> list[str]:
    return [event.reason for event in events_of(DataPaths(data).log) if isinstance(event, IntegrityDecided)]


def decide(data: Path, reason: str) -> dict[str, object]:
    given = ("--measure", "withhold", "--person", "R. Novak", "--reason", reason, "--json", "--data", str(data))
    result = CliRunner().invoke(cli, ["integrity", "decide", str(CASE), *given])
    assert result.exit_code == 0, result.output
    answer: dict[str, object] = msgspec.json.decode(result.stdout)
    return answer


def test_a_running_daemon_takes_a_decision_in(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """While a daemon writes the log, a decision by command is in it when the command ends; so it is without one."""
    data = tmp_path / "data"
    with messwerk(*arguments, stderr=tmp_path / "said") as process:
        assert process.stdout is not None
        process.stdout.readline()
        answer = decide(data, "while it runs")
        assert decided(data) == ["while it runs"]
        Inbox(DataPaths(data).inbox).open()
        (DataPaths(data).inbox / "0-nonsense.json").write_text("nonsense")
        wait_until(lambda: "was not taken in" in (tmp_path / "said").read_text(), "the nonsense is told")
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    assert answer["state"] == "measures-in-force"
    lift = ("--measure", "lift", "--lifts", str(answer["decision"]), "--person", "R. Novak", "--reason", "stopped")
    result = CliRunner().invoke(cli, ["integrity", "decide", str(CASE), *lift, "--data", str(data)])
    assert result.exit_code == 0, result.output
    assert decided(data) == ["while it runs", "stopped"]


def test_a_kill_between_appending_and_removing(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """Killed after it appended an event and before it removed the file, the next daemon doubles nothing."""
    data = tmp_path / "data"
    with messwerk(*arguments, stderr=tmp_path / "said", script="dying_at_the_desk.py") as process:
        assert process.stdout is not None
        process.stdout.readline()
        decide(data, "once")
        assert process.wait() == -signal.SIGKILL
    inbox = Inbox(DataPaths(data).inbox)
    assert (decided(data), len(inbox.waiting())) == (["once"], 1)
    with messwerk(*arguments, stderr=tmp_path / "said again") as process:
        assert process.stdout is not None
        process.stdout.readline()
        wait_until(lambda: not inbox.waiting(), "the file is gone")
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    assert decided(data) == ["once"]


def test_killed_before_it_looked(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """What waits while nobody is there is taken in by the next daemon, in the order in which it was recorded."""
    data = tmp_path / "data"
    with messwerk(*arguments, stderr=tmp_path / "said") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGSTOP)  # holds the log, and looks at nothing
        for reason in ("first", "second"):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("daemon.cli.integrity_deciding.PATIENCE_S", 0.2)
                given = ("--measure", "investigate", "--person", "p", "--reason", reason, "--data", str(data))
                result = CliRunner().invoke(cli, ["integrity", "decide", str(CASE), *given])
                assert "not lost" in str(result.exception)
        process.kill()
        process.wait()
    assert decided(data) == []
    with messwerk(*arguments, stderr=tmp_path / "said again") as process:
        assert process.stdout is not None
        process.stdout.readline()
        wait_until(lambda: len(decided(data)) == 2, "both are taken in")
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    assert decided(data) == ["first", "second"]
