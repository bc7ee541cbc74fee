"""A real language model on this machine does office work: a small run from the command to judged fields.

The model is far too small for the task, and its answers are cut after 140 tokens, so most of what it says is wrong
in its own ways. What is asserted holds for whatever it says; a reply's true words are read from the log.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest

from daemon.judging.office.documents import score_document
from daemon.log import SqliteReader
from daemon.paths import DataPaths
from daemon.reference.local_model import ENDPOINT
from daemon.reference.local_server import MODEL
from daemon.workloads.office.documents import OfficeDataSet
from schemas.events import AttemptCompleted, DocumentAsked, Event, JudgmentRecorded, decode_event
from schemas.office import FIELDS, EmailTruth, OfficeDocument, Task

pytestmark = [pytest.mark.local_model, pytest.mark.timeout(900)]

LIMIT_TOKENS = 140  # an e-mail's answer takes 110, and lists go on until they are cut
ASKED = ("--task", "email", "--task", "personal", "--pairs", "1", "--language", "cs")
CLOSED = ("category", "priority", "sentiment")
WORDS = ("customer", "order_number", "invoice_number")


def test_a_small_run_goes_through(local_model_url: str, tmp_path: Path) -> None:
    """Cut and senseless answers are asked again, kept, and judged as what they are, in a run that ends complete."""
    told = _run(_files(tmp_path, local_model_url), tmp_path / "data")
    events = _events(tmp_path / "data")
    assert [(each["work"], each["answered"], each["unanswered"], each["unsent"]) for each in told["works"]] == [
        ("email", 1, {}, 0),
        ("personal", 1, {}, 0),
    ]

    tasks: tuple[Task, ...] = ("email", "personal")
    made = [one for task in tasks for one, _ in OfficeDataSet().documents(task, 1)]
    documents = {one.facts.id: one for one in made if one.facts.language == "cs"}
    verdicts: dict[str, dict[str, JudgmentRecorded]] = defaultdict(dict)
    for each in events:
        if isinstance(each, JudgmentRecorded):
            judged, _, field = each.subject.id.rpartition("/")
            verdicts[judged][field] = each
    assert {name: set(found) for name, found in verdicts.items()} == {
        name: set(FIELDS[one.facts.task]) for name, one in documents.items()
    }

    for name, document in documents.items():
        asks = [each for each in events if isinstance(each, DocumentAsked) and each.document.id == name]
        ends = {each.attempt: each for each in events if isinstance(each, AttemptCompleted)}
        _check_asks(asks, ends)
        _check_verdicts(document, ends[asks[-1].attempt], verdicts[name])
    assert any(each.verdict is False for found in verdicts.values() for each in found.values())
    assert _run(tmp_path / "configuration", tmp_path / "data")["attempts"] == 0


def _check_asks(asks: list[DocumentAsked], ends: Mapping[UUID, AttemptCompleted]) -> None:
    """Every ask but the last gave no JSON object, a cut one for instance; the last is the second at most."""
    assert [each.kind for each in asks] in (["first"], ["first", "again"])
    for ask in asks:
        end = ends[ask.attempt]
        assert (end.status, end.returned_model) == ("response", MODEL)
        assert end.usage is not None
        assert end.usage.output_tokens is not None
        assert end.usage.output_tokens <= LIMIT_TOKENS
        assert (end.finish_reason == "length") == (end.usage.output_tokens == LIMIT_TOKENS)
    assert all(_object(ends[ask.attempt]) is None for ask in asks[:-1])
    assert _object(ends[asks[-1].attempt]) is not None or asks[-1].kind == "again"


def _check_verdicts(document: OfficeDocument, end: AttemptCompleted, found: Mapping[str, JudgmentRecorded]) -> None:
    """Verdicts are those of the scorer on the very reply in the log, and plain ones are what anybody sees."""
    reply = _text(end)
    scored = {each.field: each for each in score_document(document, reply).fields}
    judged = {field: (each.verdict, each.category) for field, each in found.items()}
    assert judged == {field: (each.verdict == "right", each.category) for field, each in scored.items()}
    answer, truth = _object(end), document.truth
    if answer is None:
        assert set(judged.values()) == {(False, "invalid_json")}
    elif isinstance(truth, EmailTruth):
        _check_plain_fields(truth, answer, found)


def _check_plain_fields(truth: EmailTruth, answer: Mapping[str, Any], found: Mapping[str, JudgmentRecorded]) -> None:
    judged = {field: (each.verdict, each.category) for field, each in found.items()}
    for field in (*CLOSED, *WORDS):
        said, true = answer.get(field), getattr(truth, field)
        if true is not None and said in (None, ""):
            assert judged[field] == (False, "missing_field")
        elif said == true:
            assert judged[field] == (True, None)
        elif true is None:
            assert judged[field] == (False, "wrong_value")
            assert found[field].reason == "invented"
        elif field in CLOSED:
            assert judged[field] == (False, "wrong_value")
        else:
            assert judged[field][1] != "missing_field"


def _object(end: AttemptCompleted) -> dict[str, Any] | None:
    try:
        read = json.loads(_text(end))
    except ValueError:
        return None
    return read if isinstance(read, dict) else None


def _text(end: AttemptCompleted) -> str:
    assert end.answer is not None
    assert end.answer.text is not None
    return end.answer.text


def _files(directory: Path, base_url: str) -> Path:
    files = directory / "configuration"
    files.mkdir()
    tables = {
        "messwerk.toml": '[daemon]\nsource = "local-model"\nvantage = "this machine"\n'
        "[measuring]\ncalibrate = false\n",
        "providers.toml": '[[provider]]\nname = "local"\nconcurrency = 1\n',
        "endpoints.toml": f'[[endpoint]]\nname = "{ENDPOINT}"\nprovider = "local"\ndialect = "openai-chat"\n'
        f'base_url = "{base_url}/v1"\nmodel = "{MODEL}"\nreasoning = "none"\n'
        f'[[endpoint.override]]\nname = "max_tokens"\nvalue = {LIMIT_TOKENS}\nsource = "a cut answer is one, too"\n',
        "accounts.toml": '[[account]]\nname = "local"\nprovider = "local"\nkeyless = true\n',
        "schedule.toml": '[[plan]]\nworkload = "office"\nevery = "7d"\n',
    }
    for name, content in tables.items():
        (files / name).write_text(content, encoding="utf-8")
    return files


def _run(files: Path, data: Path) -> Any:
    command = [sys.executable, "-P", "-m", "daemon.cli", "office", "run", *ASKED, "--json"]
    command += ["--config", str(files), "--data", str(data)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return msgspec.json.decode(done.stdout)


def _events(data: Path) -> list[Event]:
    with closing(SqliteReader(DataPaths(data).log)) as reader:
        return [event for each in reader.read_after(0, limit=10_000) if (event := decode_event(each.envelope))]
