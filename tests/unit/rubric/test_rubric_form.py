"""Files that are no tasks: told by file and line, in words for people who write no programs, beside all others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_rubric import made_catalogue, made_task, toml_of, write_catalogue, write_reading, write_task

from daemon.workloads.rubric.findings import RULES, Finding, Teller
from daemon.workloads.rubric.form import FormError, read_form
from daemon.workloads.rubric.loading import RubricFileError, load_catalogue, load_task
from daemon.workloads.rubric.places import json_lines
from schemas.rubric.kinds import Language
from schemas.rubric.task import RubricTask

TASK = toml_of(made_task("en"))


def told(content: str | bytes, *, json: bool = False, language: Language = "en") -> Finding:
    raw = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    with pytest.raises(FormError) as caught:
        read_form(raw, RubricTask, Teller(Path("task"), language), json=json)
    return caught.value.finding


@pytest.mark.parametrize(
    ("message", "line", "content", "json"),
    [
        ("no-utf-8", 2, b'format = 1\nid = "\xff"', False),
        ("no-toml", 2, 'format = 1\nid = "open', False),
        ("no-toml", 3, 'format = 1\nfacts = """\nopen', False),
        ("no-toml", 2, "format = 1\nformat = 1", False),
        ("no-toml", 1, f"format = {'1' * 5000}", False),
        ("no-json", 2, '{"format": 1,\n "id": "x",}', True),
        ("no-json", None, f'{{"format": {"1" * 5000}}}', True),
        ("too-deep", None, "[" * 100_000, True),
        ("too-deep", None, "a = " + "[" * 100_000, False),
        ("half-character", 2, '{"format": 1,\n "id": "\\ud83d"}', True),
        ("half-character", 1, '{"\\ud83d": 1}', True),
        ("missing-key", 1, "format = 1", False),
        ("missing-key", 1, "", False),
        ("missing-key", 1, "{}", True),
        ("unknown-key", 2, "format = 1\nzzz = 3", False),
        ("unknown-key-likely", 2, "format = 1\ncriteria = []", False),
        ("unknown-key-likely", 3, '[[criterion]]\nid = "a"\nstatment = "x"', False),
        ("wrong-type", 3, 'format = 1\ntitle = "a\u2028b\x85c"\nid = 7', False),
        ("key-too-far-down", 3, '[[solution]]\nid = "a"\nquestion = "What?"', False),
        ("closed-set", 1, "format = 2", False),
        ("closed-set", 2, 'format = 1\nlanguage = "fr"', False),
        ("wrong-type", 2, "format = 1\nid = 7", False),
        ("wrong-type", 3, '[[criterion]]\nid = "a"\ncritical = "yes"', False),
        ("wrong-type", 2, '{"criterion": [\n {"id": 3}]}', True),
        ("wrong-type", 1, "[]", True),
    ],
)  # fmt: skip
def test_what_is_wrong_and_where(message: str, line: int | None, content: str | bytes, *, json: bool) -> None:
    """Each thing that can be wrong with a file's form is told with its line."""
    found = told(content, json=json)
    assert (found.message, found.line) == (message, line)


def test_every_way_of_being_unreadable_is_reached() -> None:
    """The cases above are all messages of the rule but the two that other tests reach."""
    mark = next(mark for mark in test_what_is_wrong_and_where.pytestmark if mark.name == "parametrize")  # type: ignore[attr-defined]  # pytest's
    assert {case[0] for case in mark.args[1]} | {"unreadable", "other"} == set(RULES["form"].message)


def test_words_for_experts() -> None:
    """A mistyped key names the key that is meant, a wrong value says how it is written, in the file's language."""
    assert "write statement if" in told('[[criterion]]\nid = "a"\nstatment = "x"').text
    assert "ein Text in Anführungszeichen" in told("format = 1\nid = 7", language="de").text
    assert 'eines von: "de", "en"' in told('format = 1\nlanguage = "fr"', language="de").text
    assert "[[criterion]] 2" in told('[[criterion]]\nid="a"\nstatement="b"\n[[criterion]]\nid = "a"').text


def test_a_mark_before_the_text_and_carriage_returns(tmp_path: Path) -> None:
    """Files as Windows' editors save them are read; the hash is still of their exact bytes."""
    path = tmp_path / "vat-reverse-charge.en.toml"
    path.write_bytes(b"\xef\xbb\xbf" + TASK.replace("\n", "\r\n").encode())
    loaded = load_task(path)
    assert loaded.task.id == "vat-reverse-charge"
    assert loaded.lines("criterion", 2, "statement") == TASK[: TASK.index("The VAT to be declared")].count("\n") + 1


