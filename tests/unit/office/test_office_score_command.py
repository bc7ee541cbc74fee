"""``messwerk office score``: what it takes, what it prints, its exit codes, and errors that say the way out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from office_truths import CZECH_INVOICE, EMAIL, ENGLISH_INVOICE, PERSONAL, document, right_answer

from daemon.cli import cli
from daemon.judging.office.totals import FEWEST_PRIVATE
from schemas.errors import ConfigurationError
from schemas.office import OfficeDocument

DOCUMENTS = (
    document(CZECH_INVOICE, name="invoice-0001-cs"),
    document(ENGLISH_INVOICE, name="invoice-0001-en", language="en"),
    document(EMAIL, name="email-0001-cs"),
    document(PERSONAL, name="personal-0001-cs"),
)
RIGHT = [{"document": each.facts.id, "answer": right_answer(each.truth)} for each in DOCUMENTS]


@pytest.fixture
def score(tmp_path: Path) -> Callable[..., Result]:
    """Write truths and answers into files and score them; an error of ours is the result's exception."""

    def run(answers: Any, *options: str, documents: tuple[OfficeDocument, ...] = DOCUMENTS) -> Result:
        truth, said = tmp_path / "truth.jsonl", tmp_path / "answers.jsonl"
        truth.write_bytes(b"\n".join(msgspec.json.encode(each) for each in documents))
        if isinstance(answers, list):
            answers = "\n".join(json.dumps(row) for row in answers)
        said.write_text(answers, encoding="utf-8")
        return CliRunner().invoke(cli, ["office", "score", str(said), "--truth", str(truth), *options])

    return run


def message(result: Result) -> str:
    """Return the error's text, without the folder of the test."""
    assert isinstance(result.exception, ConfigurationError)
    assert result.exception.exit_code == 2
    return str(result.exception).replace(str(result.exception).split("/answers.jsonl")[0] + "/", "")


def test_all_right(score: Callable[..., Result]) -> None:
    """Right answers to every document are told as such, and the exit code is 0."""
    result = score(RIGHT)
    assert (result.exit_code, result.exception) == (0, None)
    assert result.output.splitlines()[0].split() == [
        "documents",
        "of",
        "documents",
        "right",
        "fields",
        "error-free",
        "valid",
        "answers",
    ]
    row = next(line for line in result.output.splitlines() if line.startswith("invoice en"))
    assert row.split("  ")[0] == "invoice en"
    assert "100.0 % (11 of 11)" in row
    assert "reaches 95 %" in row
    assert "wrong fields" not in result.output
    assert result.output.endswith("by office-fields, version 1\n")


def test_mistakes_are_told_by_field(score: Callable[..., Result]) -> None:
    """Wrong fields are counted by field and category, and an invalid reply is all its fields."""
    rows = [*RIGHT[:2], {"document": "email-0001-cs", "reply": "Sorry."}, RIGHT[3]]
    said = json.dumps({**right_answer(CZECH_INVOICE), "total": 1500})
    rows[0] = {"document": "invoice-0001-cs", "reply": f"```json\n{said}\n```"}
    result = score(rows)
    assert result.exit_code == 0
    assert "wrong fields, invoice cs:\n  total: net_instead_of_total 1\n" in result.output
    assert "  deadline: invalid_json 1\n" in result.output
    assert "92.3 % (12 of 13) below 95 %" in " ".join(result.output.split())


def test_json(score: Callable[..., Result]) -> None:
    """With --json the same comes as JSON, with every field of open documents."""
    report = json.loads(score(RIGHT, "--json").output)
    assert (report["scorer"], report["version"]) == ("office-fields", "1")
    (model,) = report["models"]
    assert (model["answered"], model["unanswered"], model["withheld"]) == (4, 0, 0)
    assert [each["document"] for each in model["documents"]] == [each.facts.id for each in DOCUMENTS]
    assert {field["verdict"] for each in model["documents"] for field in each["fields"]} == {
        "right",
        "not-applicable",
    }
    assert model["groups"][0]["totals"]["documents"] == 1


def test_an_array_is_as_good_as_lines(score: Callable[..., Result]) -> None:
    """One JSON array of rows gives the same report as a row a line, empty lines passed over."""
    lines = "\n\n".join(json.dumps(row) for row in RIGHT) + "\n"
    assert score(json.dumps(RIGHT, indent=2), "--json").output == score(lines, "--json").output


def test_models_are_kept_apart(score: Callable[..., Result]) -> None:
    """Answers of several models in one file are added up on their own."""
    rows = [{**row, "model": name} for name in ("b", "a") for row in RIGHT]
    report = json.loads(score(rows, "--json").output)
    assert [(each["model"], each["answered"]) for each in report["models"]] == [("a", 4), ("b", 4)]
    assert score(rows).output.startswith("a:\n")


def test_unanswered_documents_are_a_problem_unless_partial(score: Callable[..., Result]) -> None:
    """Documents without an answer are counted and in no figure, and the exit code is 1, with --partial 0."""
    result = score(RIGHT[:3])
    assert result.exit_code == 1
    assert "without an answer, and in no figure: 1 document(s)" in result.output
    assert score(RIGHT[:3], "--partial").exit_code == 0
    assert score("").exit_code == 1


