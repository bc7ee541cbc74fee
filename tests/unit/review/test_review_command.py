from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from made_review import ReviewExample, full_example

from daemon.cli import cli
from daemon.cli.review_files import FIXTURES, LIBRARY, RESEARCH, identity_of, sources_at, write_new
from daemon.judging.review.reading import read_file
from schemas.errors import ConfigurationError, MesswerkError
from schemas.review.manifest import Manifest
from schemas.review.refusals import ReviewRefusedError


def messwerk(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, ["review", *map(str, words)])


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("review") / "manifest.json"
    result = messwerk("prepare", "--output", path)
    assert result.exit_code == 0, result.output
    assert "30 sources, 840 requests" in result.output
    return path


@pytest.fixture(scope="module")
def example(manifest: Path) -> ReviewExample:
    made = full_example(read_file(manifest.read_bytes(), Manifest, file="manifest"))
    assert made.manifest_bytes == manifest.read_bytes()
    return made


@pytest.fixture
def run(example: ReviewExample, tmp_path: Path) -> Path:
    path = tmp_path / "run.json"
    path.write_bytes(example.run_bytes)
    return path


def refused(result: Result) -> MesswerkError:
    assert isinstance(result.exception, MesswerkError), result.output
    return result.exception


def test_from_preparation_to_report(manifest: Path, run: Path, tmp_path: Path) -> None:
    """Prepared, verified, initialised and evaluated: the report is told in words, written, and the same again."""
    assert messwerk("verify", "--manifest", manifest).exit_code == 0
    assert messwerk("init", "--manifest", manifest, "--output", tmp_path / "empty.json").exit_code == 0
    empty = json.loads((tmp_path / "empty.json").read_bytes())
    assert (empty["conditions"], empty["attempts"], empty["reviews"]) == ([], [], [])
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    told = messwerk("evaluate", "--manifest", manifest, "--run", run, "--output", first)
    assert told.exit_code == 0, told.output
    assert "SYNTHETIC EXAMPLE" in told.output
    assert "accepted complete 1" in told.output
    assert "cost per accepted complete review in USD: unknown" in told.output
    again = messwerk("evaluate", "--manifest", manifest, "--run", run, "--output", second, "--json")
    assert again.output.encode() == first.read_bytes() == second.read_bytes()


