"""``messwerk review judge``: blind, resumable, and never finished before it is."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from made_review import ReviewExample, prepared, small_example

from daemon.cli import cli
from daemon.cli.prompting import Prompting
from daemon.cli.review_files import FIXTURES, LIBRARY, RESEARCH, StoredFile, identity_of, sources_at, stored
from daemon.cli.review_judging import JudgedFile
from daemon.judging.review.hashes import file_text
from daemon.judging.review.review_checks import finished
from daemon.review.records import RecordError
from schemas.errors import ConfigurationError
from schemas.review.manifest import Manifest
from schemas.review.refusals import ReviewRefusedError
from schemas.review.run import HumanJudgment, Run

ANSWERS = [line for rule in range(6) for line in ("y", "0", f"Rule {rule} is well served.")]
ANSWERS += ["y", "y", "n", "On the whole it is good.", "y"]
"""Of one review: six rules, then facts, intent, harm, reason, and a last look."""
UNITS = [*range(0, 18, 3), 18, 19, 20]
"""Where in them each part begins that is kept as a whole."""


@cache
def manifest() -> Manifest:
    return prepared(identity_of(sources_at(FIXTURES, LIBRARY, RESEARCH)))


class Desk:
    """A manifest and a run file, and people who judge it."""

    def __init__(self, root: Path, example: ReviewExample) -> None:
        self.manifest, self.path = root / "manifest.json", root / "run.json"
        self.manifest.write_bytes(example.manifest_bytes)
        self.path.write_bytes(example.run_bytes)

    def judge(self, lines: list[str], *words: str, person: str = "editor-01") -> Result:
        arguments = ["judge", str(self.path), "--manifest", str(self.manifest), "--reviewer", person, *words]
        return CliRunner().invoke(cli, ["review", *arguments], input="".join(f"{line}\n" for line in lines))

    def run(self) -> Run:
        return stored(self.path, Run).content

    def given(self, place: int = 0) -> HumanJudgment:
        return self.run().reviews[place].human_judgments[0]

    def report(self) -> Any:
        output = self.path.with_name("report.json")
        output.unlink(missing_ok=True)
        arguments = ["--manifest", str(self.manifest), "--run", str(self.path), "--output", str(output)]
        told = CliRunner().invoke(cli, ["review", "evaluate", *arguments])
        assert told.exit_code == 0, told.exception
        languages = json.loads(output.read_bytes())["conditions"][0]["languages"]
        return next(each["reviews"] for each in languages if each["language"] == "en")


def unjudged(reviews: int = 1) -> ReviewExample:
    made = ReviewExample(manifest())
    made.condition("secret-condition", sources=("source-001", "source-016"), repetitions=(1,))
    for source in ("source-001", "source-016")[:reviews]:
        request = f"{source}/public-docs-six/bundled/all"
        quote = {"source-001": "After three sprints", "source-016": "demnächst"}[source]
        change = made.change(source, quote, f"first for {source}", "second\u001b[2J", "third one")
        needed = {"decision": "needs-evidence", "evidenceNeeded": "Which menu is meant?"}
        answer = made.answer(request, internal_history=change, reader_goal=needed)
        made.select(f"secret-condition/{source}/r1", made.attempt(f"secret-condition/{source}/r1", request, answer))
    return made


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, unjudged())


def disputed(tmp_path: Path) -> Desk:
    made = small_example(manifest())
    made.run["reviews"][0]["adjudication"] = None
    made.run["reviews"][0]["humanJudgments"][1]["rationale"] = "The purpose is lost."
    return Desk(tmp_path, made)


def test_a_review_is_judged(desk: Desk) -> None:
    """All questions answered make a finished judgment, in the file's form, that the evaluation takes."""
    told = desk.judge(ANSWERS)
    assert told.exit_code == 0, told.output
    assert "1 reviews judged, 0 still open; 1 have no chosen answers yet" in told.output
    given = desk.given()
    assert finished(given)
    assert (given.method, given.alternative_scope) == ("independent-human-review", "all-produced-alternatives")
    assert given.rule_judgments[3].rationale == "Rule 3 is well served."
    assert desk.report()["editoriallyAccepted"] == 1
    assert "judged already" in desk.judge([]).output


def test_what_is_shown(desk: Desk) -> None:
    """Source, context, rules, decisions, reasons, quotations, what is needed and every alternative are shown."""
    output = desk.judge(["q"]).output
    source = next(each for each in manifest().sources if each.source_id == "source-001")
    assert source.text in output
    for shown in (
        source.context.purpose, source.context.audience, *source.context.facts, "decision: change", "decision: keep",
        "decision: needs-evidence", "needed:   Which menu is meant?", "“After three sprints”", "at 0 to 19",
        "alternative 1: first for source-001", "alternative 2: second", "alternative 3: third one",
    ):  # fmt: skip
        assert shown in output
    assert "\u001b" not in output  # an answer's control characters would rewrite the terminal


