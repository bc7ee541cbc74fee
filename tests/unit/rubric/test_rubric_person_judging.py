"""A person judges at a terminal or with a file, blind, and every verdict is in the log at once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from click.testing import CliRunner, Result
from rubric_running import CRITERIA, RubricPlace

from daemon.cli.rubric import rubric
from daemon.reference.rubric import RubricModel
from daemon.rubric.answers import NothingToJudgeError
from daemon.rubric.judging_words import JUDGING_WORDS
from daemon.rubric.person_judging import Sat, Sitting, person
from daemon.rubric.verdict_file import template
from daemon.rubric.verdict_form import RULES, VerdictRule
from schemas.clocks import SystemClock
from schemas.errors import ConfigurationError
from schemas.events import JudgmentRecorded
from schemas.ids import UuidFactory

PERSON = "reader-vat"
ALL = 4 * CRITERIA


@pytest.fixture
def place(tmp_path: Path) -> RubricPlace:
    """Ask two models whose names would tell whose an answer is."""
    place = RubricPlace(tmp_path, RubricModel(name="secretive-model", title=""))
    place.ask()
    return place


@pytest.fixture(scope="module")
def unjudged(tmp_path_factory: pytest.TempPathFactory) -> RubricPlace:
    """Ask once for all tests that record nothing."""
    place = RubricPlace(tmp_path_factory.mktemp("unjudged"), RubricModel(name="secretive-model", title=""))
    place.ask()
    return place


class Scripted:
    """A terminal that is typed into by a test; at the end of the lines nobody sits there any more."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.shown: list[str] = []

    def show(self, text: str) -> None:
        self.shown.append(text)

    def ask(self, question: str) -> str | None:
        self.shown.append(question)
        return self.lines.pop(0) if self.lines else None


def sit(place: RubricPlace, *lines: str, again: bool = False) -> tuple[Sat, list[JudgmentRecorded], Scripted]:
    found, recorded, terminal = place.answers().found, list[JudgmentRecorded](), Scripted(*lines)
    judge = person(place.loaded.catalogue, PERSON)
    sat = Sitting(found, judge, recorded.append, UuidFactory(SystemClock()), again=again).carry_out(terminal)
    return sat, recorded, terminal


def invoke(place: RubricPlace, *arguments: str, typed: str = "") -> Result:
    command = ["judge", str(place.folder), "--as", PERSON, "--data", str(place.paths.root), *arguments]
    return CliRunner().invoke(rubric, command, input=typed)


def judgments(place: RubricPlace) -> list[JudgmentRecorded]:
    return [each for each in place.events() if isinstance(each, JudgmentRecorded)]


def test_each_verdict_is_recorded_with_its_reason(unjudged: RubricPlace) -> None:
    """Yes, no, in words and in German, skip and leave do what they say; a verdict waits for its reason."""
    sat, (first, second, third), terminal = sit(
        unjudged, "maybe", "y", "", "says so", "NEIN", "does not", "s", "j", "ja", "q"
    )
    assert (sat.passed, sat.failed, sat.skipped, sat.still_open, sat.left) == (2, 1, 1, ALL - 3, True)
    assert [(each.verdict, each.reason) for each in (first, second, third)] == [
        (True, "says so"),
        (False, "does not"),
        (True, "ja"),
    ]
    assert first.judge == person(unjudged.loaded.catalogue, PERSON)
    answer = unjudged.answers().found[0]
    assert (first.subject.sha256, first.subject.attempt) == (answer.sha256, answer.attempt)
    assert first.subject.id == "made/vat-reverse-charge/de/debtor-is-recipient"
    assert "ohne Begründung gilt kein Urteil" in "\n".join(terminal.shown)


def test_the_judge_is_shown_everything_but_whose_it_is(unjudged: RubricPlace) -> None:
    """Facts, question, cited solution, answer and statement are shown; no model, endpoint or critical mark."""
    _, _, terminal = sit(unjudged, "q")
    shown = "\n".join(terminal.shown)
    task, answer = unjudged.loaded.tasks[0].task, unjudged.answers().found[0]
    for text in (task.facts.strip(), task.question, task.criteria[0].statement, answer.text):
        assert text in shown
    assert all(section.text.strip() in shown for section in task.solution)
    assert "§ 14a Abs. 5 UStG" in shown
    assert "secretive" not in shown.lower()
    assert not [word for word in ("critical", "kritisch") if word in shown.lower()]
    assert task.criteria[1].statement not in shown


def test_a_person_is_asked_in_the_language_of_the_task(unjudged: RubricPlace) -> None:
    """A German task is judged in German words, an English one in English words that have the same places."""
    _, _, terminal = sit(unjudged, *["s"] * CRITERIA)
    shown = "\n".join(terminal.shown)
    assert shown.index("--- Sachverhalt ---") < shown.index("Trifft die Aussage auf die Antwort zu?")
    assert shown.index("j/n/s/q") < shown.index("--- Facts ---") < shown.index("Is the statement true of the answer?")
    german, english = (msgspec.structs.asdict(JUDGING_WORDS[language]) for language in ("de", "en"))
    for name, words in german.items():
        assert set(re.findall(r"{\w+}", words)) == set(re.findall(r"{\w+}", english[name]))


