"""A simulated history that was broken off: it is played on, as a daemon goes on after a crash."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from daemon.cli.demo import DAY_NS, demo, wants_history
from daemon.configuration import builtin
from daemon.log import SqliteReader
from daemon.paths import DataPaths
from daemon.simulation.playing import play
from schemas.errors import ConfigurationError
from schemas.events import AttemptCompleted, DaemonStarted, RunPlanned, SlotSkipped, decode_event

END_NS = int(datetime(2026, 11, 27, tzinfo=UTC).timestamp()) * 1_000_000_000


def demo_until_the_end(paths: DataPaths) -> None:
    arguments = ["--data", str(paths.root), "--days", "1", "--until-ns", str(END_NS)]
    CliRunner().invoke(demo, arguments, catch_exceptions=False)


def test_a_history_that_was_broken_off_is_played_on(tmp_path: Path) -> None:
    """Its second part misses no slot and repeats neither slot nor prompt, and then the history is whole."""
    paths = DataPaths(tmp_path)

    def break_off(share: float) -> None:
        if share > 0.4:
            raise SystemExit

    assert wants_history(paths.log)
    with pytest.raises(SystemExit):
        play(builtin(), paths, start_wall_ns=END_NS - DAY_NS, end_wall_ns=END_NS, progress=break_off)
    assert wants_history(paths.log)
    demo_until_the_end(paths)
    assert not wants_history(paths.log)
    with closing(SqliteReader(paths.log)) as reader:
        events = [decode_event(stored.envelope) for stored in reader.read_after(0, limit=1_000_000)]
    runs = [event for event in events if isinstance(event, RunPlanned)]
    assert sum(isinstance(event, DaemonStarted) for event in events) == 2
    assert not any(isinstance(event, SlotSkipped) for event in events)
    assert set(Counter(run.slot for run in runs).values()) == {1}
    assert sum(run.workload == "text-10k" for run in runs) == 8
    prompts = [prompt.sha256 for run in runs for prompt in run.prompts if run.suite == "performance"]
    assert len(prompts) == len(set(prompts))
    planned = {attempt.attempt for run in runs for attempt in run.attempts}
    assert planned <= {event.attempt for event in events if isinstance(event, AttemptCompleted)}
    with pytest.raises(ConfigurationError, match="history cannot be put before them"):
        demo_until_the_end(paths)
