"""A real language model on this machine answers a rubric task and judges its own answer, from command to report.

The model is far too small for either, and both are cut after a few tokens. What is asserted holds whatever it says.
All criteria are judged in one request: ten would take a busy machine a minute.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from local_model_files import local_model_files
from made_rubric import made_task, write_catalogue

from daemon.cli.rubric import rubric
from daemon.judging.rubric.together import plain_verdicts
from daemon.log import SqliteReader
from daemon.paths import DataPaths
from daemon.reference.local_model import ENDPOINT
from daemon.reference.local_server import MODEL
from schemas.events import AttemptCompleted, Event, JudgmentRecorded, decode_event
from schemas.events.rubric import RubricAsked

pytestmark = [pytest.mark.local_model, pytest.mark.timeout(900)]

ANSWER_TOKENS = 40
VERDICT_TOKENS = 4
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def short_task() -> dict[str, Any]:
    """Make a task without errors and with as few words as that takes: every word costs a real model time."""
    (source,) = made_task("en")["source"][:1]
    return made_task(
        "en",
        facts="We build. Storch works for us. He built walls. We took them. He wants tax.",
        question="Who owes the tax?",
        solution=[
            {"id": "who", "text": f"We owe it: {', '.join(WORDS)}.", "citations": [source["id"]]},
            {"id": "why", "text": "We build."},
        ],
        criterion=[
            {"id": word, "statement": f"The answer says {word}.", "critical": place < 2, "found": [word]}
            for place, word in enumerate(WORDS)
        ],
        source=[source],
    )


def test_a_task_goes_through(local_model_url: str, tmp_path: Path) -> None:
    """The answer is kept, each criterion is judged once by what the reply says, and the report counts it."""
    folder = write_catalogue(tmp_path / "tasks", [short_task()])
    files = local_model_files(tmp_path / "configuration", local_model_url)
    there = ["--config", str(files), "--data", str(tmp_path / "data"), "--json"]
    asked = _messwerk("run", str(folder), "--endpoint", ENDPOINT, "--output-limit", str(ANSWER_TOKENS), *there)
    judged = _messwerk(
        "judge", str(folder), "--by", ENDPOINT, "--together", "--output-limit", str(VERDICT_TOKENS), *there
    )
    events = _events(tmp_path / "data")
    (told,) = [each for each in events if isinstance(each, RubricAsked)]
    ends = {each.attempt: each for each in events if isinstance(each, AttemptCompleted)}
    answer = ends[told.attempt]
    assert (asked["parts"][0]["answered"], asked["left_out"]) == (1, [])
    assert (answer.status, answer.returned_model, answer.suite) == ("response", MODEL, "rubric")
    assert answer.answer is not None
    assert answer.usage is not None
    assert 0 < (answer.usage.output_tokens or 0) <= ANSWER_TOKENS

    verdicts = [each for each in events if isinstance(each, JudgmentRecorded)]
    assert {each.subject.id.rpartition("/")[2] for each in verdicts} == {each.id for each in told.criteria}
    assert len(verdicts) == judged["criteria"] == len(told.criteria)
    assert judged["own_answers"] == 1
    (reply,) = [each for each in ends.values() if each.workload == "rubric-judging"]
    assert (reply.status, reply.returned_model) == ("response", MODEL)
    said = plain_verdicts("" if reply.answer is None else reply.answer.text, len(told.criteria))
    for each, one in zip(verdicts, said, strict=True):
        assert (each.verdict, each.category, each.reason) == (one.verdict, one.category, one.reason)
        assert (each.subject.attempt, each.subject.sha256) == (told.attempt, answer.answer.sha256)
        assert (each.judge.parameters["attempt"], each.judge.parameters["model"]) == (str(reply.attempt), MODEL)

    written = CliRunner().invoke(rubric, ["report", str(folder), *there])
    (evaluation,) = msgspec.json.decode(written.output)["evaluations"]
    counts = [sum(each.verdict is wanted for each in verdicts) for wanted in (True, False, None)]
    assert [evaluation["score"][name] for name in ("passed", "failed", "ungraded")] == counts
    assert evaluation["tasks"][0]["answer"] == answer.answer.text
    assert evaluation["judges"][0]["own_answers"] is True


def _messwerk(*arguments: str) -> Any:
    command = [sys.executable, "-P", "-m", "daemon.cli", "rubric", *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return msgspec.json.decode(done.stdout)


def _events(data: Path) -> list[Event]:
    with closing(SqliteReader(DataPaths(data).log)) as reader:
        return [event for each in reader.read_after(0, limit=10_000) if (event := decode_event(each.envelope))]
