"""Second readings: what makes one valid, and which tasks enter an evaluation."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_rubric import (
    AUTHOR,
    BEGINNER,
    GERMAN,
    READ_AT,
    READER,
    made_catalogue,
    made_task,
    toml_of,
    write_catalogue,
    write_reading,
    write_task,
)

from daemon.cli.rubric_approving import ApprovalRefusedError, record_reading
from daemon.workloads.rubric.admission import admission
from daemon.workloads.rubric.lint import lint_catalogue
from daemon.workloads.rubric.loading import LoadedCatalogue, load_catalogue, load_task
from daemon.workloads.rubric.readings import reading_state, valid_reading
from schemas.clocks import ManualClock
from schemas.errors import ConfigurationError

NAME = "vat-reverse-charge.de.toml"
CLOCK = ManualClock(1_796_029_200_123_456_789)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a catalogue of one task that was read."""
    return write_catalogue(tmp_path, [GERMAN])


def state(folder: Path) -> str:
    loaded = load_catalogue(folder)
    return reading_state(loaded.tasks[0], loaded.catalogue)


def left_out(loaded: LoadedCatalogue, *, include_unread: bool = False) -> list[str]:
    return [each.reason for each in admission(loaded, include_unread=include_unread).left_out]


def test_a_task_that_was_read_enters(folder: Path) -> None:
    """A task without errors that an expert has read as it is enters an evaluation, with its reader."""
    (admitted,) = admission(load_catalogue(folder), include_unread=False).admitted
    assert admitted.reader == READER


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_one_character_voids_a_reading(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """A task edited by one character after its second reading has no valid reading, whichever character it is."""
    folder = write_catalogue(tmp_path_factory.mktemp("edited"), [GERMAN])
    text = toml_of(GERMAN)
    # Any place inside a text of several lines, where every other letter still makes a task.
    begin = text.index('"""') + 4
    at = data.draw(st.integers(min_value=begin, max_value=text.index('"""', begin) - 1))
    new = data.draw(st.sampled_from("abcXYZ 123.").filter(lambda each: each != text[at]))
    (folder / NAME).write_text(text[:at] + new + text[at + 1 :], encoding="utf-8")
    loaded = load_catalogue(folder)
    assert valid_reading(loaded.tasks[0], loaded.catalogue) is None
    assert admission(loaded, include_unread=False).admitted == ()


def test_a_changed_task_leaves_the_evaluation_until_it_is_as_it_was(folder: Path) -> None:
    """One blank more voids the reading, and taking it back makes the same reading valid again."""
    before = (folder / NAME).read_bytes()
    (folder / NAME).write_bytes(before + b" ")
    assert state(folder) == "changed-since"
    assert left_out(load_catalogue(folder)) == ["changed-since"]
    (folder / NAME).write_bytes(before)
    assert state(folder) == "read"


@pytest.mark.parametrize("reader", [AUTHOR, BEGINNER, "nobody"])
def test_readers_who_are_none(folder: Path, reader: str) -> None:
    """A reading by the author, by somebody with too little practice or by a stranger is none, and it is told why."""
    write_reading(folder / NAME, reader)
    loaded = load_catalogue(folder)
    assert state(folder) == "reader-refused"
    (found,) = lint_catalogue(loaded)
    assert found.message == {AUTHOR: "author", BEGINNER: "too-little-practice"}.get(reader, "unknown-reader")
    assert left_out(loaded) == ["reader-refused"]


def test_years_of_practice_are_five(folder: Path) -> None:
    """Five years of practice are enough for a reader, and four are not."""
    persons = made_catalogue()["person"]
    assert state(folder) == "read"
    persons[1]["years_of_practice"] = 4
    (folder / "catalogue.toml").write_text(toml_of(made_catalogue(person=persons)), encoding="utf-8")
    assert state(folder) == "reader-refused"


class TestAdmission:
    def test_unread(self, tmp_path: Path) -> None:
        """A task that nobody has read is left out, unless somebody says that it may enter."""
        loaded = load_catalogue(write_catalogue(tmp_path, [GERMAN], read=False))
        assert left_out(loaded) == ["unread"]
        both = admission(loaded, include_unread=True)
        assert (both.left_out, [each.reader for each in both.unread]) == ((), [None])

    def test_errors(self, tmp_path: Path) -> None:
        """A task with errors never enters; warnings keep no task out."""
        vague = made_task("en", id="vague")
        vague["criterion"][8]["statement"] = "The answer demands adequate corrections."
        wrong = made_task("de", id="wrong", title="")
        loaded = load_catalogue(write_catalogue(tmp_path, [vague, wrong]))
        both = admission(loaded, include_unread=True)
        assert [each.loaded.task.id for each in both.admitted] == ["vague"]
        assert [each.text for each in both.left_out] == ["wrong (de): 1 error; see `messwerk rubric lint`"]

    def test_unreadable(self, folder: Path) -> None:
        """A file that cannot be read is named among those left out, and the others enter."""
        (folder / "broken.de.toml").write_text("?", encoding="utf-8")
        both = admission(load_catalogue(folder), include_unread=False)
        assert len(both.admitted) == 1
        assert [(each.task, each.reason) for each in both.left_out] == [(None, "unreadable")]

    def test_an_error_of_the_catalogue_is_about_every_task(self, folder: Path) -> None:
        """With an error in catalogue.toml no task enters."""
        (folder / "catalogue.toml").write_text(toml_of(made_catalogue(id="A/B")), encoding="utf-8")
        assert left_out(load_catalogue(folder), include_unread=True) == ["errors"]


class TestApproving:
    def test_recorded(self, tmp_path: Path) -> None:
        """An approval is a reading of the file's bytes now, in UTC, and makes the task enter."""
        folder = write_catalogue(tmp_path, [GERMAN], read=False)
        approval = record_reading(folder / NAME, READER, CLOCK)
        (reading,) = load_task(folder / NAME).readings
        assert (reading.reader, reading.task_sha256) == (READER, approval.task_sha256)
        assert (folder / f"{NAME}.readings.json").read_text().count("2026-11-30T09:00:00Z") == 1
        assert state(folder) == "read"

    def test_history_is_kept(self, folder: Path) -> None:
        """A reading of a changed task is added behind the earlier ones, which stay as they were."""
        before = load_task(folder / NAME).readings
        (folder / NAME).write_bytes((folder / NAME).read_bytes() + b"\n")
        record_reading(folder / NAME, READER, CLOCK)
        now = load_task(folder / NAME).readings
        assert (now[:1], len(now)) == (before, 2)
        assert state(folder) == "read"

    def test_warnings(self, folder: Path) -> None:
        """Warnings are counted as they are after the approval: that the task had changed since is none any more."""
        task = made_task("de")
        task["criterion"][8]["statement"] = "Die Antwort verlangt eine angemessene Berichtigung."
        write_task(folder, task)
        assert record_reading(folder / NAME, READER, CLOCK).warnings == 1

    @pytest.mark.parametrize("name", ["draft.txt", ".hidden.de.toml"])
    def test_a_file_that_is_no_task_of_the_catalogue(self, folder: Path, name: str) -> None:
        """A file that no run would take as a task was held against no rule, so it cannot be approved."""
        (folder / name).write_bytes((folder / NAME).read_bytes())
        with pytest.raises(ConfigurationError, match=f"{name}: no task of the catalogue.*call it"):
            record_reading(folder / name, READER, CLOCK)
        assert not (folder / f"{name}.readings.json").exists()

    def test_an_example_that_no_expert_wrote(self, tmp_path: Path) -> None:
        """An example whose author has too little practice cannot be approved; a reading of it makes it an error."""
        folder = write_catalogue(tmp_path, [made_task("de", author=BEGINNER, example=True)], read=False)
        with pytest.raises(ApprovalRefusedError, match="bevor sie etwas misst"):
            record_reading(folder / NAME, READER, CLOCK)
        write_reading(folder / NAME, READER)
        loaded = load_catalogue(folder)
        assert left_out(loaded) == ["errors"]

    def test_twice(self, folder: Path) -> None:
        """Approving the same bytes again records nothing."""
        before = (folder / f"{NAME}.readings.json").read_bytes()
        assert not record_reading(folder / NAME, READER, CLOCK).recorded
        assert (folder / f"{NAME}.readings.json").read_bytes() == before

    @pytest.mark.parametrize(
        ("reader", "why"),
        [
            (AUTHOR, "the author cannot be the second reader"),
            (BEGINNER, "a second reader needs 5 years of practice"),
            ("nobody", "no .*person.* has this id; add one, or name one of: reader-vat"),
        ],
    )
    def test_readers_who_cannot_be(self, folder: Path, reader: str, why: str) -> None:
        """Author, beginner and stranger are refused, and the readings stay as they are."""
        before = (folder / f"{NAME}.readings.json").read_bytes()
        with pytest.raises(ApprovalRefusedError, match=why):
            record_reading(folder / NAME, reader, CLOCK)
        assert (folder / f"{NAME}.readings.json").read_bytes() == before

    def test_a_task_with_errors(self, tmp_path: Path) -> None:
        """A task with errors cannot be approved, and the errors are listed."""
        task = made_task(question=" ")
        folder = write_catalogue(tmp_path, [task], read=False)
        with pytest.raises(ApprovalRefusedError, match=r"mend these errors.*\n.*Regel question: die Frage ist leer"):
            record_reading(folder / NAME, READER, CLOCK)
        assert not (folder / f"{NAME}.readings.json").exists()

    def test_another_tasks_errors(self, tmp_path: Path) -> None:
        """Errors of other tasks in the catalogue do not stop an approval."""
        folder = write_catalogue(tmp_path, [GERMAN, made_task(id="other", title="")], read=False)
        assert record_reading(folder / NAME, READER, CLOCK).recorded

    def test_several_at_once(self, tmp_path: Path) -> None:
        """Of several experts who approve at the same moment each is recorded."""
        persons = [{**made_catalogue()["person"][1], "id": f"reader-{n}"} for n in range(8)]
        catalogue = made_catalogue(person=[*made_catalogue()["person"], *persons])
        folder = write_catalogue(tmp_path, [GERMAN], catalogue=catalogue, read=False)
        readers = [each["id"] for each in persons]
        with ThreadPoolExecutor(len(readers)) as pool:
            list(pool.map(lambda reader: record_reading(folder / NAME, reader, CLOCK), readers))
        assert sorted(each.reader for each in load_task(folder / NAME).readings) == readers

    def test_no_file(self, tmp_path: Path) -> None:
        """A task that is not there is refused by name."""
        with pytest.raises(ConfigurationError, match=r"nowhere.de.toml: No such file.*name a task's file"):
            record_reading(tmp_path / "nowhere.de.toml", READER, CLOCK)

    def test_a_full_disk(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where the readings cannot be put in place, that is said, nothing is left behind and nothing recorded."""
        folder = write_catalogue(tmp_path, [GERMAN], read=False)

        def full(_path: Path, _target: Path) -> Path:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(Path, "replace", full)
            with pytest.raises(ConfigurationError, match="No space left on device; the reading was not recorded"):
                record_reading(folder / NAME, READER, CLOCK)
        assert sorted(each.name for each in folder.iterdir()) == ["catalogue.toml", NAME]


def test_the_newest_of_several_valid_readings_counts(folder: Path) -> None:
    """Of two valid readings of the same bytes the newer one is named."""
    write_reading(folder / NAME, READER, READ_AT)
    path = write_task(folder, made_task("de"))
    newer = write_reading(path, READER, READ_AT + timedelta(days=1))
    assert newer.exists()
    loaded = load_catalogue(folder)
    reading = valid_reading(loaded.tasks[0], loaded.catalogue)
    assert reading is not None
    assert reading.read_at == READ_AT + timedelta(days=1)