def test_a_reason_that_never_comes_records_nothing(unjudged: RubricPlace) -> None:
    """Whoever leaves before the reason has not judged."""
    sat, recorded, _ = sit(unjudged, "y")
    assert (recorded, sat.left, sat.still_open) == ([], True, ALL)


def test_leaving_and_going_on(place: RubricPlace) -> None:
    """Verdicts are in the log when the person leaves; the next time goes on behind them, and --again supersedes."""
    first = invoke(place, typed="y\nsays so\nn\ndoes not\nq\n")
    assert first.exit_code == 1
    assert f"{ALL} criteria, 0 judged before: 1 passed, 1 failed, 0 skipped, {ALL - 2} open; left" in first.output
    assert [each.verdict for each in judgments(place)] == [True, False]
    second = invoke(place, typed="q\n")
    assert "2 judged before" in second.output
    assert "Aussage 3 von 10" in second.output
    assert "Aussage 2 von 10" not in second.output
    invoke(place, "--again", typed="n\non second thoughts\nq\n")
    *_, last = judgments(place)
    assert (last.verdict, last.supersedes) == (False, judgments(place)[0].judgment)


def test_an_answer_cannot_move_the_cursor(unjudged: RubricPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Control characters of what is shown become replacement characters, so that nothing is written over."""
    answer = msgspec.structs.replace(unjudged.answers().found[0], text="fine\x1b[2J\x1b[1;1Hpassed")
    monkeypatch.setattr(
        "daemon.cli.rubric_person.answers", lambda *_: type(unjudged.answers())(found=(answer,), unusable=())
    )
    shown = invoke(unjudged, typed="q\n").output
    assert "fine\N{REPLACEMENT CHARACTER}[2J" in shown
    assert "\x1b" not in shown


def test_a_stranger_cannot_judge(unjudged: RubricPlace) -> None:
    """A judge is a person of the catalogue."""
    with pytest.raises(ConfigurationError, match=r"no person 'nobody' .* names author-vat, reader-vat, reader-new"):
        person(unjudged.loaded.catalogue, "nobody")


def filled(place: RubricPlace, change: Callable[[Any], None] = lambda _: None) -> Path:
    """Write a template with a verdict on every criterion, then one change."""
    path = place.folder.parent / "verdicts.json"
    judge = person(place.loaded.catalogue, PERSON)
    content = json.loads(template(place.loaded.catalogue, place.answers().found, judge))
    for answer in content["answers"]:
        for number, criterion in enumerate(answer["criteria"]):
            criterion |= {"verdict": number != 3, "reason": "looked at it"}
    change(content)
    path.write_text(json.dumps(content, indent=1))
    return path


def test_a_template_names_no_model_and_comes_back_filled(place: RubricPlace) -> None:
    """A written template says nothing of whose answers they are; filled, it is recorded whole, and only once."""
    path = place.folder.parent / "template.json"
    assert invoke(place, "--template", str(path)).exit_code == 0
    assert "secretive" not in path.read_text()
    assert isinstance(invoke(place, "--template", str(path)).exception, ConfigurationError)
    taken = invoke(place, "--from", str(filled(place)), "--json")
    told = json.loads(taken.output)
    assert (taken.exit_code, told["passed"], told["failed"], told["superseding"]) == (0, ALL - 4, 4, 0)
    assert len(judgments(place)) == ALL
    assert json.loads(invoke(place, "--from", str(filled(place)), "--json").output)["passed"] == 0

    def other(content: Any) -> None:
        content["answers"][0]["criteria"][3]["verdict"] = True
        content["answers"][1]["criteria"][3] |= {"verdict": None, "reason": None}

    told = json.loads(invoke(place, "--from", str(filled(place, other)), "--json").output)
    assert (told["passed"], told["superseding"], told["judged"]) == (1, 1, ALL)
    assert len(judgments(place)) == ALL + 1


def test_without_an_answer_there_is_nothing_to_judge(tmp_path: Path) -> None:
    """Where the log has no answer to a task of the catalogue, each way of judging says so, and what to do."""
    place = RubricPlace(tmp_path, RubricModel(name="mute", title="", refused=2))
    place.ask()
    for way in ((), ("--template", str(tmp_path / "new.json"))):
        refused = invoke(place, *way).exception
        assert isinstance(refused, NothingToJudgeError)
        assert str(refused) == "no task of made has an answer in the log: ask first, with `messwerk rubric run`"
    assert not (tmp_path / "new.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--together",), "are a model's: give --by ENDPOINT"),
        (("--template", "FILE", "--again"), "--template holds every criterion anyway"),
        (("--template", "FILE", "--from", "FILE"), "--from goes alone"),
    ],
)
def test_options_that_do_nothing_together_are_refused(
    unjudged: RubricPlace, arguments: Sequence[str], message: str
) -> None:
    """An option that would be passed over in silence is wrong usage."""
    refused = invoke(unjudged, *arguments)
    assert refused.exit_code == 2
    assert message in refused.output


def _at(content: Any, *path: str | int) -> Any:
    for step in path:
        content = content[step]
    return content


ANSWER = "answers[1]"
CRITERION = f"{ANSWER}.criteria[2]"
NOWHERE = str(UUID(int=1))


def changed(**values: Any) -> Callable[[Any], None]:
    """Change the file itself, by keys."""
    return lambda content: content.update(values)


def answer_changed(**values: Any) -> Callable[[Any], None]:
    return lambda content: _at(content, "answers", 1).update(values)


def criterion_changed(**values: Any) -> Callable[[Any], None]:
    return lambda content: _at(content, "answers", 1, "criteria", 2).update(values)


def without_verdict(content: Any) -> None:
    del _at(content, "answers", 1, "criteria", 2)["verdict"]


def answer_twice(content: Any) -> None:
    content["answers"].append(content["answers"][0])


def criterion_twice(content: Any) -> None:
    _at(content, "answers", 1, "criteria").append(_at(content, "answers", 1, "criteria", 2))


FAULTS: Sequence[tuple[VerdictRule, str, str, Callable[[Any], None]]] = (
    ("form", f"{CRITERION}.verdict", "Expected `bool | null`, got `int`", criterion_changed(verdict=1)),
    ("form", f"{CRITERION}.verdict", "Expected `bool | null`, got `str`", criterion_changed(verdict="true")),
    ("form", CRITERION, "missing required field `verdict`", without_verdict),
    ("form", CRITERION, "unknown field `score`", criterion_changed(score=1)),
    ("form", "format", "Invalid enum value 2", changed(format=2)),
    ("catalogue", "catalogue", "it is of catalogue 'other', not 'made'", changed(catalogue="other")),
    ("answer", f"{ANSWER}.attempt", "there is no answer", answer_changed(attempt=NOWHERE)),
    ("answer", f"{ANSWER}.task", "not to vat-third", answer_changed(task="vat-third")),
    ("answer-hash", f"{ANSWER}.answer_sha256", "not the hash", answer_changed(answer_sha256="0" * 64)),
    ("once", "answers[4].attempt", "occurs twice", answer_twice),
    ("once", f"{ANSWER}.criteria[10].id", "occurs twice", criterion_twice),
    ("statement", f"{CRITERION}.id", "has no criterion 'none'", criterion_changed(id="none")),
    ("statement", f"{CRITERION}.statement", "not the statement of", criterion_changed(statement="It is good.")),
    ("reason", f"{CRITERION}.reason", "has a verdict and no reason", criterion_changed(reason=" ")),
)


@pytest.mark.parametrize(
    ("rule", "where", "problem", "change"), FAULTS, ids=[f"{each[0]}-{each[1]}" for each in FAULTS]
)
def test_one_fault_refuses_the_whole_file(
    unjudged: RubricPlace, rule: VerdictRule, where: str, problem: str, change: Callable[[Any], None]
) -> None:
    """A file with one fault records nothing, and the message names file, place, line and rule."""
    path = filled(unjudged, change)
    refused = invoke(unjudged, "--from", str(path)).exception
    message = str(refused)
    assert message.startswith(f"{path}, {where} (line ")
    assert problem in message
    assert message.endswith(f"[{rule}: {RULES[rule]}]")
    assert judgments(unjudged) == []


def test_a_key_that_occurs_twice_is_no_verdict(unjudged: RubricPlace) -> None:
    """JSON that says the same key twice, or is none, is refused as such."""
    path = filled(unjudged)
    path.write_text(path.read_text().replace('"verdict": true,', '"verdict": false, "verdict": true,', 1))
    assert "a key occurs twice in one object" in str(invoke(unjudged, "--from", str(path)).exception)
    path.write_text("{")
    assert "no JSON" in str(invoke(unjudged, "--from", str(path)).exception)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "say who judges"),
        (["--as", "a", "--by", "b"], "say who judges"),
        (["--by", "b", "--from", "f"], "--from and --template are a person's"),
        (["--as", "a", "--together"], "are a model's"),
        (["--as", "a", "--from", "f", "--again"], "--from goes alone"),
    ],
)
def test_options_that_do_not_go_together(arguments: list[str], said: str) -> None:
    """Who judges is said once, and the options of the other kind of judge are refused."""
    done = CliRunner().invoke(rubric, ["judge", "starter", *arguments])
    assert done.exit_code == 2
    assert said in done.output