def test_no_cost_where_nothing_was_accepted(manifest: Path, example: ReviewExample, tmp_path: Path) -> None:
    """Where nothing was accepted the words say so, and do not call costs unknown that are known."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps({**example.run, "reviews": []}))
    told = messwerk("evaluate", "--manifest", manifest, "--run", path, "--output", tmp_path / "report.json")
    assert told.exit_code == 0, told.output
    lines = [line for line in told.output.splitlines() if "cost per accepted complete review" in line]
    assert {line.rpartition(": ")[2] for line in lines} == {"none was accepted"}


def test_a_template_is_a_valid_run(manifest: Path, tmp_path: Path) -> None:
    """A template is evaluated as it is: nothing is declared, and the report says so."""
    template, report = tmp_path / "run.json", tmp_path / "report.json"
    assert messwerk("init", "--manifest", manifest, "--output", template).exit_code == 0
    told = messwerk("evaluate", "--manifest", manifest, "--run", template, "--output", report)
    assert "no condition is declared" in told.output
    assert json.loads(report.read_bytes())["conditions"] == []


def test_preparing_again_gives_the_same_bytes(manifest: Path, tmp_path: Path) -> None:
    """The same sources and program prepare the same manifest, whose hash is printed for programs."""
    result = messwerk("prepare", "--output", tmp_path / "again.json", "--json")
    assert (tmp_path / "again.json").read_bytes() == manifest.read_bytes()
    assert json.loads(result.output)["requests"] == 840


@pytest.mark.parametrize("which", ["existing", "manifest", "run", "link"])
def test_nothing_is_written_over(manifest: Path, run: Path, tmp_path: Path, which: str) -> None:
    """An output that exists, is an input, or links to one is refused, and stays as it was."""
    existing, link = tmp_path / "report.json", tmp_path / "link.json"
    existing.write_text("mine")
    link.symlink_to(run)
    output = {"existing": existing, "manifest": manifest, "run": run, "link": link}[which]
    before = output.read_bytes()
    problem = refused(messwerk("evaluate", "--manifest", manifest, "--run", run, "--output", output))
    assert isinstance(problem, ReviewRefusedError)
    assert (problem.rule, problem.file) == ("output", str(output))
    assert ("is the input" in str(problem)) == (which != "existing")
    assert output.read_bytes() == before


@pytest.mark.parametrize("command", ["prepare", "init"])
def test_no_command_writes_over_a_file(manifest: Path, tmp_path: Path, command: str) -> None:
    """A manifest or a run that is there is never prepared or begun anew."""
    output = tmp_path / "there.json"
    output.write_text("mine")
    words = ["--output", output] if command == "prepare" else ["--manifest", manifest, "--output", output]
    problem = refused(messwerk(command, *words))
    assert isinstance(problem, ReviewRefusedError)
    assert problem.rule == "output"
    assert output.read_text() == "mine"


def test_a_refused_evaluation_writes_nothing(
    manifest: Path, run: Path, example: ReviewExample, tmp_path: Path
) -> None:
    """A fault refuses the evaluation with exit code 1, and no report is written."""
    run.write_bytes(example.run_bytes.replace(b'"sequence": 2', b'"sequence": 1', 1))
    problem = refused(messwerk("evaluate", "--manifest", manifest, "--run", run, "--output", tmp_path / "r.json"))
    assert isinstance(problem, ReviewRefusedError)
    assert (problem.rule, problem.exit_code, problem.file) == ("retry-chain", 1, str(run))
    assert not (tmp_path / "r.json").exists()


def test_a_reformatted_manifest_is_refused(manifest: Path, run: Path, tmp_path: Path) -> None:
    """A manifest of the same content in other bytes is not the one of the run."""
    other = tmp_path / "manifest.json"
    other.write_text(json.dumps(json.loads(manifest.read_bytes()), indent=1))
    problem = refused(messwerk("evaluate", "--manifest", other, "--run", run, "--output", tmp_path / "r.json"))
    assert isinstance(problem, ReviewRefusedError)
    assert problem.rule == "manifest-bytes"


@pytest.mark.parametrize("name", ["fixtures", "library", "research"])
def test_other_sources_are_refused(manifest: Path, tmp_path: Path, name: str) -> None:
    """A source that is one byte longer than the one prepared from is not the one that was frozen."""
    other = tmp_path / f"{name}.json"
    other.write_bytes({"fixtures": FIXTURES, "library": LIBRARY, "research": RESEARCH}[name].read_bytes() + b"\n")
    problem = refused(messwerk("verify", "--manifest", manifest, f"--{name}", other))
    assert isinstance(problem, ReviewRefusedError)
    assert (problem.rule, problem.place) == ("provenance", f"provenance.{name}Sha256")


def test_a_changed_prompt_is_found(manifest: Path, tmp_path: Path) -> None:
    """Verifying names the first request whose prompt is not what its hash says."""
    content = json.loads(manifest.read_bytes())
    content["requests"][3]["canonicalPrompt"] += "!"
    other = tmp_path / "manifest.json"
    other.write_text(json.dumps(content))
    problem = refused(messwerk("verify", "--manifest", other))
    assert isinstance(problem, ReviewRefusedError)
    assert (problem.rule, problem.place) == ("frozen-hash", "requests[3].canonicalPromptSha256")


def test_files_that_are_not_there_are_a_matter_of_usage(manifest: Path, tmp_path: Path) -> None:
    """A file that cannot be read or written is named, with exit code 2."""
    missing = tmp_path / "nowhere" / "run.json"
    for problem in (
        refused(messwerk("verify", "--manifest", missing)),
        refused(messwerk("init", "--manifest", manifest, "--output", missing)),
    ):
        assert isinstance(problem, ConfigurationError)
        assert (problem.exit_code, str(missing) in str(problem)) == (2, True)


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that could not be written whole is not there at all, so that the command can simply be repeated."""

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("daemon.cli.review_files.os.fsync", refuse)
    problem = refused(messwerk("prepare", "--output", tmp_path / "manifest.json"))
    assert (isinstance(problem, ConfigurationError), list(tmp_path.iterdir())) == (True, [])


def test_a_file_that_came_meanwhile_stays(tmp_path: Path) -> None:
    """What somebody else wrote under the name in the meantime is not written over."""
    output = tmp_path / "report.json"
    output.write_text("mine")
    with pytest.raises(ReviewRefusedError, match="it exists already"):
        write_new(output, "ours")
    assert (output.read_text(), list(tmp_path.iterdir())) == ("mine", [output])


def test_own_sources_can_be_prepared(tmp_path: Path) -> None:
    """Cases of one's own are prepared and verified with the rules that come along."""
    case = {
        "sourceId": "mine", "language": "de", "text": "Guten Tag 😀.", "labels": [],
        "context": {"kind": "Gruß", "purpose": "grüßen", "audience": "alle", "facts": []},
    }  # fmt: skip
    fixtures, output = tmp_path / "cases.json", tmp_path / "manifest.json"
    fixtures.write_text(json.dumps({"format": "messwerk-review-fixtures/1", "notice": "Mine.", "cases": [case]}))
    assert messwerk("prepare", "--fixtures", fixtures, "--output", output).exit_code == 0
    assert messwerk("verify", "--fixtures", fixtures, "--manifest", output).exit_code == 0
    assert len(json.loads(output.read_bytes())["requests"]) == 28


def test_the_identity_is_of_code_and_sources() -> None:
    """The hashes of program and sources are all different, and the same when they are taken again."""
    identity = identity_of(sources_at(FIXTURES, LIBRARY, RESEARCH))
    assert identity == identity_of(sources_at(FIXTURES, LIBRARY, RESEARCH))
    provenance = identity.provenance
    hashes = {
        identity.evaluator.code_sha256, identity.validator.code_sha256, provenance.fixtures_sha256,
        provenance.library_sha256, provenance.research_sha256, provenance.preparation_sha256,
    }  # fmt: skip
    assert len(hashes) == 6