def test_private_documents_are_in_totals_alone(score: Callable[..., Result]) -> None:
    """No private document is named, and fewer than a total needs are left out and counted as such."""
    private = tuple(document(EMAIL, name=f"secret-{number}", split="private") for number in range(FEWEST_PRIVATE))
    rows = [*RIGHT, *({"document": each.facts.id, "answer": right_answer(EMAIL)} for each in private)]
    for options in ((), ("--json",)):
        result = score(rows, *options, documents=DOCUMENTS + private)
        assert result.exit_code == 0
        assert "secret-" not in result.output
    assert "private" in score(rows, documents=DOCUMENTS + private).output
    few = score(rows[:-1], "--partial", documents=DOCUMENTS + private).output
    assert f"left out: {FEWEST_PRIVATE - 1} private document(s)" in few


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ('{"document": "x"', "answers.jsonl, line 1: no JSON"),
        ("\n\n[1]", "answers.jsonl, element 1: Expected `object`"),
        ("[{]", "answers.jsonl: no JSON array"),
        ('{"reply": "{}"}', "answers.jsonl, line 1: Object missing required field `document`"),
        ('{"document": 7, "reply": "{}"}', "answers.jsonl, line 1, document: Expected `str`, got `int`"),
        ('{"document": "email-0001-cs", "reply": null}', "answers.jsonl, line 1, reply: Expected `str`"),
        ('{"document": "email-0001-cs"}', "answers.jsonl, line 1, reply: a row has a reply or an answer"),
        ('{"document": "email-0001-cs", "reply": "", "answer": {}}', "answers.jsonl, line 1, reply: a row has"),
        ('{"document": "nobody", "reply": ""}', "answers.jsonl, line 1, document: no truth file has 'nobody'; name"),
        (
            '{"document": "email-0001-cs", "reply": ""}\n{"document": "email-0001-cs", "reply": ""}',
            "answers.jsonl, line 2, document: 'email-0001-cs' is answered twice; keep the last",
        ),
    ],
)
def test_errors_of_answers(score: Callable[..., Result], answers: str, words: str) -> None:
    """What cannot be used is an error with file, line, field and way out, and exit code 2."""
    found = message(score(answers))
    assert found.startswith(words)
    assert ";" in found


def test_errors_of_truths(score: Callable[..., Result]) -> None:
    """A truth given twice, changed since, of another task, or with fields of the other language is refused."""
    first = DOCUMENTS[0]
    changed = msgspec.structs.replace(first, truth=msgspec.structs.replace(CZECH_INVOICE, currency="EUR"))
    for documents, words in (
        ((first, first), "line 2, facts.id: document 'invoice-0001-cs' is there twice"),
        ((changed,), "line 1, facts.truth_sha256: the truth was changed since"),
        ((document(EMAIL, task="invoice"),), "line 1, facts.task: it says invoice and the truth is of email"),
        ((document(ENGLISH_INVOICE),), "line 1, truth.vat_id: Czech invoices have it"),
    ):
        result = score([], documents=documents)
        assert isinstance(result.exception, ConfigurationError)
        assert words in str(result.exception)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A missing file is named with the reason."""
    result = CliRunner().invoke(cli, ["office", "score", "x.jsonl", "--truth", str(tmp_path / "none.jsonl")])
    assert "none.jsonl: No such file or directory; name a file" in str(result.exception)


def test_an_answer_is_judged_as_strictly_as_a_reply(score: Callable[..., Result]) -> None:
    """An answer object with a key twice is no valid answer, as in a reply."""
    said = json.dumps(right_answer(EMAIL))[:-1] + ', "priority": "high"}'
    result = score(f'{{"document": "email-0001-cs", "answer": {said}}}', "--partial", "--json")
    assert [each["valid"] for each in json.loads(result.output)["models"][0]["documents"]] == [False]


def test_intervals_and_comparisons(score: Callable[..., Result]) -> None:
    """With --intervals there are 95 % intervals of open documents, and every model is compared with the best."""
    documents = tuple(document(EMAIL, name=f"email-{number:04}-cs") for number in range(12))
    good = right_answer(EMAIL)
    rows = [
        {
            "document": each.facts.id,
            "answer": {**good, **({"customer": "Nobody"} if number < faulty else {})},
            "model": model,
        }
        for model, faulty in (("one", 1), ("two", 7))
        for number, each in enumerate(documents)
    ]
    told = score(rows, "--intervals", documents=documents)
    assert told.exit_code == 0, told.output
    assert "  email cs: right fields " in told.output
    assert "two less one -5.6 points" in told.output
    assert "error-free alone 0 and 6 of 12, p 0.0312" in told.output
    report = json.loads(score(rows, "--intervals", "--json", documents=documents).stdout)
    (comparison,) = report["comparisons"]
    assert (comparison["model"], comparison["against"]) == ("two", "one")
    assert comparison["comparison"]["p_value"] == 0.03125
    (first,) = report["models"][0]["intervals"]
    assert first["right_fields"]["low"] < 107 / 108 <= first["right_fields"]["high"] <= 1
    plain = json.loads(score(rows, "--json", documents=documents).stdout)
    assert (plain["comparisons"], plain["models"][0]["intervals"]) == ([], [])
