"""``messwerk calibrate``, from the reference server's start to the event in the log."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from transports import socket_transports

from daemon.log import LogFile, SqliteReader
from daemon.paths import DataPaths
from daemon.reference.profiles import CALIBRATION_PROFILES
from schemas.clocks import SystemClock
from schemas.configuration import TransportChoice
from schemas.events import CalibrationCompleted, decode_event


def calibrate(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from daemon.cli import main; main()", "calibrate", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=120, cwd=cwd)


def log_file(root: Path) -> LogFile:
    path = DataPaths(root).log
    path.parent.mkdir(parents=True, exist_ok=True)
    return LogFile(path, source="here", clock=SystemClock())


def test_calibrating_measures_every_profile_and_records_the_result(tmp_path: Path) -> None:
    """Each profile gets every figure, the exit code is the verdict, the log holds what was said."""
    log_file(tmp_path).close()
    done = calibrate("--streams", "2", "--rounds", "2", "--json", "--data", str(tmp_path), cwd=tmp_path)
    result = msgspec.json.decode(done.stdout, type=CalibrationCompleted)
    assert {(figure.profile, figure.metric, figure.statistic) for figure in result.figures} == {
        (profile.name, metric, statistic)
        for profile in CALIBRATION_PROFILES
        for metric in ("ttft", "ttfat", "output-speed", "end-to-end")
        for statistic in ("p50", "max")
    }
    assert {figure.n for figure in result.figures} == {4}
    assert done.returncode == (0 if result.within_bounds else 1)
    assert (result.streams, result.tls) == (2, False)
    assert "recorded as event 1 of here" in done.stderr
    reader = SqliteReader(DataPaths(tmp_path).log)
    (stored,) = reader.read_after(0, limit=10)
    reader.close()
    assert decode_event(stored.envelope) == result


@pytest.mark.parametrize("choice", socket_transports())
def test_every_transport_is_calibrated_over_tls_too(choice: TransportChoice, tmp_path: Path) -> None:
    """Each transport reads every attempt over TLS, and the result says by which transport, clock and TLS."""
    asked = ("--streams", "2", "--rounds", "1", "--transport", choice, "--tls", "--json")
    done = calibrate(*asked, cwd=tmp_path)
    result = msgspec.json.decode(done.stdout, type=CalibrationCompleted)
    assert {figure.n for figure in result.figures} == {2}
    name, clock = {"user-space": ("aiohttp", "user-space")}.get(choice, (choice, "kernel"))
    assert (result.transport, result.clock, result.tls) == (name, clock, True)
    assert result.loop_lag_p99_us is not None


def test_a_log_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    """While a daemon holds the log, calibrating prints its table, says that it recorded nothing, and why."""
    daemon = log_file(tmp_path)
    try:
        done = calibrate("--streams", "1", "--rounds", "1", "--data", str(tmp_path), cwd=tmp_path)
    finally:
        daemon.close()
    assert "within" in done.stdout
    assert done.stdout.count("calibration-fine") == 8
    assert "not recorded" in done.stderr
    assert "is already being written" in done.stderr


def test_nothing_is_created_where_there_is_no_log(tmp_path: Path) -> None:
    """Without a log the result is only printed, and no directory appears."""
    done = calibrate("--streams", "1", "--rounds", "1", cwd=tmp_path)
    assert "not recorded: there is no log" in done.stderr
    assert list(tmp_path.iterdir()) == []
