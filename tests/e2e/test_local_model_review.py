"""A real language model on this machine reviews a text: from preparing to the report.

The model is far too small for the task, and its answer is cut after a few tokens, so it will hardly be valid. What is
asserted holds whatever it says.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from local_model_files import local_model_files

from daemon.cli import cli
from daemon.cli.review_files import LIBRARY
from daemon.judging.review.reading import read_file
from daemon.judging.review.validation import FailedAnswer, validate_model_response
from daemon.log import SqliteReader
from daemon.paths import DataPaths
from daemon.reference.local_model import ENDPOINT
from daemon.reference.local_server import MODEL
from schemas.events import AttemptCompleted, Event, ReviewAnswerValidated, decode_event
from schemas.review.manifest import Manifest
from schemas.review.run import Run

pytestmark = [pytest.mark.local_model, pytest.mark.timeout(900)]

ANSWER_TOKENS = 16
SOURCES = ("--fixtures", "fixtures.json", "--library", "library.json")


def test_a_case_goes_through(local_model_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the model said stands in the run file to the letter, fails or holds by the validator, and is counted."""
    monkeypatch.chdir(tmp_path)
    _write_sources()
    local_model_files(Path("configuration"), local_model_url)
    _messwerk("prepare", "--output", "manifest.json", *SOURCES)
    _measure("run", "--manifest", "manifest.json", "--endpoint", ENDPOINT, "--repetition", "1",
             "--output-limit", str(ANSWER_TOKENS), "--output", "run.json")  # fmt: skip
    _messwerk("evaluate", "--manifest", "manifest.json", "--run", "run.json", "--output", "report.json", *SOURCES)

    events = _events(tmp_path / "data")
    (completed,) = [each for each in events if isinstance(each, AttemptCompleted)]
    (attempt,) = read_file(Path("run.json").read_bytes(), Run, file="run.json").attempts
    assert (attempt.status, attempt.effective_model_id, completed.suite) == ("response", MODEL, "review")
    assert completed.answer is not None
    assert attempt.response == completed.answer.text
    assert attempt.actual_cost_usd is None  # nobody bills
    assert attempt.usage is not None
    assert 0 < (attempt.usage.output_tokens or 0) <= ANSWER_TOKENS
    assert (attempt.latency_ms or 0) > 0

    manifest = read_file(Path("manifest.json").read_bytes(), Manifest, file="manifest.json")
    (request,) = [each for each in manifest.requests if each.request_id == attempt.request_id]
    found = validate_model_response(attempt.response or "", request, manifest.sources[0])
    failure = found.failure if isinstance(found, FailedAnswer) else None
    (told,) = [each for each in events if isinstance(each, ReviewAnswerValidated)]
    assert told.failure == failure

    (part,) = json.loads(Path("report.json").read_bytes())["conditions"][0]["languages"]
    assert (part["reviews"]["planned"], part["reviews"]["invalid"]) == (1, int(failure is not None))
    assert sum(part["attempts"]["failedResponse"].values()) == int(failure is not None)
    assert (part["costs"]["totalCostUsd"], part["costs"]["attemptsOfUnknownCost"]) == (None, 1)


def _write_sources() -> None:
    """Write one short case and one rule: every word costs a real model time."""
    context = {"kind": "notice", "purpose": "tell when the lift works", "audience": "tenants", "facts": []}
    case = {"sourceId": "lift", "language": "en", "text": "The lift will work again soon.", "labels": []}
    fixtures = {"format": "messwerk-review-fixtures/1", "notice": "A test.", "cases": [case | {"context": context}]}
    library = json.loads(LIBRARY.read_bytes())
    library["rules"] = library["rules"][:1]
    library["cohorts"] = [{"cohortId": "one", "ruleIds": [library["rules"][0]["ruleId"]]}]
    Path("fixtures.json").write_text(json.dumps(fixtures))
    Path("library.json").write_text(json.dumps(library))


def _messwerk(*words: str) -> None:
    done = CliRunner().invoke(cli, ["review", *words])
    assert done.exit_code == 0, (done.exception, done.output)


def _measure(*words: str) -> None:
    command = [
        sys.executable,
        "-P",
        "-m",
        "daemon.cli",
        "review",
        *words,
        "--config",
        "configuration",
        "--data",
        "data",
    ]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


def _events(data: Path) -> list[Event]:
    with closing(SqliteReader(DataPaths(data).log)) as reader:
        return [event for each in reader.read_after(0, limit=10_000) if (event := decode_event(each.envelope))]
