"""Another definition, the same log: folding refuses to mix, a rebuild changes what it must and no byte of the log."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from daemons import Measured, write_configuration

from daemon.configuration import builtin
from daemon.log import SqliteReader
from daemon.paths import DataPaths
from daemon.simulation.playing import play
from schemas.configuration import PlanTable

pytestmark = [pytest.mark.clickhouse, pytest.mark.timeout(180)]

HIDDEN = "reference-silent"
OTHERS = ("reference-steady", "reference-thinker", "reference-plain")
NOON_NS = 1_796_040_000_000_000_000
HOUR_NS = 3_600_000_000_000


def messwerk(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "daemon.cli", *arguments], capture_output=True, text=True, check=False
    )


def printed(*arguments: str) -> str:
    done = messwerk(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def figures(*where: str) -> dict[str, dict[str, Any]]:
    """Rows of the leaderboard by endpoint."""
    asked = ("-p", "workload=text-1k", "-p", "end=2026-11-30T12:00:00Z")
    answer = json.loads(printed("query", "leaderboard", *asked, "--json", *where))
    return {row["endpoint"]: row for row in answer["rows"]}


def digests(paths: DataPaths) -> tuple[str, str]:
    """SHA-256 over every stored byte, and over what an export of the log writes."""
    stored = hashlib.sha256()
    with closing(SqliteReader(paths.log)) as reader:
        for event in reader.read_after(0, limit=1_000_000):
            stored.update(event.raw)
    exported = printed("log", "export", "--data", str(paths.root))
    return stored.hexdigest(), hashlib.sha256(exported.encode()).hexdigest()


@pytest.fixture
def paths(tmp_path: Path) -> DataPaths:
    """Play six hours of four endpoints, one of which hides its reasoning."""
    chosen = builtin()
    paths = DataPaths(tmp_path / "data")
    play(
        msgspec.structs.replace(
            chosen,
            endpoints=tuple(each for each in chosen.endpoints if each.name in {HIDDEN, *OTHERS}),
            plans=(PlanTable(workload="text-1k", every="1h", jitter_minutes=1),),
        ),
        paths,
        start_wall_ns=NOON_NS - 6 * HOUR_NS,
        end_wall_ns=NOON_NS,
    )
    return paths


def test_another_share_is_another_figure_from_the_same_bytes(paths: DataPaths, tmp_path: Path) -> None:
    """With 0.6 for 0.8 folding refuses; after a rebuild hidden reasoning has other speeds, and nothing else."""
    changed = write_configuration(
        tmp_path / "changed", "http://unused.invalid", [Measured(profile="steady")], last_share=0.6
    )
    data = ("--data", str(paths.root))
    under_change = (*data, "--config", str(changed))
    before = digests(paths)
    printed("project", "--once", *data)
    old = figures(*data)
    assert old.keys() == {HIDDEN, *OTHERS}
    assert all(row["output_speed_p50"] > 0 and row["n"] >= 3 for row in old.values())

    refused = messwerk("project", "--once", *under_change)
    assert refused.returncode == 1
    assert "messwerk rebuild" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert figures(*data) == old

    compared = {each["table"]: each for each in json.loads(printed("rebuild", "--json", *under_change))}
    assert set(compared["attempts"]["sums"]) >= {"output_speed"}
    assert compared["timelines"]["sums"] == {}
    new = figures(*under_change)
    assert new[HIDDEN]["output_speed_p50"] != old[HIDDEN]["output_speed_p50"]
    for name in OTHERS:
        definitions = (old[name].pop("definition"), new[name].pop("definition"))
        assert definitions[0] != definitions[1]
        assert new[name] == old[name]
    printed("project", "--once", *under_change)
    assert digests(paths) == before