def test_json_and_toml_say_the_same(tmp_path: Path) -> None:
    """A task in JSON with the same keys is the same task."""
    toml, json = (
        load_task(write_task(tmp_path, made_task("de"), f"vat-reverse-charge.de.{end}")) for end in ("toml", "json")
    )
    assert toml.task == json.task
    assert toml.sha256 != json.sha256


class TestFolder:
    def test_one_bad_file_hides_no_other(self, tmp_path: Path) -> None:
        """A file that cannot be read is told beside the tasks that can; other files are passed over."""
        write_catalogue(tmp_path)
        (tmp_path / "broken.de.toml").write_text("format = ", encoding="utf-8")
        (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
        (tmp_path / ".hidden.toml").write_text("nothing", encoding="utf-8")
        (tmp_path / "folder.toml").mkdir()
        loaded = load_catalogue(tmp_path)
        assert [each.path.name for each in loaded.tasks] == [
            "vat-reverse-charge.de.toml",
            "vat-reverse-charge.en.toml",
        ]
        (unreadable,) = loaded.unreadable
        assert (unreadable.rule, unreadable.line, unreadable.language) == ("form", 1, "de")
        assert unreadable.file.endswith("broken.de.toml")

    def test_readings_that_are_none(self, tmp_path: Path) -> None:
        """A readings file without the documented form makes its task unreadable, and is the file that is named."""
        write_catalogue(tmp_path, [made_task()])
        path = write_reading(tmp_path / "vat-reverse-charge.de.toml")
        path.write_text('[{"reader": "reader-vat", "task_sha256": "x", "read_at": "yesterday"}]', encoding="utf-8")
        loaded = load_catalogue(tmp_path)
        assert loaded.tasks == ()
        assert [(each.file, each.message) for each in loaded.unreadable] == [(str(path), "other")]
        path.write_text('[{"reader": "reader-vat"}]', encoding="utf-8")
        (found,) = load_catalogue(tmp_path).unreadable
        assert found.problem == "task_sha256 fehlt in Eintrag 1"

    def test_no_catalogue(self, tmp_path: Path) -> None:
        """A folder without catalogue.toml is refused, and so is one that is not there."""
        for folder in (tmp_path, tmp_path / "nowhere"):
            with pytest.raises(RubricFileError, match=r"there is no catalogue.toml; name a folder that holds one"):
                load_catalogue(folder)

    def test_a_catalogue_with_a_mistake(self, tmp_path: Path) -> None:
        """A mistake in catalogue.toml stops everything, with its line."""
        persons = made_catalogue()["person"]
        write_catalogue(
            tmp_path, catalogue=made_catalogue(person=[*persons, {**persons[0], "years_of_practice": "7"}])
        )
        with pytest.raises(
            RubricFileError, match=r"catalogue.toml, line 28, rule form: years_of_practice holds .* whole"
        ):
            load_catalogue(tmp_path)

    def test_readings_that_cannot_be_opened(self, tmp_path: Path) -> None:
        """A folder where the readings should be makes its task unreadable."""
        write_catalogue(tmp_path, [made_task()], read=False)
        (tmp_path / "vat-reverse-charge.de.toml.readings.json").mkdir()
        assert [each.message for each in load_catalogue(tmp_path).unreadable] == ["unreadable"]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(_JSON, st.sampled_from([None, 1]))
def test_every_json_value_has_a_line(value: object, indent: int | None) -> None:
    """Whatever a JSON file holds, each of its values is found on the line on which it begins."""
    text = json.dumps(value, indent=indent)
    lines = json_lines(text)
    rows = text.split("\n")

    def check(each: object, path: tuple[str | int, ...]) -> None:
        begin = json.dumps(each)[0] if isinstance(each, list | dict) else json.dumps(each)
        assert begin in rows[lines(*path) - 1]
        inner = each.items() if isinstance(each, dict) else enumerate(each) if isinstance(each, list) else ()
        for key, one in inner:
            check(one, (*path, key))

    check(value, ())


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_read_or_told(content: bytes) -> None:
    """Bytes that are no task are a finding of the rule form, never anything else."""
    assert {told(content, json=json).rule for json in (False, True)} == {"form"}


@given(st.integers(min_value=0, max_value=len(TASK) - 1), st.characters(exclude_categories=["Cs"]))
def test_any_slip_of_the_pen_is_read_or_told(position: int, character: str) -> None:
    """A task with one character changed is read, or is a finding with a line of the file."""
    damaged = TASK[:position] + character + TASK[position + 1 :]
    finding = None
    try:
        read_form(damaged.encode(), RubricTask, Teller(Path("task"), "de"), json=False)
    except FormError as problem:
        finding = problem.finding
    assert finding is None or 1 <= (finding.line or 0) <= damaged.count("\n") + 1