def test_a_text_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Spaces of every kind, joined signs and soft hyphens are shown; what would rewrite a line or a screen is not."""
    Prompting().show("10\u00a0€, z.\u202fB. \U0001f469\u200d\U0001f4bb, Wort\u00adtrennung")
    Prompting().show("\u001b[2J\u202eabc\u2066\r")
    first, second = capsys.readouterr().out.splitlines()
    assert first == "10\u00a0€, z.\u202fB. \U0001f469\u200d\U0001f4bb, Wort\u00adtrennung"
    assert second == "\ufffd[2J\ufffdabc\ufffd\ufffd"


def test_what_is_hidden(desk: Desk) -> None:
    """Neither model, candidate, provider, condition, request nor labels are shown, at no point of a sitting."""
    output = desk.judge(ANSWERS).output
    hidden = ("secret-condition", "example-small", "bundled", "public-docs-six", "attempt-", "source-001/")
    assert [word for word in hidden if word in output.lower()] == []
    fixtures = json.loads(FIXTURES.read_bytes())
    labels = next(case["labels"] for case in fixtures["cases"] if case["sourceId"] == "source-001")
    assert labels
    for label in labels:
        assert f"“{label['quote']}”" not in output


@pytest.mark.parametrize("answered", [0, 1, 3, 4, 17, 18, 19, 20, 21, 22])
def test_whoever_leaves_goes_on_there(desk: Desk, answered: int) -> None:
    """After any number of answers the file has a draft that is not finished and is valid; going on completes it."""
    left = desk.judge([*ANSWERS[:answered], "q"])
    assert (left.exit_code, "0 reviews judged, 1 still open" in left.output) == (1, True)
    drafts = desk.run().reviews[0].human_judgments
    assert len(drafts) == (answered >= 3)
    assert not any(map(finished, drafts))
    reported = desk.report()
    assert (reported["editoriallyAccepted"], reported["unjudged"]) == (0, 1)
    kept = max(start for start in UNITS if start <= answered)
    assert desk.judge(ANSWERS[kept:]).exit_code == 0
    (desk.path.parent / "whole").mkdir()
    whole = Desk(desk.path.parent / "whole", unjudged())
    whole.judge(ANSWERS)
    assert desk.path.read_bytes() == whole.path.read_bytes()


def test_input_that_ends(desk: Desk) -> None:
    """Where no more input comes, it is as if the person left."""
    assert (desk.judge(ANSWERS[:4]).exit_code, finished(desk.given())) == (1, False)


def test_answers_that_cannot_be_read(desk: Desk) -> None:
    """Nonsense, negative counts and blank reasons are asked again; a question mark shows the review again."""
    lines = ["perhaps", "?", "ja", "-1", "two", "2", "", "  ", "Two were missed.", *ANSWERS[3:]]
    told = desk.judge(lines)
    assert told.exit_code == 0, told.output
    assert told.output.count("Review 1 of 1") == 2
    assert "a judgment is nothing without its reason" in told.output
    assert desk.given().rule_judgments[0].missed_issue_count == 2


def test_a_last_look(desk: Desk) -> None:
    """Whoever does not enter a judgment begins the review anew, and the draft holds nothing of it."""
    told = desk.judge([*ANSWERS[:-1], "n", "q"])
    assert told.exit_code == 1
    assert "harmful change no; On the whole it is good." in told.output
    assert {rule.rationale for rule in desk.given().rule_judgments} == {None}
    assert desk.given().facts_preserved is None


def test_people_meet_reviews_in_orders_of_their_own(tmp_path: Path) -> None:
    """Two people are shown the same reviews in orders that depend on their names, not on conditions."""
    desk = Desk(tmp_path, unjudged(reviews=2))
    firsts = {
        "en" if "Review 1 of 2, en" in desk.judge(["q"], person=f"editor-{number}").output else "de"
        for number in range(8)
    }
    assert firsts == {"en", "de"}


def test_failed_and_missing_answers_are_not_judged(tmp_path: Path) -> None:
    """A review with a failed response is left out, and counted."""
    made = unjudged()
    made.run["attempts"][0]["response"] = "{"
    told = Desk(tmp_path, made).judge([])
    assert (told.exit_code, "1 lack a response or have a failed one" in told.output) == (0, True)


class TestAdjudication:
    def test_a_third_person_settles(self, tmp_path: Path) -> None:
        """The disagreement is shown with its reasons; the adjudication is kept apart, and the judgments stay."""
        desk = disputed(tmp_path)
        before = desk.run().reviews[0].human_judgments
        told = desk.judge(ANSWERS, "--adjudicate", person="editor-09")
        assert told.exit_code == 0, told.output
        assert "the review, intentPreserved: editor-01 yes, editor-02 no" in told.output
        assert "editor-02: The purpose is lost." in told.output
        review = desk.run().reviews[0]
        assert review.human_judgments == before
        assert review.adjudication is not None
        assert (review.adjudication.reviewer_id, finished(review.adjudication)) == ("editor-09", True)
        assert desk.report()["adjudicated"] == 1

    def test_none_of_the_judges(self, tmp_path: Path) -> None:
        """One of the judges cannot adjudicate, and the file stays as it is."""
        desk = disputed(tmp_path)
        before = desk.path.read_bytes()
        problem = desk.judge(ANSWERS, "--adjudicate", person="editor-02").exception
        assert isinstance(problem, ReviewRefusedError)
        assert (problem.rule, problem.exit_code) == ("adjudicator", 1)
        assert desk.path.read_bytes() == before

    def test_not_twice(self, tmp_path: Path) -> None:
        """What somebody has begun to adjudicate is left to them, and they cannot judge it as well."""
        desk = disputed(tmp_path)
        desk.judge([*ANSWERS[:3], "q"], "--adjudicate", person="editor-09")
        assert "1 somebody else adjudicates" in desk.judge([], "--adjudicate", person="editor-08").output
        assert "nobody adjudicates what they judged" in desk.judge(["q"], person="editor-09").output

    def test_without_a_disagreement(self, desk: Desk) -> None:
        """Where nobody disagrees there is nothing to adjudicate."""
        desk.judge(ANSWERS)
        told = desk.judge([], "--adjudicate", person="editor-09")
        assert (told.exit_code, "1 have no disagreement" in told.output) == (0, True)


class TestFile:
    def kept(self, desk: Desk) -> tuple[JudgedFile, HumanJudgment]:
        given: StoredFile[Run] = stored(desk.path, Run)
        desk.judge([*ANSWERS[:3], "q"])
        draft = desk.given()
        desk.path.write_text(file_text(given.content), encoding="utf-8")
        return JudgedFile(stored(desk.path, Run), "judge"), draft

    def test_a_file_that_somebody_changed(self, desk: Desk) -> None:
        """A file that was changed meanwhile is not written over, and the message says what was lost."""
        file, draft = self.kept(desk)
        content = desk.path.read_bytes() + b"\n"
        desk.path.write_bytes(content)
        with pytest.raises(RecordError, match="changed by somebody else meanwhile, and your last answer was not"):
            file.keep("secret-condition/source-001/r1", draft)
        assert desk.path.read_bytes() == content

    def test_a_disk_that_refuses(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        """A write that fails leaves the file whole as it was, and nothing beside it."""
        file, draft = self.kept(desk)
        before, beside = desk.path.read_bytes(), sorted(desk.path.parent.iterdir())

        def refuse(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("daemon.cli.review_judging.os.fsync", refuse)
        with pytest.raises(ConfigurationError, match="No space left on device; your last answer was not written"):
            file.keep("secret-condition/source-001/r1", draft)
        assert desk.path.read_bytes() == before
        assert sorted(desk.path.parent.iterdir()) == beside

    def test_permissions_and_links_stay(self, desk: Desk) -> None:
        """A file keeps its permissions, and a link to it stays a link."""
        real = desk.path.rename(desk.path.with_name("real.json"))
        real.chmod(0o640)
        desk.path.symlink_to(real)
        desk.judge(ANSWERS)
        assert desk.path.is_symlink()
        assert real.stat().st_mode & 0o777 == 0o640
        assert finished(desk.given())

    def test_other_rules(self, desk: Desk) -> None:
        """Rules other than those that the manifest was prepared with are not shown as if they were."""
        other = desk.path.with_name("library.json")
        other.write_bytes(LIBRARY.read_bytes() + b"\n")
        problem = desk.judge(["q"], "--library", str(other)).exception
        assert isinstance(problem, ReviewRefusedError)
        assert problem.rule == "provenance"

    def test_a_blank_name(self, desk: Desk) -> None:
        """Nobody judges without a name."""
        told = desk.judge([], person=" ")
        assert (told.exit_code, "give the name under which you judge" in told.output) == (2, True)

    def test_a_response_that_changed(self, desk: Desk) -> None:
        """A response that was changed after it was judged voids the judgment, and judging on is refused."""
        desk.judge([*ANSWERS[:3], "q"])
        content = msgspec.json.decode(desk.path.read_bytes())
        content["attempts"][0]["response"] += " "
        desk.path.write_bytes(msgspec.json.encode(content))
        problem = desk.judge(ANSWERS).exception
        assert isinstance(problem, ReviewRefusedError)
        assert problem.rule == "response-set"
