"""One daemon process that reads many long streams at once while its schedule goes on, and what came of it.

Thirty endpoints get ten requests each at the same moment, and one more endpoint is measured every few seconds
meanwhile. The daemon is the command line's, in a process of its own, and so is the server.
"""

from __future__ import annotations

import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from daemons import (
    Acknowledged,
    Measured,
    Plan,
    acknowledged,
    events_of,
    messwerk,
    noted_in,
    wait_until,
    write_configuration,
)

from daemon.paths import DataPaths
from daemon.runs.planning import PARALLEL_REQUESTS
from schemas.events import AttemptCompleted, Event, RunPlanned
from tests.bench.paced_server import END, Stream, text, token

ROOT = Path(__file__).parents[2]
TICKING = "ticking"
TICK_TOKENS = 10


class Streams(msgspec.Struct, frozen=True, kw_only=True):
    """How many streams, how long, at which pace, and how often the schedule has something else to do meanwhile."""

    endpoints: int = 30
    tokens: int = 2_000
    gap_ms: float = 100.0
    per_write: int = 10
    slot_s: int = 5

    @property
    def count(self) -> int:
        """Streams at once."""
        return self.endpoints * PARALLEL_REQUESTS

    @property
    def answer(self) -> str:
        """What every stream says in full."""
        return "".join(map(text, range(self.tokens)))

    @property
    def body_bytes(self) -> int:
        """Bytes of every response's body."""
        return sum(len(token(index)) for index in range(self.tokens)) + len(END)


class Peaks(msgspec.Struct, frozen=True, kw_only=True):
    """Most memory that was resident at once, in bytes; of the measuring process None where there is none."""

    daemon_bytes: int
    measuring_bytes: int | None


class Streamed(msgspec.Struct, frozen=True, kw_only=True):
    """What became of it: the log's events, what the log acknowledged, what the server wrote, and memory."""

    events: list[Event]
    told: list[Acknowledged]
    truth: list[Stream]
    peaks: Peaks

    @property
    def long_run(self) -> RunPlanned:
        """The run of all the streams."""
        return next(event for event in self.runs() if event.scenario == "parallel-10")

    @property
    def answers(self) -> list[AttemptCompleted]:
        """Ends of the streams."""
        return [
            event for event in self.events if isinstance(event, AttemptCompleted) and event.run == self.long_run.run
        ]

    @property
    def slots_meanwhile(self) -> list[RunPlanned]:
        """Runs of the other plan's slots that came on time, planned while streams were under way."""
        last = max(self.events.index(answer) for answer in self.answers)
        first = self.events.index(self.long_run)
        return [
            event
            for event in self.runs()
            if event.scenario == "single" and not event.late and first < self.events.index(event) < last
        ]

    def runs(self) -> list[RunPlanned]:
        """Every run, in order."""
        return [event for event in self.events if isinstance(event, RunPlanned)]


def stream_through(directory: Path, streams: Streams) -> Streamed:
    """Have a daemon read the streams, stop it when all have ended, and return what it left."""
    truth, paths = directory / "truth.json", DataPaths(directory / "data")
    names = [f"stream-{number:02}" for number in range(streams.endpoints)]
    with paced_server(truth, streams) as base_url:
        configuration = write_configuration(
            directory / "configuration",
            base_url,
            [
                *(Measured(profile=name, provider=name, output_tokens=streams.tokens) for name in names),
                Measured(profile=TICKING, provider=TICKING, output_tokens=TICK_TOKENS),
            ],
            [
                Plan(workload="text-1k", scenario="parallel-10", every="1d", endpoints=tuple(names)),
                Plan(workload="text-1k", every=f"{streams.slot_s}s", endpoints=(TICKING,)),
            ],
        )
        arguments = ("daemon", "--data", str(paths.root), "--config", str(configuration))
        with messwerk(*arguments, stderr=directory / "said", script="hasty_messwerk.py") as process:
            told: list[str] = []
            listening = threading.Thread(target=lambda: told.append(process.stdout.read() if process.stdout else ""))
            listening.start()
            wait_until(
                lambda: process.poll() is not None or _ended(paths, streams),
                "all streams have ended",
                within_s=600,
            )
            assert process.poll() is None, (directory / "said").read_text()
            peaks = _peaks(process.pid)
            process.send_signal(signal.SIGTERM)
            assert process.wait() == 0, (directory / "said").read_text()
            listening.join()
    return Streamed(
        events=events_of(paths.log),
        told=acknowledged("".join(told)),
        truth=msgspec.json.decode(truth.read_bytes(), type=list[Stream]),
        peaks=peaks,
    )


@contextmanager
def paced_server(truth: Path, streams: Streams) -> Iterator[str]:
    """Serve at the streams' pace; the truth is written at the end."""
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "tests.bench.paced_server", str(truth)),
            *("--gap-ms", str(streams.gap_ms), "--per-write", str(streams.per_write)),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    with server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            ready, _, _ = select.select([server.stdout], [], [], 60)
            assert ready, "the server did not start"
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.stdin.close()


def _ended(paths: DataPaths, streams: Streams) -> bool:
    """Look once a second whether the long streams are over; looking more often would take their processor."""
    time.sleep(1)
    if noted_in(paths.log, AttemptCompleted) < streams.count:
        return False
    ends = [each for each in events_of(paths.log) if isinstance(each, AttemptCompleted)]
    return sum(each.scenario == "parallel-10" for each in ends) >= streams.count


def _peaks(pid: int) -> Peaks:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    measuring = [each for each in children if b"measuring_process" in Path(f"/proc/{each}/cmdline").read_bytes()]
    return Peaks(
        daemon_bytes=_peak_bytes(str(pid)),
        measuring_bytes=_peak_bytes(measuring[0]) if measuring else None,
    )


def _peak_bytes(pid: str) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:"))
