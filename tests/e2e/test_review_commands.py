"""``messwerk review``, from preparing to the report, over sockets: run, judge, import, evaluate, export."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from daemon.cli import cli

COMMAND = (sys.executable, "-P", "-m", "daemon.cli")
QUESTIONS = 6 * ["y", "0", "Fine."] + ["y", "y", "n", "Fine.", "y"]


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """Serve reference models from a process of its own."""
    with subprocess.Popen([*COMMAND, "reference", "serve"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield msgspec.json.decode(process.stdout.readline())["base_url"]
        process.terminate()


class Installation:
    """A configuration, a data directory and a manifest."""

    def __init__(self, root: Path, base_url: str) -> None:
        self.root = root
        files = {
            "messwerk.toml": '[daemon]\nsource = "here"\nvantage = "here"\n[measuring]\ncalibrate = false\n',
            "providers.toml": '[[provider]]\nname = "reference"\n',
            "accounts.toml": '[[account]]\nname = "reference"\nprovider = "reference"\nkeyless = true\n',
            "schedule.toml": '[[plan]]\nworkload = "text-1k"\nevery = "7d"\n',
            "endpoints.toml": "".join(
                f'[[endpoint]]\nname = "{model}"\nprovider = "reference"\ndialect = "openai-chat"\n'
                f'base_url = "{base_url}/{model}/v1"\nmodel = "{model}"\nreasoning = "none"\nsimulated = true\n'
                for model in ("review-sound", "review-flawed")
            ),
        }
        for name, text in files.items():
            (root / name).write_text(text)

    def messwerk(self, *words: str, said: str = "", code: int = 0) -> str:
        """Carry a command that sends nothing out and return what it printed."""
        done = CliRunner().invoke(cli, ["review", *map(self._placed, words)], input=said)
        assert done.exit_code == code, (done.exception, done.output)
        return done.output

    def run(self, *words: str) -> str:
        """Measure, in a process of its own."""
        done = subprocess.run(
            [*COMMAND, "review", "run", *words, "--config", ".", "--data", "data"],
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def _placed(self, word: str) -> str:
        return str(self.root / word) if word == "data" or word.endswith(".json") else word


def prepared(root: Path, base_url: str) -> Installation:
    here = Installation(root, base_url)
    here.messwerk("prepare", "--output", "manifest.json")
    return here


def test_from_preparing_to_the_report(tmp_path: Path, base_url: str) -> None:
    """Two conditions in files are measured, one review is judged, and the report counts exactly that."""
    here = prepared(tmp_path, base_url)
    for name, endpoint in (("sound", None), ("flawed", "review-flawed")):
        condition = {
            "conditionId": name, "candidateId": "example-small", "cohortId": "public-docs-six",
            "strategyId": "bundled", "sourceIds": ["source-001", "source-002", "source-003"], "repetitions": [1],
            "endpoint": endpoint, "ordering": "counterbalanced", "orderSeed": "seed",
        }  # fmt: skip
        (tmp_path / f"{name}.json").write_text(json.dumps(condition))
    manifest = ("--manifest", "manifest.json")
    conditions = ("--condition", "sound.json", "--condition", "flawed.json")
    told = json.loads(
        here.run(*manifest, "--endpoint", "review-sound", *conditions, "--output", "run.json", "--json")
    )
    assert [(each["condition"], each["answered"]) for each in told["conditions"]] == [("sound", 3), ("flawed", 3)]
    measured = (tmp_path / "run.json").read_bytes()
    answers = "\n".join([*QUESTIONS, "q"])
    here.messwerk("judge", "run.json", *manifest, "--reviewer", "editor-01", said=answers, code=1)
    assert "review-judged" in here.messwerk("import", "run.json", *manifest, "--data", "data")
    here.messwerk("evaluate", *manifest, "--run", "run.json", "--output", "report.json")
    reviews = [
        part["reviews"]
        for condition in json.loads((tmp_path / "report.json").read_bytes())["conditions"]
        for part in condition["languages"]
    ]
    counts = {name: sum(each[name] for each in reviews) for name in ("planned", "invalid", "editoriallyAccepted")}
    assert counts == {"planned": 6, "invalid": 2, "editoriallyAccepted": 1}
    here.messwerk("export", "run", "--output", "copy.json", "--data", "data")
    assert (tmp_path / "copy.json").read_bytes() == (tmp_path / "run.json").read_bytes() != measured
