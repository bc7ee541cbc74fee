"""``messwerk quarantine`` over a real log with a poison event."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from click.testing import CliRunner, Result
from made_events import NOON, MadeLog, endpoint
from memory_topic import MemoryCarrier, MemoryTopic
from msgspec import structs
from short_log import write_log

from daemon.cli import cli
from daemon.paths import DataPaths
from projections.embedded import open_running_or_embedded
from projections.errors import QuarantineEntryError
from projections.kafka.source import KafkaSource
from schemas.definitions import Definitions
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


async def fold_holed(data: Path) -> int:
    """Fold a topic in which positions 6 to 8 of ``rome`` are missing, as one more reader; return its position."""
    log = MadeLog("rome")
    log.open(endpoint())
    for hour in range(3):
        log.run(NOON + timedelta(hours=hour), {})
    topic = MemoryTopic(1)
    topic.send_events([*log.events[:5], *log.events[8:]])
    source = KafkaSource(MemoryCarrier(topic, "readers"))
    await source.open()
    async with open_running_or_embedded(DataPaths(data).tables, Definitions()) as tables:
        await tables.fold_available(source)
        await source.close()
        return tables.runner.positions["rome"]


async def test_a_gap_is_told_and_declared_lost(data: Path) -> None:
    """Status names the source that stands at a gap and ends with 1, until a person declares the gap lost."""

    async def messwerk_(*arguments: str | Path) -> Result:
        return await asyncio.to_thread(messwerk, *arguments)

    assert (await messwerk_("project", "--once", "--data", data)).exit_code == 0
    assert (await messwerk_("status", "--data", data)).exit_code == 0
    assert await fold_holed(data) == 5
    status = await messwerk_("status", "--data", data)
    assert status.exit_code == 1
    assert "source rome stopped behind position 5 since" in status.stdout
    assert "3 event(s) are missing" in status.stdout
    assert "messwerk quarantine lost" in status.stdout
    (stop,) = json.loads((await messwerk_("status", "--json", "--data", data)).stdout)["stops"]
    assert (stop["source"], stop["seq"], stop["kind"]) == ("rome", 5, "gap")
    lost = ("quarantine", "lost", "rome", "--person", "Ada", "--reason", "disk", "--data", data)
    refused = await messwerk_(*lost, "--from", "1", "--to", "8")
    assert "positions 1 to 8 are not all of that gap" in str(refused.exception)
    told = await messwerk_(*lost, "--from", "6", "--to", "8")
    assert "rome: positions 6 to 8 declared lost by Ada: disk" in told.stdout
    assert await fold_holed(data) > 8
    status = await messwerk_("status", "--data", data)
    assert status.exit_code == 0
    assert "source rome: 3 events of it are declared lost" in status.stdout
    (row,) = json.loads((await messwerk_("query", "declared-lost", "--json", "--data", data)).stdout)["rows"]
    assert (row["first"], row["last"], row["n"], row["person"]) == (6, 8, 3, "Ada")
    again = await messwerk_(*lost, "--from", "6", "--to", "6")
    assert "does not stand at a gap" in str(again.exception)


def test_projections_are_folded_by_name(data: Path) -> None:
    """Named projections are folded, the others are not, and a mistyped name is refused."""
    done("project", "runs", "--once", "--data", data)
    behind = {
        lag["projection"]: lag["behind"] for lag in json.loads(done("status", "--json", "--data", data))["lags"]
    }
    assert behind.pop("runs") == 0
    assert all(behind.values())
    assert "there is no projection" in str(messwerk("project", "nonsense", "--once", "--data", data).exception)
