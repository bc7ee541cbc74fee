"""``messwerk rubric`` over sockets against reference models: run, judge by a model and by a person, report."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from made_rubric import GERMAN, made_task, write_catalogue

from daemon.cli.rubric import rubric
from daemon.log import SqliteReader
from daemon.paths import DataPaths
from schemas.events import AttemptCompleted, Event, RunPlanned, decode_event

COMMAND = (sys.executable, "-P", "-m", "daemon.cli")
CRITERIA = len(GERMAN["criterion"])
REPETITIONS = 3
ANSWERS = 2 * REPETITIONS


class Installation:
    """A catalogue, a configuration that names the reference models, and a data directory."""

    def __init__(self, root: Path, folder: Path, base_url: str) -> None:
        self.root = root
        self.folder = folder
        files = {
            "messwerk.toml": '[daemon]\nsource = "here"\nvantage = "here"\n'
            '[measuring]\ncalibrate = false\ntransport = "user-space"\n',
            "providers.toml": '[[provider]]\nname = "reference"\n',
            "accounts.toml": '[[account]]\nname = "reference"\nprovider = "reference"\nkeyless = true\n',
            "schedule.toml": "",
            "endpoints.toml": "".join(
                f'[[endpoint]]\nname = "{model}"\nprovider = "reference"\ndialect = "openai-chat"\n'
                f'base_url = "{base_url}/{model}/v1"\nmodel = "{model}"\nreasoning = "none"\nsimulated = true\n'
                for model in ("rubric-right", "rubric-erring", "rubric-wayward")
            ),
        }
        for name, text in files.items():
            (root / name).write_text(text)

    def command(self, name: str, *arguments: str) -> list[str]:
        there = ["--config", str(self.root), "--data", str(self.root / "data")]
        return [*COMMAND, "rubric", name, str(self.folder), *arguments, *there]

    def run(self, name: str, *arguments: str) -> str:
        done = subprocess.run(self.command(name, *arguments), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def json(self, name: str, *arguments: str) -> Any:
        return msgspec.json.decode(self.run(name, *arguments, "--json"))

    def events(self) -> list[Event]:
        with closing(SqliteReader(DataPaths(self.root / "data").log)) as reader:
            return [event for each in reader.read_after(0, limit=100_000) if (event := decode_event(each.envelope))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write two tasks that were read, and one that was not."""
    folder = write_catalogue(tmp_path_factory.mktemp("catalogue"))
    unread = folder / "vat-unread.en.toml"
    write_catalogue(folder / "other", [made_task("en", id="vat-unread")], read=False)
    (folder / "other" / unread.name).rename(unread)
    return folder


@pytest.fixture(scope="module")
def base_url(folder: Path) -> Iterator[str]:
    """Serve the models of the catalogue."""
    command = [*COMMAND, "reference", "serve", "--rubric", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield msgspec.json.decode(process.stdout.readline())["base_url"]
        process.terminate()


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory, folder: Path, base_url: str) -> Installation:
    """Ask one model."""
    at = Installation(tmp_path_factory.mktemp("installation"), folder, base_url)
    said = at.run("run", "--endpoint", "rubric-right", "--repetitions", str(REPETITIONS))
    assert "left out: vat-unread (en): no second reading" in said
    assert "rubric-right                     6 answered, 0 from the log" in said
    return at


def test_from_run_to_report(asked: Installation) -> None:
    """An unread task stays out and is named; a model's and a person's verdicts stand in one report, exactly."""
    judged = asked.json("judge", "--by", "rubric-wayward")
    assert (judged["passed"], judged["failed"], judged["ungraded"]) == (
        ANSWERS * (CRITERIA - 3),
        ANSWERS,
        {"no-plain-verdict": ANSWERS * 2},
    )
    person = CliRunner().invoke(
        rubric, asked.command("judge", "--as", "reader-vat")[len(COMMAND) + 1 :], input="y\nsays so\nq\n"
    )
    assert "1 passed, 0 failed, 0 skipped" in person.output
    written = CliRunner().invoke(rubric, asked.command("report", "--json")[len(COMMAND) + 1 :])
    report = msgspec.json.decode(written.output)
    assert [(each["endpoint"], each["language"], each["repetition"]) for each in report["evaluations"]] == [
        ("rubric-right", language, repetition) for language in ("de", "en") for repetition in (1, 2, 3)
    ]
    judges = [
        (each["judge"]["kind"], each["score"]["passed"])
        for evaluation in report["evaluations"]
        for each in evaluation["judges"]
    ]
    assert sorted(judges) == [("model", CRITERIA - 3)] * ANSWERS + [("person", 1)]
    assert {each["reason"] for each in report["excluded"]} == {"unread"}


def test_an_interrupted_run_ends_cleanly_and_is_taken_up(asked: Installation) -> None:
    """On SIGINT judging closes what it planned and says how to go on; the next time goes on without asking twice."""
    at = asked
    with subprocess.Popen(
        at.command("judge", "--by", "rubric-right"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        deadline = time.monotonic() + 60
        while not _judging(at) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    made = _judging(at)
    planned = {each.attempt for run in at.events() if isinstance(run, RunPlanned) for each in run.attempts}
    closed = [each.attempt for each in at.events() if isinstance(each, AttemptCompleted)]
    assert sorted(planned) == sorted(closed)
    assert 0 < len(made) < ANSWERS * CRITERIA
    assert (process.returncode, "stopped: it was told to stop; run it again to go on" in said) == (1, True)
    assert at.json("judge", "--by", "rubric-right")["attempts"] == ANSWERS * CRITERIA - len(made)


def _judging(at: Installation) -> list[AttemptCompleted]:
    return [
        each
        for each in at.events()
        if isinstance(each, AttemptCompleted)
        and (each.endpoint, each.workload, each.status) == ("rubric-right", "rubric-judging", "response")
    ]
