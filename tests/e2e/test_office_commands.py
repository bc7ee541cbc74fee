"""``messwerk office run`` and ``rejudge`` over sockets, against reference models and the true documents."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from daemon.log import SqliteReader
from daemon.paths import DataPaths
from schemas.events import (
    AttemptCompleted,
    DocumentAsked,
    Event,
    JudgmentRecorded,
    PrivateTotalsRecorded,
    RunPlanned,
    decode_event,
)

PAIRS = 2
SALT = {"MESSWERK_TEST_SALT": "a salt of no consequence, long enough"}
COMMAND = (sys.executable, "-P", "-m", "daemon.cli")


@contextmanager
def serving(*arguments: str) -> Iterator[str]:
    """Serve office models from a process of its own."""
    command = [*COMMAND, "reference", "serve", "--office-salt-env", "MESSWERK_TEST_SALT", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **SALT}) as process:
        assert process.stdout is not None
        yield msgspec.json.decode(process.stdout.readline())["base_url"]
        process.terminate()


@pytest.fixture(scope="module")
def all_tasks() -> Iterator[str]:
    """Serve two pairs of every task."""
    with serving("--office-pairs", str(PAIRS)) as base_url:
        yield base_url


@pytest.fixture(scope="module")
def mails() -> Iterator[str]:
    """Serve fifteen pairs of e-mails."""
    with serving("--office-pairs", "15", "--office-task", "email") as base_url:
        yield base_url


class Office:
    """A configuration and a data directory."""

    def __init__(self, root: Path, base_url: str, *models: str) -> None:
        self.root = root
        self.files = {
            "messwerk.toml": '[daemon]\nsource = "here"\nvantage = "here"\n[office]\npairs = 2\n'
            'salt_env = "MESSWERK_TEST_SALT"\n[measuring]\ncalibrate = false\n',
            "providers.toml": '[[provider]]\nname = "reference"\n',
            "accounts.toml": '[[account]]\nname = "reference"\nprovider = "reference"\nkeyless = true\n',
            "schedule.toml": '[[plan]]\nworkload = "office"\nevery = "7d"\n',
            "endpoints.toml": "".join(
                f'[[endpoint]]\nname = "{model}"\nprovider = "reference"\ndialect = "openai-chat"\nvision = true\n'
                f'base_url = "{base_url}/{model}/v1"\nmodel = "{model}"\nreasoning = "none"\nsimulated = true\n'
                'pinned_provider = "reference"\n'
                for model in models
            ),
        }
        for name, text in self.files.items():
            (root / name).write_text(text)

    def command(self, *arguments: str) -> list[str]:
        return [*COMMAND, "office", *arguments, "--config", str(self.root), "--data", str(self.root / "data")]

    def run(self, *arguments: str) -> Any:
        """Run to the end and return what ``--json`` printed."""
        done = subprocess.run(
            self.command(*arguments, "--json"), capture_output=True, env={**os.environ, **SALT}, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return msgspec.json.decode(done.stdout)

    def events(self) -> list[Event]:
        with closing(SqliteReader(DataPaths(self.root / "data").log)) as reader:
            return [event for each in reader.read_after(0, limit=100_000) if (event := decode_event(each.envelope))]


def test_a_run_and_a_second_one(tmp_path: Path, all_tasks: str) -> None:
    """All true documents are answered, judged right where the model is right, and a second run sends nothing."""
    office = Office(tmp_path, all_tasks, "office-right", "office-wayward")
    told = office.run("run", "--task", "invoice", "--task", "email", "--task", "personal")
    judged = Counter(each.verdict for each in office.events() if isinstance(each, JudgmentRecorded))
    assert {(each["endpoint"], each["work"]): each["answered"] for each in told["works"]} == {
        (model, task): 2 * PAIRS
        for model in ("office-right", "office-wayward")
        for task in ("invoice", "email", "personal")
    }
    assert judged[False] == 0
    assert judged[True] > 0
    again = office.run("run", "--task", "invoice", "--task", "email", "--task", "personal")
    assert again["attempts"] == 0


def test_the_same_rules_judge_nothing_twice(tmp_path: Path, mails: str) -> None:
    """Scoring stored replies again by the same rules and truths records nothing; private totals stay as they are."""
    office = Office(tmp_path, mails, "office-erring")
    office.run("run", "--task", "email", "--pairs", "15")
    before = [each for each in office.events() if isinstance(each, JudgmentRecorded | PrivateTotalsRecorded)]
    told = office.run("rejudge", "--task", "email", "--pairs", "15")
    after = [each for each in office.events() if isinstance(each, JudgmentRecorded | PrivateTotalsRecorded)]
    assert told == {"replies": 30, "lost": 0, "judgments": 0, "superseding": 0, "totals": 0}
    assert before == after
    assert {each.documents for each in before if isinstance(each, PrivateTotalsRecorded)} == {5}


def test_killed_and_taken_up(tmp_path: Path, mails: str) -> None:
    """A run killed at any moment is taken up by the next one: no reply is paid for twice, and nothing stays open."""
    office = Office(tmp_path, mails, "office-right")
    arguments = office.command("run", "--task", "email", "--pairs", "15")
    for _ in range(4):
        with subprocess.Popen(arguments, stderr=subprocess.DEVNULL, env={**os.environ, **SALT}) as process:
            answered = len(_replies(office))
            deadline = time.monotonic() + 60
            while process.poll() is None and len(_replies(office)) < answered + 4 and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
    office.run("run", "--task", "email", "--pairs", "15")
    events = office.events()
    keys = Counter(_replies(office))
    planned = {each.attempt for run in events if isinstance(run, RunPlanned) for each in run.attempts}
    closed = Counter(each.attempt for each in events if isinstance(each, AttemptCompleted))
    subjects = Counter(each.subject.id for each in events if isinstance(each, JudgmentRecorded))
    assert len(keys) == 30
    assert set(keys.values()) == {1}
    assert planned <= closed.keys()
    assert set(closed.values()) == {1}
    assert len(subjects) == 20 * 9
    assert set(subjects.values()) == {1}
    assert office.run("run", "--task", "email", "--pairs", "15")["attempts"] == 0


def _replies(office: Office) -> list[str]:
    """Keys of the replies in the log, each as often as it is there."""
    if not DataPaths(office.root / "data").log.exists():
        return []
    try:
        events = office.events()
    except Exception:  # noqa: BLE001  # the log is just being laid out
        return []
    asked = {each.attempt: each.key for each in events if isinstance(each, DocumentAsked)}
    return [
        asked[each.attempt] for each in events if isinstance(each, AttemptCompleted) and each.status == "response"
    ]
