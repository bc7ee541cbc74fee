"""``messwerk review import | export | records`` over a log on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from made_review import ReviewExample, full_example, prepared

from daemon.cli import cli
from daemon.judging.review.hashes import file_text
from daemon.log import InlineLog
from schemas.clocks import SystemClock
from schemas.errors import LogLockedError
from schemas.review.refusals import ReviewRefusedError


class Place:
    """A manifest, a run and a data directory, and the commands over them."""

    def __init__(self, root: Path) -> None:
        self.root, self.data = root, root / "data"
        self.example: ReviewExample = full_example(prepared())
        self.manifest, self.run = root / "manifest.json", root / "editors.json"
        self.manifest.write_bytes(self.example.manifest_bytes)
        self.run.write_bytes(self.example.run_bytes)

    def messwerk(self, *words: str | Path) -> Result:
        return CliRunner().invoke(cli, ["review", *map(str, words), "--data", str(self.data)])

    def bring(self, *words: str | Path) -> Result:
        return self.messwerk("import", self.run, "--manifest", self.manifest, *words)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_there_and_back(place: Place) -> None:
    """A run file is imported under its own name, listed, exported to the byte, and adds nothing a second time."""
    first = place.bring("--json")
    assert first.exit_code == 0, first.output
    assert json.loads(first.output)["added"]["review-attempt-imported"] == len(place.example.run["attempts"])
    again = place.bring()
    assert "it had all of" in again.output
    (listed,) = json.loads(place.messwerk("records", "--json").output)
    assert (listed["record"], listed["origin"], listed["attempts"]) == ("editors", "imported", 24)
    assert place.messwerk("records").output.startswith("editors: imported, 4 conditions, 24 attempts")
    output = place.root / "back.json"
    told = place.messwerk("export", "editors", "--output", output)
    assert told.exit_code == 0, told.output
    assert output.read_text(encoding="utf-8") == file_text(place.example.evidence().run)


def test_a_log_in_use(place: Place) -> None:
    """While another process writes the log, nothing is imported, and the message says who has it."""
    log = InlineLog(place.data / "log" / "events.sqlite3", source="local", clock=SystemClock())
    try:
        assert isinstance(place.bring().exception, LogLockedError)
    finally:
        log._file.close()


def test_an_unknown_record(place: Place) -> None:
    """A record that is not there is named, together with the command that lists them."""
    place.bring()
    problem = place.messwerk("export", "nobody", "--output", place.root / "back.json").exception
    assert "no record 'nobody' in this log; `messwerk review records`" in str(problem)


def test_export_writes_over_nothing(place: Place) -> None:
    """An export to a file that is there is refused."""
    place.bring()
    problem = place.messwerk("export", "editors", "--output", place.run).exception
    assert isinstance(problem, ReviewRefusedError)
    assert problem.rule == "output"


@pytest.mark.parametrize("name", ["two words", "a/b", ""])
def test_names_of_records(place: Place, name: str) -> None:
    """A name that could not stand in an id is a matter of usage."""
    told = place.bring("--name", name)
    assert (told.exit_code, "write it as my-run" in told.output) == (2, True)


def test_a_log_without_records(place: Place) -> None:
    """An empty list says how records are made."""
    InlineLog(place.data / "log" / "events.sqlite3", source="local", clock=SystemClock())._file.close()
    assert "messwerk review import" in place.messwerk("records").output
