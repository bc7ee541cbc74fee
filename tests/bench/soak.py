"""Twenty minutes of 200 streams at once: ``python -m tests.bench.soak [--minutes N]``.

``messwerk up`` reads them, run after run, writes every event, folds it and serves the page, all in its usual
processes. Printed are the resident memory over time and whether it grew in the second half, how many runs and
streams came to their end, and how far the tables were behind the log a few seconds after the last one.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from statistics import median

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from daemons import Measured, Plan, events_of, messwerk, write_configuration
from many_streams import ROOT, Streams, paced_server

from daemon.paths import DataPaths
from schemas.events import AttemptCompleted, RunPlanned, SlotSkipped

STREAMS = Streams(endpoints=20, tokens=1_000, gap_ms=25.0, per_write=1)
RUN_EVERY_S = 30
"""A run's streams last 25 s, so that every run ends before the next one's slot."""

HASTY = ROOT / "tests" / "support" / "hasty_messwerk.py"
"""The command line that also takes periods in seconds."""

SAMPLE_S = 5
SETTLE_S = 15


class Sample(msgspec.Struct, frozen=True):
    """Resident memory of the command's own process and of its measuring process, in bytes."""

    at_s: float
    own: int
    measuring: int


def soak(directory: Path, minutes: float) -> tuple[list[Sample], str, DataPaths]:
    """Measure for so long; return memory over time and what ``messwerk status --json`` said before the end."""
    paths = DataPaths(directory / "data")
    names = [f"stream-{number:02}" for number in range(STREAMS.endpoints)]
    with paced_server(directory / "truth.json", STREAMS) as base_url:
        configuration = write_configuration(
            directory / "configuration",
            base_url,
            [Measured(profile=name, provider=name, output_tokens=STREAMS.tokens) for name in names],
            [
                Plan(workload="text-1k", scenario="parallel-10", every=f"{RUN_EVERY_S}s", endpoints=tuple(names)),
            ],
        )
        where = ("--data", str(paths.root), "--config", str(configuration))
        with messwerk("up", "--port", "0", *where, stderr=directory / "said", script="hasty_messwerk.py") as process:
            listening = threading.Thread(target=lambda: process.stdout.read() if process.stdout else "")
            listening.start()
            samples = _watch(process, minutes * 60)
            time.sleep(SETTLE_S)
            status = subprocess.run(
                [sys.executable, str(HASTY), "status", "--json", *where],
                capture_output=True,
                text=True,
                check=True,
                cwd=ROOT,
            ).stdout
            process.send_signal(signal.SIGTERM)
            process.wait()
            listening.join()
    return samples, status, paths


def told(samples: list[Sample], status: str, paths: DataPaths) -> str:
    """Word the figures."""
    events = events_of(paths.log)
    ended = Counter(event.status for event in events if isinstance(event, AttemptCompleted))
    runs = sum(isinstance(event, RunPlanned) for event in events)
    skipped = Counter(event.reason for event in events if isinstance(event, SlotSkipped))
    behind = max(each["behind"] for each in msgspec.json.decode(status)["lags"])
    lines = [
        f"runs       {runs} planned, skipped slots: {dict(skipped) or 'none'}",
        f"streams    {dict(ended)}",
        f"events     {len(events):,} in the log; tables {behind} behind it {SETTLE_S} s after the last look",
    ]
    quarters = [samples[len(samples) * part // 4 : len(samples) * (part + 1) // 4] for part in range(4)]
    for name in ("own", "measuring"):
        sizes = [median(getattr(sample, name) for sample in quarter) / 1e6 for quarter in quarters if quarter]
        lines.append(
            f"RSS {name:9}  " + ", ".join(f"{size:.0f}" for size in sizes) + " MB (medians of the quarters); "
            f"last to second: {sizes[-1] / sizes[1]:.3f}"
        )
    return "\n".join(lines)


def _watch(process: subprocess.Popen[str], seconds: float) -> list[Sample]:
    samples: list[Sample] = []
    begin_s = time.monotonic()
    while (at_s := time.monotonic() - begin_s) < seconds:
        assert process.poll() is None, "the command ended by itself: see what it said on standard error"
        samples.append(_sample(process.pid, at_s))
        print(f"\r{at_s / 60:5.1f} min  {samples[-1].own / 1e6:.0f} MB", end="", file=sys.stderr, flush=True)
        time.sleep(SAMPLE_S)
    print(file=sys.stderr)
    return samples


def _sample(pid: int, at_s: float) -> Sample:
    measuring = 0
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        try:
            if b"measuring_process" in Path(f"/proc/{child}/cmdline").read_bytes():
                measuring = _resident(child)
        except FileNotFoundError:
            continue  # a calibration's process, which has ended meanwhile
    return Sample(at_s, _resident(str(pid)), measuring)


def _resident(pid: str) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS:"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20.0, help="how long")
    asked = parser.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start")
    with tempfile.TemporaryDirectory(prefix="messwerk-soak-") as directory:
        print(told(*soak(Path(directory), asked.minutes)))
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
