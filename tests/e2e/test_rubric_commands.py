"""``messwerk rubric lint`` and ``approve`` as an expert uses them: write, lint, mend, have it read, change it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from made_rubric import ENGLISH, GERMAN, READER, made_task, write_catalogue, write_task

from daemon.cli import cli
from daemon.cli.rubric_approving import ApprovalRefusedError
from daemon.workloads.rubric.loading import RubricFileError

NAME = "vat-reverse-charge.de.toml"


def messwerk(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, ["rubric", *map(str, words)])


def linted(folder: Path, *options: str) -> tuple[int, Any]:
    result = messwerk("lint", folder, *options, "--json")
    return result.exit_code, json.loads(result.output)


def test_from_a_fault_to_an_approved_task(tmp_path: Path) -> None:
    """A compound criterion is refused with its halves; mended and read, the task is clean; edited, it is unread."""
    task = made_task("de")
    compound = "Die Antwort nennt die Rechnung und weist keine Steuer aus."
    task["criterion"][8]["statement"] = compound
    folder = write_catalogue(tmp_path, [task], read=False)

    refused = messwerk("lint", folder)
    assert refused.exit_code == 1
    assert "Regel compound" in refused.output
    assert "(1) Die Antwort nennt die Rechnung. (2) Die Antwort weist keine Steuer aus." in refused.output
    assert isinstance(messwerk("approve", folder / NAME, "--reader", READER).exception, ApprovalRefusedError)

    write_task(folder, GERMAN)
    code, told = linted(folder)
    assert (code, told["findings"], [each["reading"] for each in told["tasks"]]) == (0, [], ["unread"])
    assert "nicht gegengelesen und deshalb in keiner Auswertung" in messwerk("lint", folder).output

    approved = messwerk("approve", folder / NAME, "--reader", READER, "--json")
    assert (approved.exit_code, json.loads(approved.output)["recorded"]) == (0, True)
    code, told = linted(folder)
    assert (code, [(each["reading"], each["reader"]) for each in told["tasks"]]) == (0, [("read", READER)])

    path = folder / NAME
    path.write_text(path.read_text(encoding="utf-8").replace("80.000 €.", "80.001 €."), encoding="utf-8")
    code, told = linted(folder)
    assert [(each["reading"], each["reader"]) for each in told["tasks"]] == [("changed-since", None)]
    assert "geändert, seit gegengelesen wurde" in messwerk("lint", folder).output


def test_warnings_are_no_failure(tmp_path: Path) -> None:
    """A catalogue with warnings alone ends with code 0 and shows them."""
    task = made_task("en")
    task["criterion"][8]["statement"] = "The answer demands adequate corrections."
    result = messwerk("lint", write_catalogue(tmp_path, [task]))
    assert result.exit_code == 0
    assert result.output.startswith("warning: ")
    assert "1 task, 0 errors, 1 warning\n" in result.output


def test_messages_in_a_chosen_language(tmp_path: Path) -> None:
    """Messages come in each task's own language, or in the one that is asked for."""
    folder = write_catalogue(tmp_path, [GERMAN | {"title": ""}, ENGLISH | {"title": ""}])
    assert {each["language"] for each in linted(folder)[1]["findings"]} == {"de", "en"}
    assert {each["language"] for each in linted(folder, "--messages", "de")[1]["findings"]} == {"de"}
    assert "made 1: 2 tasks, 2 errors, 0 warnings" in messwerk("lint", folder).output
    told = messwerk("lint", folder, "--messages", "de").output
    assert told.startswith("Fehler: ")
    assert "made 1: 2 Aufgaben, 2 Fehler, 0 Warnungen" in told


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """A task's file that cannot be read is told beside the findings about the others, and the code is 2."""
    folder = write_catalogue(tmp_path, [GERMAN | {"title": ""}])
    (folder / "broken.en.toml").write_text("format = 1\nid =\n", encoding="utf-8")
    code, told = linted(folder)
    assert (code, told["unreadable"]) == (2, 1)
    assert "1 Aufgabe, 1 Datei nicht lesbar, 2 Fehler, 0 Warnungen" in messwerk("lint", folder).output
    assert {each["rule"] for each in told["findings"]} == {"form", "title"}


def test_no_catalogue(tmp_path: Path) -> None:
    """A folder without catalogue.toml and a folder that is not there are both refused with code 2 and a way out."""
    empty = messwerk("lint", tmp_path)
    assert isinstance(empty.exception, RubricFileError)
    assert empty.exception.exit_code == 2
    nowhere = messwerk("lint", tmp_path / "nowhere")
    assert (nowhere.exit_code, "name one that holds catalogue.toml, or say starter" in nowhere.output) == (2, True)


def test_the_catalogue_that_comes_along() -> None:
    """The starter catalogue is found by its name from anywhere, has no errors, and says that nobody has read it."""
    code, told = linted(Path("starter"))
    assert (code, told["catalogue"], told["errors"]) == (0, "starter", 0)
    assert {(each["reading"], each["example"]) for each in told["tasks"]} == {("unread", True)}


def test_the_process_says_what_to_do(tmp_path: Path) -> None:
    """The process itself ends with code 2 for a folder without a catalogue, and says what to do in one line."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "daemon.cli", "rubric", "lint", str(tmp_path)], capture_output=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.decode().endswith("name a folder that holds one, with the tasks' files beside it\n")
    assert done.stderr.count(b"\n") == 1
