"""``messwerk log seal | tidy | verify``, ``messwerk backup`` and ``messwerk restore`` on the command line."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from months_log import write_months

from daemon.cli import cli
from daemon.log import BlobStore, SqliteReader
from daemon.paths import DataPaths
from schemas.clocks import ManualClock
from schemas.errors import ConfigurationError, MesswerkError

MESSWERK = [sys.executable, "-c", "from daemon.cli import main; main()"]


def run(*arguments: object) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Write a log of several months, all of them over when it is sealed today or later."""
    write_months(DataPaths(tmp_path / "data").log)
    return tmp_path / "data"


@pytest.fixture
def december(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the clock say that November is over."""
    monkeypatch.setattr("daemon.cli.sealing.time.time_ns", lambda: 1_796_256_000_000_000_000)


@pytest.mark.usefixtures("december")
class TestSeal:
    def test_words(self, data: Path) -> None:
        """Each segment is one line that says what was sealed; again, that it was there."""
        first, second = run("log", "seal", "--data", data), run("log", "seal", "--data", data)
        assert [line.split()[0] for line in first.stdout.splitlines()] == ["sealed"] * 3
        assert [line.split()[:2] for line in second.stdout.splitlines()] == [["was", "there"]] * 3

    def test_json(self, data: Path, tmp_path: Path) -> None:
        """As JSON the chain can be followed: positions, roots, files that are there."""
        told = msgspec.json.decode(
            run("log", "seal", "--json", "--to", tmp_path / "elsewhere", "--data", data).stdout
        )
        assert [each["month"] for each in told] == ["2026-09", "2026-10", "2026-11"]
        assert [each["first_seq"] for each in told[1:]] == [each["last_seq"] + 1 for each in told[:-1]]
        assert all(Path(each["file"]).stat().st_size == each["bytes"] for each in told)
        verified = msgspec.json.decode(run("log", "verify", "--json", "--data", data).stdout)
        assert told[-1]["root"] == verified["root"]

    @pytest.mark.parametrize(("month", "code"), [("2026-13", 2), ("October", 2), ("2026-12", 1)])
    def test_months_that_cannot_be(self, data: Path, month: str, code: int) -> None:
        """What is no month is wrong usage; a month that goes on is refused with the way out."""
        done = run("log", "seal", "--month", month, "--data", data)
        assert done.exit_code == code
        if code == 1:
            assert isinstance(done.exception, MesswerkError)
            assert "--force" in str(done.exception)

    def test_segments_instead_of_a_log(self, data: Path, tmp_path: Path) -> None:
        """Looking, exporting and verifying work from the segments alone, and give what the log gives."""
        target = tmp_path / "sealed"
        run("log", "seal", "--to", target, "--data", data)
        for command in (["show", "7"], ["export"], ["export", "--from", "5", "--to", "9"], ["tail", "-n", "3"]):
            assert run("log", *command, "--data", target).stdout == run("log", *command, "--data", data).stdout != ""
        assert "sound" in run("log", "verify", target).stdout

    def test_verify_names_a_missing_segment(self, data: Path, tmp_path: Path) -> None:
        """A missing segment is said with its positions, in words and as JSON, with exit code 1."""
        target = tmp_path / "sealed"
        run("log", "seal", "--to", target, "--data", data)
        next(target.glob("2026-10*.segment")).unlink()
        plain, as_json = run("log", "verify", target), run("log", "verify", target, "--json")
        assert (plain.exit_code, as_json.exit_code) == (1, 1)
        assert "is missing" in plain.stdout
        assert msgspec.json.decode(as_json.stdout)["seq"] > 1


@pytest.mark.clickhouse
def test_tables_are_folded_from_segments_alone(data: Path) -> None:
    """Where the SQLite file is gone, folding, rebuilding and recomputing read what is sealed."""
    run("log", "seal", "--force", "--data", data)
    for path in DataPaths(data).log.parent.glob("events.sqlite3*"):
        path.unlink()
    assert run("project", "--once", "--data", data).stdout.split()[1] == "25"
    assert run("rebuild", "--data", data).exit_code == 0
    assert run("recompute", "--set", "last_share=0.6", "--data", data).exit_code == 0


@pytest.mark.clickhouse
def test_a_rebuild_from_an_archive(data: Path, tmp_path: Path) -> None:
    """Tables are rebuilt from sealed segments and the log behind them; another history is refused."""
    run("log", "seal", "--to", tmp_path / "sealed", "--month", "2026-09", "--data", data)
    run("project", "--once", "--data", data)
    done = run("rebuild", "--from", tmp_path / "sealed", "--json", "--data", data)
    assert (done.exit_code, done.exception) == (0, None)
    other = DataPaths(tmp_path / "other")
    write_months(other.log)
    assert "another history" in str(run("rebuild", "--from", other.root, "--data", data).exception)


class TestTidy:
    @pytest.fixture
    def body(self, data: Path) -> Path:
        """Store a body that is years old."""
        store = BlobStore(DataPaths(data).blobs, ManualClock(1_600_000_000 * 10**9))
        name = store.put(b"long ago")
        return DataPaths(data).blobs / name[:2] / f"{name}.zst"

    def test_dry_run_first(self, data: Path, body: Path) -> None:
        """A dry run names what would go and takes nothing; the real one takes it, and no event."""
        with closing(SqliteReader(DataPaths(data).log)) as reader:
            events = reader.last_seq()
        dry = run("log", "tidy", "--dry-run", "--older-than", "30", "--data", data)
        assert body.stem in dry.stdout
        assert body.exists()
        done = msgspec.json.decode(run("log", "tidy", "--older-than", "30", "--json", "--data", data).stdout)
        assert (done["names"], body.exists()) == ([body.stem], False)
        with closing(SqliteReader(DataPaths(data).log)) as reader:
            assert reader.last_seq() == events

    def test_without_an_age(self, data: Path) -> None:
        """Without blobs_days and without an age nothing is removed, and how to say one is told."""
        problem = run("log", "tidy", "--data", data).exception
        assert isinstance(problem, ConfigurationError)
        assert "blobs_days" in str(problem)


class TestBackup:
    def test_there_and_back(self, data: Path, tmp_path: Path) -> None:
        """Backup, check and restore say the same log; the restored one verifies."""
        made = msgspec.json.decode(run("backup", tmp_path / "b", "--json", "--data", data).stdout)
        checked = msgspec.json.decode(run("restore", tmp_path / "b", "--check", "--json").stdout)
        restored = msgspec.json.decode(run("restore", tmp_path / "b", "--data", tmp_path / "new", "--json").stdout)
        assert (checked["restored"], restored["restored"]) == (False, True)
        assert made["root"] == checked["root"] == restored["root"]
        verified = msgspec.json.decode(run("log", "verify", "--json", "--data", tmp_path / "new").stdout)
        assert (verified["root"], verified["size"]) == (made["root"], made["events"])

    def test_a_backup_is_read_as_a_log(self, data: Path, tmp_path: Path) -> None:
        """The commands of the log read a backup without restoring it."""
        run("backup", tmp_path / "b", "--data", data)
        assert run("log", "export", "--data", tmp_path / "b").stdout == run("log", "export", "--data", data).stdout

    @pytest.mark.parametrize("arguments", [[], ["--check", "--data", "x"], ["--check", "--config", "x"]])
    def test_restore_needs_a_target_or_a_check(self, tmp_path: Path, arguments: list[str]) -> None:
        """Restoring nowhere, or both checking and restoring, is wrong usage."""
        assert run("restore", tmp_path, *arguments).exit_code == 2

    def test_damage_ends_with_a_message(self, data: Path, tmp_path: Path) -> None:
        """A damaged backup ends with code 1 and one message that names the file, without a traceback."""
        run("backup", tmp_path / "b", "--data", data)
        segment = next((tmp_path / "b" / "log" / "segments").glob("*.segment"))
        segment.unlink()
        command = [*MESSWERK, "restore", str(tmp_path / "b"), "--data", str(tmp_path / "new")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert f"{segment.name} is missing" in done.stderr
        assert "Traceback" not in done.stderr
