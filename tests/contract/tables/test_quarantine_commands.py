"""``messwerk quarantine`` over a real log with a poison event."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from click.testing import CliRunner, Result
from msgspec import structs
from short_log import write_log

from daemon.cli import cli
from daemon.paths import DataPaths
from projections.errors import QuarantineEntryError
from schemas.envelope import decode_envelope, encode_envelope

pytestmark = pytest.mark.clickhouse


def messwerk(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def done(*arguments: str | Path) -> str:
    result = messwerk(*arguments)
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result.stdout


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    """Write a short log whose last event has an envelope and data that nobody can read."""
    count = await write_log(tmp_path)
    with closing(sqlite3.connect(DataPaths(tmp_path).log)) as log:
        (raw,) = log.execute("SELECT raw FROM events WHERE type = 'run-planned' LIMIT 1").fetchone()
        envelope = decode_envelope(raw)
        poison = structs.replace(envelope, seq=count + 1, id=UUID(int=7), data=msgspec.Raw(b"\x80"))
        log.execute(
            "INSERT INTO events (seq, type, id, raw) VALUES (?, ?, ?, ?)",
            (count + 1, poison.type, poison.id.bytes, encode_envelope(poison)),
        )
        log.commit()
    return tmp_path


def test_poison_is_listed_retried_and_dropped(data: Path) -> None:
    """A poison event is passed over, listed and counted; a retry leaves it; a drop needs a reason and stays."""
    assert json.loads(done("quarantine", "list", "--json", "--data", data)) == []
    done("project", "--once", "--data", data)
    (entry,) = json.loads(done("quarantine", "list", "--json", "--data", data))
    assert (entry["source"], entry["type"], entry["state"]) == ("lab", "run-planned", "held")
    status = json.loads(done("status", "--json", "--data", data))
    assert status["quarantine"] == {"held": 1}
    assert {lag["behind"] for lag in status["lags"]} == {0}
    assert status["sources"] == [{"source": "lab", "end": entry["seq"], "behind": 0}]
    assert "in quarantine: 1" in done("status", "--data", data)
    assert "held" in done("quarantine", "retry", "--data", data)
    assert messwerk("quarantine", "drop", entry["name"], "--data", data).exit_code == 2
    assert isinstance(
        messwerk("quarantine", "drop", "nothing", "--reason", "r", "--data", data).exception, QuarantineEntryError
    )
    assert isinstance(
        messwerk(
            "quarantine", "drop", entry["name"], "--reason", "r", "--position", "lab@x", "--data", data
        ).exception,
        QuarantineEntryError,
    )
    assert "dropped: a test" in done("quarantine", "drop", entry["name"], "--reason", "a test", "--data", data)
    assert "nothing is in quarantine" in done("quarantine", "list", "--data", data)
    (kept,) = json.loads(done("quarantine", "list", "--all", "--json", "--data", data))
    assert (kept["state"], kept["decision"], kept["bytes"]) == ("dropped", "a test", entry["bytes"])


def test_projections_are_folded_by_name(data: Path) -> None:
    """Named projections are folded, the others are not, and a mistyped name is refused."""
    done("project", "runs", "--once", "--data", data)
    behind = {
        lag["projection"]: lag["behind"] for lag in json.loads(done("status", "--json", "--data", data))["lags"]
    }
    assert behind.pop("runs") == 0
    assert all(behind.values())
    assert "there is no projection" in str(messwerk("project", "nonsense", "--once", "--data", data).exception)
