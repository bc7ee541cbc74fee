"""``messwerk rubric report``: from a log and a catalogue's files to a page, Markdown or JSON."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from made_rubric import write_catalogue
from made_rubric_log import ANNA, RubricLog

from daemon.cli import cli
from daemon.log import InlineLog
from daemon.log.blobs import BlobStore
from daemon.paths import DataPaths
from daemon.workloads.rubric.loading import load_catalogue
from schemas.clocks import ManualClock
from schemas.errors import ConfigurationError, LogError
from schemas.events import AttemptCompleted
from schemas.rubric.report import RubricReport

LONG = "The recipient owes the tax. " * 400


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    return write_catalogue(tmp_path / "catalogue")


@pytest.fixture
def data(tmp_path: Path, catalogue: Path) -> Path:
    """Write a log in which both tasks of the catalogue were asked and judged; one answer lies in the blob store."""
    data = tmp_path / "data"
    made = RubricLog("made")
    for loaded in load_catalogue(catalogue).tasks:
        attempt = made.ask(loaded.task, LONG, task_sha256=loaded.sha256, kept=loaded.task.language == "de")
        made.judge(attempt, loaded.task, {each.id: True for each in loaded.task.criteria}, ANNA, answer=LONG)
    asyncio.run(_write(made, data))
    return data


async def _write(made: RubricLog, data: Path) -> None:
    clock = ManualClock(made.events[0].envelope.wall_ns)
    blob = BlobStore(DataPaths(data).blobs, clock).put(LONG.encode())
    log = InlineLog(DataPaths(data).log, source="lab", clock=clock, commit_every=1000)
    for wall_ns, event in made.timed():
        clock.step_wall(wall_ns - clock.wall_ns())
        if isinstance(event, AttemptCompleted) and event.answer is not None and event.answer.text is None:
            event = msgspec.structs.replace(event, answer=msgspec.structs.replace(event.answer, blob=blob))  # noqa: PLW2901  # the same event
        await log.append(event)
    await log.close()


def messwerk(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, ["rubric", "report", *map(str, words)])


def read(result: Result) -> RubricReport:
    assert result.exit_code == 0, result.output
    return msgspec.json.decode(result.stdout, type=RubricReport)


def test_the_three_forms_say_the_same(catalogue: Path, data: Path, tmp_path: Path) -> None:
    """JSON is the report, Markdown is printed unless told otherwise, a page is written to a file, twice the same."""
    report = read(messwerk(catalogue, "--data", data, "--json"))
    assert [(each.language, each.usability.usable) for each in report.evaluations] == [("de", 1), ("en", 1)]
    assert [each.tasks[0].answer for each in report.evaluations] == [LONG, LONG]
    assert report.public_tables
    told = messwerk(catalogue, "--data", data)
    assert "100.0 % (1 of 1 usable" in told.stdout
    files = [tmp_path / "one.html", tmp_path / "two.html"]
    for file in files:
        result = messwerk(catalogue, "--data", data, "--format", "page", "--messages", "de", "--output", file)
        assert result.output == f"{file}: evaluations 2, tasks 2, tasks left out 0\n"
    assert files[0].read_bytes() == files[1].read_bytes()
    assert b'<html lang="de">' in files[0].read_bytes()


def test_a_task_changed_by_one_character_leaves_the_report(catalogue: Path, data: Path) -> None:
    """A task edited after its second reading is in no figure; let in unread, it is of an earlier text."""
    (path,) = catalogue.glob("*.en.toml")
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    report = read(messwerk(catalogue, "--data", data, "--json"))
    assert [(each.language, each.reason) for each in report.excluded] == [("en", "changed-since")]
    assert [each.usability.tasks for each in report.evaluations] == [1, 0]
    unread = read(messwerk(catalogue, "--data", data, "--json", "--include-unread"))
    assert unread.excluded == ()
    assert [each.reason for each in unread.evaluations[1].asked_excluded] == ["earlier-text"]
    assert unread.evaluations[1].usability.rate is None


def test_unread_tasks_are_let_in_and_named(catalogue: Path, data: Path) -> None:
    """Without a second reading tasks stay out by name; with --include-unread they count, and the report says so."""
    for path in catalogue.glob("*.readings.json"):
        path.unlink()
    told = messwerk(catalogue, "--data", data).stdout
    assert "(de): no second reading" in told
    told = messwerk(catalogue, "--data", data, "--include-unread").stdout
    assert "Included although nobody has given them a valid second reading" in told
    assert "1 of 1 usable" in told


def test_a_file_that_breaks_rules_stays_out_whatever_is_given(catalogue: Path, data: Path) -> None:
    """A file that is no task is named and left out, also with --include-unread; the others count."""
    (catalogue / "broken.de.toml").write_text("format = ", encoding="utf-8")
    report = read(messwerk(catalogue, "--data", data, "--json", "--include-unread"))
    assert [(each.task, each.reason) for each in report.excluded] == [("broken.de.toml", "unreadable")]
    assert len(report.tasks) == 2


def test_what_cannot_work_says_what_to_do(catalogue: Path, data: Path, tmp_path: Path) -> None:
    """No log, no folder to write to, and two forms at once are errors with a way out."""
    nowhere = messwerk(catalogue, "--data", tmp_path / "nowhere")
    assert isinstance(nowhere.exception, LogError)
    written = messwerk(catalogue, "--data", data, "--output", tmp_path / "missing" / "report.md")
    assert isinstance(written.exception, ConfigurationError)
    assert "name a file in a folder that is there" in str(written.exception)
    both = messwerk(catalogue, "--data", data, "--json", "--format", "page")
    assert both.exit_code == 2
    assert "give one of them" in both.output
    assert messwerk(tmp_path / "no-catalogue", "--data", data).exit_code == 2
