"""A disk that fills up under the log of a measuring daemon."""

from __future__ import annotations

import errno
import json
import signal
import subprocess
from contextlib import closing
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
    sent_in,
    wait_until,
    write_configuration,
)

from daemon.log import SqliteReader
from daemon.log.verify import verify
from daemon.paths import DataPaths
from schemas.events import AttemptCompleted, DaemonStopped, RequestSent

pytestmark = pytest.mark.timeout(180)

ENDPOINTS = ("calibration-quick", "calibration-thinking")


def fill(disk: Path) -> Path:
    """Write until the disk takes no further byte."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError as problem:
                assert problem.errno == errno.ENOSPC  # noqa: PT017  # any other error is none that was meant
    return ballast


def test_a_full_disk_stops_the_measuring(tmp_path: Path, small_disk: Path, reference: ReferenceServerThread) -> None:
    """A full disk ends the daemon with 1 and the reason; nothing more is sent, nothing acknowledged is lost."""
    configuration = write_configuration(
        tmp_path / "configuration",
        reference.base_url,
        [Measured(profile=name) for name in ENDPOINTS],
        [Plan(workload="reasoning", every="7d")],
    )
    paths = DataPaths(small_disk / "data")
    arguments = ("daemon", "--data", str(paths.root), "--config", str(configuration))
    before = len(reference.requests())
    with messwerk(*arguments, stderr=tmp_path / "said") as process:
        wait_until(lambda: sent_in(paths.log) >= 6, "requests are being sent")
        ballast = fill(small_disk)
        told, _ = process.communicate()
        assert process.returncode == 1
    said = (tmp_path / "said").read_text().splitlines()
    assert said[-1].startswith(f"messwerk: {paths.log}: disk full; measuring stops; the ")
    assert said[-1].endswith("are safe; free space and restart")
    assert not any("Traceback" in line or "never retrieved" in line for line in said)
    assert [line["event"] for line in map(json.loads, said[:-1]) if line["level"] == "error"] == ["measuring stops"]
    subprocess.run(["mount", "-o", "remount,size=16m", str(small_disk)], check=True)
    ballast.unlink()

    events = events_of(paths.log)
    with closing(SqliteReader(paths.log)) as reader:
        assert verify(reader).size == len(events)
        for event in acknowledged(told):
            stored = reader.get(event.seq)
            assert stored is not None
            assert stored.envelope.id == event.id
    assert not any(isinstance(event, DaemonStopped) for event in events)
    recorded = sum(isinstance(event, RequestSent) for event in events)
    planned = 60 * len(ENDPOINTS)
    wait_until(lambda: len(reference.requests()) >= before + recorded, "the server has noted the last requests")
    # A request whose own record was the first that found no room had left already: one for each endpoint.
    assert recorded <= len(reference.requests()) - before <= recorded + len(ENDPOINTS) < planned

    with messwerk(*arguments, stderr=tmp_path / "said again") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    events = events_of(paths.log)
    assert_closed(events)
    crashed = [event for event in events if isinstance(event, AttemptCompleted) and event.status == "not-completed"]
    assert len(crashed) >= planned - recorded
    assert len(reference.requests()) - before <= recorded + len(ENDPOINTS)


def test_a_disk_that_is_full_from_the_start(
    tmp_path: Path, small_disk: Path, reference: ReferenceServerThread
) -> None:
    """On a full disk a daemon does not start, says why, and sends nothing."""
    configuration = write_configuration(
        tmp_path / "configuration",
        reference.base_url,
        [Measured(profile=ENDPOINTS[0])],
        [Plan(workload="text-1k", every="7d")],
    )
    before = len(reference.requests())
    fill(small_disk)
    arguments = ("daemon", "--data", str(small_disk / "data"), "--config", str(configuration))
    with messwerk(*arguments, stderr=tmp_path / "said") as process:
        assert process.wait() == 1
    said = (tmp_path / "said").read_text()
    assert said.startswith("messwerk: ")
    assert "Traceback" not in said
    assert len(reference.requests()) == before
