"""``messwerk log`` on a real log."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
import zstandard
from click.testing import CliRunner, Result

from daemon.cli import cli
from daemon.log import LogFile
from daemon.paths import DataPaths
from schemas.clocks import ManualClock
from schemas.configuration import Configuration, DaemonTable
from schemas.errors import LogError
from schemas.events import FirstToken, decode_event
from schemas.jsonview import envelope_from_json

NOON_NS = 1_796_040_000_000_000_000
MESSWERK = [sys.executable, "-c", "from daemon.cli import main; main()"]
EXAMPLES = Path(__file__).resolve().parents[2] / "schemas" / "examples"


def token(number: int) -> FirstToken:
    """Make a small event."""
    return FirstToken(attempt=UUID(int=7), channel="answer", elapsed_us=number)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Write a log of 25 events, of them two checkpoints."""
    log = LogFile(DataPaths(tmp_path).log, source="here", clock=ManualClock(NOON_NS), checkpoint_every=10)
    for number in range(1, 24):
        log.append(token(number))
    log.close()
    return tmp_path


def run(data: Path, *arguments: str) -> Result:
    """Run a log command, its data given."""
    return CliRunner().invoke(cli, ["log", *arguments, "--data", str(data)])


class TestTail:
    def test_lines(self, data: Path) -> None:
        """The newest events come one a line, oldest first."""
        result = run(data, "tail", "-n", "3")
        lines = result.stdout.splitlines()
        assert [line.split()[0] for line in lines] == ["23", "24", "25"]
        assert "2026-11-30T12:00:00.000Z" in lines[0]

    def test_type(self, data: Path) -> None:
        """Events of one type alone can be asked for."""
        lines = run(data, "tail", "--type", "log-checkpointed").stdout.splitlines()
        assert [line.split()[0] for line in lines] == ["11", "22"]

    def test_json(self, data: Path) -> None:
        """As JSON each line is one envelope."""
        lines = run(data, "tail", "-n", "2", "--json").stdout.splitlines()
        assert [envelope_from_json(line).seq for line in lines] == [24, 25]

    def test_follow(self, data: Path) -> None:
        """Following prints what another process appends, until interrupted."""
        command = [*MESSWERK, "log", "tail", "-n", "1", "--follow", "--data", str(data)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stdout.readline().split()[0] == "25"
            log = LogFile(DataPaths(data).log, source="here", clock=ManualClock(NOON_NS))
            log.append(token(77), token(78))
            log.close()
            assert [child.stdout.readline().split()[0] for _ in range(2)] == ["26", "27"]
            child.send_signal(signal.SIGINT)
            assert child.wait() == 0


class TestShow:
    def test_by_position_and_id(self, data: Path) -> None:
        """An event is found by position and by id, and shown in full."""
        shown = run(data, "show", "7").stdout
        assert msgspec.json.decode(shown)["data"]["elapsed_us"] == 7
        assert run(data, "show", msgspec.json.decode(shown)["id"]).stdout == shown

    @pytest.mark.parametrize(
        ("event", "code", "words"),
        [("99", 1, "no event 99"), (str(UUID(int=5)), 1, "no event"), ("abc", 2, "neither a position nor an id")],
    )
    def test_absent(self, data: Path, event: str, code: int, words: str) -> None:
        """What is not there, or is no name of an event, is said with the right exit code."""
        command = [
            sys.executable,
            "-c",
            "from daemon.cli import main; main()",
            "log",
            "show",
            event,
            "--data",
            str(data),
        ]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == code
        assert words in result.stderr
        assert "Traceback" not in result.stderr

    def test_reads(self, tmp_path: Path) -> None:
        """The reads of an attempt are listed with time, bytes, channel and tokens."""
        event = decode_event(envelope_from_json((EXAMPLES / "attempt-completed.v1.json").read_bytes()))
        assert event is not None
        log = LogFile(DataPaths(tmp_path).log, source="here", clock=ManualClock(NOON_NS))
        log.append(event)
        log.close()
        lines = run(tmp_path, "show", "1", "--reads").stdout.splitlines()
        assert len(lines) == 17
        assert lines[1].split() == ["398.114", "512", "none", "0"]
        assert lines[2].split() == ["412.206", "266", "reasoning", "2"]


class TestExport:
    @pytest.fixture
    def exported(self, data: Path) -> list[str]:
        """Export everything to stdout."""
        return run(data, "export").stdout.splitlines()

    def test_stdout(self, exported: list[str]) -> None:
        """Every event is one line of JSON that reads back."""
        assert [envelope_from_json(line).seq for line in exported] == list(range(1, 26))

    @pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.zst"])
    def test_file(self, data: Path, tmp_path: Path, name: str, exported: list[str]) -> None:
        """A file, compressed or not, holds the same lines, and nothing else is left beside it."""
        (tmp_path / "out").mkdir()
        output = tmp_path / "out" / name
        assert run(data, "export", "-o", str(output)).exit_code == 0
        with zstandard.open(output, "rb") if name.endswith(".zst") else output.open("rb") as file:
            assert file.read().decode().splitlines() == exported
        assert list(output.parent.iterdir()) == [output]

    def test_range(self, data: Path) -> None:
        """A range of positions has both its ends."""
        lines = run(data, "export", "--from", "5", "--to", "8").stdout.splitlines()
        assert [envelope_from_json(line).seq for line in lines] == [5, 6, 7, 8]

    def test_other_suffix(self, data: Path, tmp_path: Path) -> None:
        """A file of another kind is refused as wrong usage."""
        result = run(data, "export", "-o", str(tmp_path / "out.csv"))
        assert (result.exit_code, (tmp_path / "out.csv").exists()) == (2, False)

    def test_missing_directory(self, data: Path, tmp_path: Path) -> None:
        """A file in a directory that is not there is refused with its name, as an error of Messwerk's own."""
        output = tmp_path / "missing" / "out.jsonl"
        problem = run(data, "export", "-o", str(output)).exception
        assert isinstance(problem, LogError)
        assert str(output) in str(problem)

    def test_backward_range(self, data: Path) -> None:
        """A range that ends before it begins is refused as wrong usage."""
        assert run(data, "export", "--from", "5", "--to", "3").exit_code == 2


class TestVerify:
    def test_sound(self, data: Path) -> None:
        """A sound log is confirmed with its size and root; the same in JSON."""
        result = run(data, "verify")
        told = msgspec.json.decode(run(data, "verify", "--json").stdout)
        assert result.exit_code == 0
        assert (told["ok"], told["size"], told["checkpoints"], told["uncovered"]) == (True, 25, 2, 3)
        assert "sound" in result.stdout
        assert told["root"] in result.stdout

    @pytest.mark.parametrize("as_json", [False, True])
    def test_damaged(self, data: Path, *, as_json: bool) -> None:
        """A changed log exits with 1 and names the first wrong position."""
        connection = sqlite3.connect(DataPaths(data).log)
        connection.execute("DROP TRIGGER events_no_update")
        connection.execute("UPDATE events SET raw = x'c1' WHERE seq = 9")
        connection.commit()
        connection.close()
        result = run(data, "verify", *(["--json"] if as_json else []))
        assert result.exit_code == 1
        if as_json:
            assert msgspec.json.decode(result.stdout)["seq"] == 9
        else:
            assert "DAMAGED at seq 9" in result.stdout


def test_configuration_names_the_data(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --config the data directory of the configuration is read, relative to its files."""
    files = data / "configuration"
    files.mkdir()
    table = DaemonTable(source="here", vantage="desk", data_dir="..")
    configuration = Configuration(daemon=table, directory=str(files))
    monkeypatch.setattr("daemon.configuration.load", lambda directory, **_: {files: configuration}[directory])
    result = CliRunner().invoke(cli, ["log", "tail", "-n", "1", "--config", str(files)])
    assert result.stdout.split()[:1] == ["25"], result.output


def test_no_log(tmp_path: Path) -> None:
    """Without a log the cause and the way out are said, without a traceback."""
    command = [*MESSWERK, "log", "tail", "--data", str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("messwerk: no log at ")
