"""``messwerk publish`` on a real log and real tables."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from short_log import write_log

from daemon.cli import cli
from daemon.paths import DataPaths
from dashboards.publication.contract import PublicationError
from projections.store.child import ChildServer
from schemas.definitions import Definitions
from schemas.errors import ConfigurationError, LogError

pytestmark = pytest.mark.clickhouse


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    await write_log(tmp_path)
    return tmp_path


def messwerk(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def now() -> str:
    return datetime.now(UTC).isoformat()


def done(*arguments: str | Path) -> str:
    result = messwerk(*arguments)
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result.stdout


def content(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_a_snapshot_names_the_checkpoint_that_the_log_has(data: Path, tmp_path: Path) -> None:
    """What is published can be held against the log, and is the same again, also as read from a running server."""
    kept = json.loads(done("log", "checkpoint", "--json", "--data", data))
    done("project", "--once", "--data", data)
    out, at = tmp_path / "site", now()
    told = json.loads(done("publish", "--out", out, "--at", at, "--json", "--data", data))
    assert told["checkpoints"] == [{key: kept[key] for key in ("source", "size", "root")}]
    first = content(out)
    assert told["files"] == {name: len(bytes_) for name, bytes_ in sorted(first.items())}
    assert "extends" in done("log", "verify", "--data", data, "--against", out / "checkpoints.jsonl")
    assert f"as of {at[:19]}" in done("publish", "--out", out, "--at", at, "--data", data)
    assert content(out) == first
    server = asyncio.run(ChildServer.start(DataPaths(data).tables, definition=Definitions().id))
    try:
        done("publish", "--out", tmp_path / "again", "--at", at, "--data", data)
    finally:
        asyncio.run(server.stop())
    assert content(tmp_path / "again") == first


def withheld(data: Path) -> None:
    """Let a person withhold the endpoint's figures, in the log alone."""
    done("integrity", "open", "mini", "--person", "Ada", "--reason", "odd", "--data", data)
    (case,) = json.loads(done("integrity", "list", "--json", "--data", data))
    done("integrity", "decide", case["case"], "--measure", "withhold", "--person", "Ada", "--reason", "odd",
         "--data", data)  # fmt: skip


def test_a_decision_counts_at_once(data: Path, tmp_path: Path) -> None:
    """What the log says is folded before it is published: a figure that was just withheld is in no snapshot."""
    done("log", "checkpoint", "--data", data)
    out = tmp_path / "site"
    # nobody had folded the log so far
    assert json.loads(done("publish", "--out", out, "--json", "--data", data))["endpoints"] == ["deep", "mini"]
    withheld(data)
    assert json.loads(done("publish", "--out", out, "--json", "--data", data))["endpoints"] == ["deep"]


def test_tables_that_lag_behind_the_log_are_not_published(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where another process serves the tables and does not catch up with the log, nothing is published."""
    done("log", "checkpoint", "--data", data)
    done("project", "--once", "--data", data)
    withheld(data)
    monkeypatch.setattr("daemon.cli.publish.PATIENCE_S", 0.1)
    server = asyncio.run(ChildServer.start(DataPaths(data).tables, definition=Definitions().id))
    try:
        result = messwerk("publish", "--out", tmp_path / "site", "--data", data)
    finally:
        asyncio.run(server.stop())
    assert isinstance(result.exception, PublicationError)
    assert "are at event" in str(result.exception)
    assert not (tmp_path / "site").exists()


def test_what_cannot_be_published_is_told(data: Path, tmp_path: Path) -> None:
    """A wrong moment, no log, and a directory of something else end the command with what to do, changing nothing."""
    out = tmp_path / "site"
    for at in ("soon", "2026-11-30T12:00:00"):
        result = messwerk("publish", "--out", out, "--at", at, "--data", data)
        assert isinstance(result.exception, ConfigurationError)
        assert "2026-11-30T12:00:00Z" in str(result.exception)
    to_come = (datetime.now(UTC) + timedelta(minutes=5)).isoformat()
    result = messwerk("publish", "--out", out, "--at", to_come, "--data", data)
    assert isinstance(result.exception, ConfigurationError)
    assert "delayed until then" in str(result.exception)
    result = messwerk("publish", "--out", out, "--data", tmp_path / "nowhere")
    assert isinstance(result.exception, LogError)
    done("log", "checkpoint", "--data", data)
    done("project", "--once", "--data", data)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    result = messwerk("publish", "--out", tmp_path / "other", "--data", data)
    assert isinstance(result.exception, PublicationError)
    assert content(tmp_path / "other") == {"letter.txt": b"dear"}
    assert not out.exists()
