"""``messwerk office generate`` and ``inspect``: files that scoring reads, whole or not at all, private ones apart."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from office_truths import right_answer

from daemon.cli.office import office
from daemon.cli.office_files import read_truths
from daemon.workloads.office.invoices import drawing
from schemas.errors import ConfigurationError, MesswerkError

SALT = "a salt for tests, which guards nothing"


def run(*arguments: str, salt: str | None = None) -> Result:
    environment = {"MESSWERK_OFFICE_SALT": salt}
    return CliRunner().invoke(office, list(arguments), env=environment)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("set") / "documents"
    result = run("generate", "--out", str(out), "--pairs", "4", "--task", "invoice", "--private", salt=SALT)
    assert result.exit_code == 0, result.output
    return out


def test_documents_truths_and_contact_sheet_are_written(generated: Path) -> None:
    """Every document has a PDF and what is given of it; truth file, manifest and contact sheet stand beside them."""
    truths = read_truths([generated / "truth.jsonl"])
    manifest = json.loads((generated / "manifest.json").read_bytes())
    (task,) = manifest["tasks"]
    assert task["open_documents"] == len(truths) == 6
    assert task["private_documents"] == 2
    assert (generated / "contact-sheet-invoice.png").stat().st_size > 10_000
    for document in truths.values():
        files = sorted(path.name for path in (generated / "invoice").glob(f"{document.facts.id}.*"))
        assert len(files) == 2
        assert document.facts.split == "open"


def test_private_documents_lie_in_a_directory_of_their_owner_alone(generated: Path) -> None:
    """Private documents and truths are below a directory of mode 0700 and nowhere else, the salt nowhere at all."""
    assert stat.S_IMODE((generated / "private").stat().st_mode) == 0o700
    private = read_truths([generated / "private" / "truth.jsonl"])
    assert len(private) == 2
    outside = [path for path in generated.rglob("*") if path.is_file() and "private" not in path.parts]
    for document in private.values():
        assert not any(document.facts.id in path.name for path in outside)
        assert not any(document.truth.supplier_name.encode() in path.read_bytes() for path in outside)
    assert not any(SALT.encode() in path.read_bytes() for path in generated.rglob("*") if path.is_file())


def test_right_answers_to_the_files_score_as_right(generated: Path, tmp_path: Path) -> None:
    """The truth file is what scoring reads: right answers to all its documents reach every field."""
    truths = read_truths([generated / "truth.jsonl"])
    answers = tmp_path / "answers.jsonl"
    rows = [{"document": name, "answer": right_answer(each.truth)} for name, each in truths.items()]
    answers.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    result = run("score", str(answers), "--truth", str(generated / "truth.jsonl"), "--json")
    assert result.exit_code == 0, result.output
    (model,) = json.loads(result.output)["models"]
    assert all(field["verdict"] != "wrong" for document in model["documents"] for field in document["fields"])


def test_without_private_no_salt_is_needed(tmp_path: Path) -> None:
    """Open documents come without a salt, and --json says what was written."""
    result = run("generate", "--out", str(tmp_path / "open"), "--pairs", "1", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["salt_sha256"] is None
    assert not (tmp_path / "open" / "private").exists()


@pytest.mark.parametrize(
    ("arguments", "salt", "told"),
    [
        (("--private",), None, "openssl rand"),
        (("--private",), "short", "32 at least"),
        (("--out", "{taken}"), None, "it is there already"),
    ],
)
def test_what_cannot_be_generated_is_told(
    arguments: tuple[str, ...], salt: str | None, told: str, tmp_path: Path
) -> None:
    """No salt, a short one or a directory that is there is an error that says what to do, and writes nothing."""
    given = [argument.format(taken=tmp_path) for argument in arguments]
    result = run("generate", "--out", str(tmp_path / "new"), "--pairs", "1", *given, salt=salt)
    assert isinstance(result.exception, ConfigurationError)
    assert told in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_a_set_that_fails_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a document cannot be drawn there is no directory, not even a partial one."""

    def fail(*_: object) -> None:
        raise MesswerkError("this page cannot be drawn")

    monkeypatch.setattr(drawing, "content_of", fail)
    result = run("generate", "--out", str(tmp_path / "new"), "--pairs", "1", "--task", "invoice")
    assert isinstance(result.exception, MesswerkError)
    assert list(tmp_path.iterdir()) == []


def test_a_document_is_shown_beside_its_truth(generated: Path) -> None:
    """A file of an open document is recognised, and its fields and text are printed."""
    truths = read_truths([generated / "truth.jsonl"])
    name, document = next(iter(truths.items()))
    result = run("inspect", str(generated / "invoice" / f"{name}.pdf"), "--pairs", "4")
    assert result.exit_code == 0, result.output
    assert "the same bytes" in result.output
    assert result.output.count(document.truth.supplier_name) >= 2
    told = json.loads(run("inspect", name, "--pairs", "4", "--json").output)
    assert told["document"]["facts"]["id"] == name
    assert told["file"] is None


def test_a_changed_file_is_told(generated: Path, tmp_path: Path) -> None:
    """A file with other bytes is called that."""
    name = next(iter(read_truths([generated / "truth.jsonl"])))
    changed = tmp_path / f"{name}.pdf"
    changed.write_bytes(b"something else")
    assert "other bytes" in run("inspect", str(changed), "--pairs", "4").output


def test_documents_that_cannot_be_shown_are_told(generated: Path) -> None:
    """Private documents, unknown names and pairs beyond the set are errors that say what to give instead."""
    private = next(iter(read_truths([generated / "private" / "truth.jsonl"])))
    for name, told in (
        (private, "no private document is shown"),
        ("letter-1", "such as"),
        ("invoice-0099-cs", "--pairs"),
    ):
        result = run("inspect", name, "--pairs", "4")
        assert isinstance(result.exception, ConfigurationError)
        assert told in str(result.exception)
