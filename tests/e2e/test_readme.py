"""The documents' own commands, carried out as they stand."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from documents import ROOT, blocks

from daemon.cli.up import up
from daemon.configuration.examples import write_examples
from tests.support.kafka import KafkaBroker


def scratch_environment(home: Path) -> dict[str, str]:
    """Environment of a newcomer: this interpreter's commands first on the path, and no settings of ours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MESSWERK_")}
    return {**kept, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(home)}


@pytest.mark.clickhouse
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["README.md", "docs/operations.md"])
def test_runnable_blocks_do_what_they_say(name: str, tmp_path: Path) -> None:
    """The blocks marked as runnable succeed one after the other in an empty directory."""
    marked = [block for block in blocks((ROOT / name).read_text(encoding="utf-8")) if block.runnable]
    assert marked
    for block in marked:
        done = subprocess.run(
            ["sh", "-eu", "-c", block.text],
            cwd=tmp_path,
            env=scratch_environment(tmp_path),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{name}:\n{block.text}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def place(directory: Path, broker: KafkaBroker) -> None:
    """Configure a place as the README says: a source of its own, the vantage point, the brokers."""
    write_examples(directory)
    main = directory / "messwerk.toml"
    text = main.read_text(encoding="utf-8")
    for old, new in (
        ('source = "local"', f'source = "{directory.name}"'),
        ('vantage = "unnamed place"', f'vantage = "{directory.name.title()}"'),
        ("# bootstrap = []", f'bootstrap = ["{broker.bootstrap}"]\ntopic = "readme"'),
    ):
        assert old in text
        text = text.replace(old, new)
    main.write_text(text, encoding="utf-8")


@pytest.mark.kafka
@pytest.mark.clickhouse
@pytest.mark.timeout(300)
def test_several_places_share_tables_as_the_readme_says(kafka_broker: KafkaBroker, tmp_path: Path) -> None:
    """The section's commands, in its order, bring one place's log into the tables of another."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.split("\n## Several places, one set of tables\n")[1].split("\n## ")[0]
    lines = [line.partition("#")[0].split() for block in blocks(section) for line in block.text.splitlines()]
    assert {words[-1] for words in lines} == {"frankfurt", "centre"}
    for name in ("frankfurt", "centre"):
        place(tmp_path / name, kafka_broker)
    said = ""
    for words in lines:
        command = [*words, "--once"] if words[1] == "project" else words
        process = subprocess.Popen(
            command, cwd=tmp_path, env=scratch_environment(tmp_path), stdout=subprocess.PIPE, text=True
        )
        if words[1] == "daemon":
            until = time.monotonic() + 60
            while not (tmp_path / "frankfurt/data/log/forwarded.json").exists() and time.monotonic() < until:
                time.sleep(0.1)
            process.send_signal(signal.SIGTERM)
        said += process.communicate()[0]
        assert process.returncode == 0, (command, said)
    assert "topic 'readme': made" in said
    assert "frankfurt: " in said.split("nobody folds them now")[1]
    assert "nothing is in quarantine" in said


def test_the_run_script_explains_itself() -> None:
    """`deploy/run --help` prints its usage without installing anything, and names only options that exist."""
    done = subprocess.run([ROOT / "deploy" / "run", "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: deploy/run")
    known = {name for parameter in up.params for name in parameter.opts} | {"--help"}
    assert {word.strip("[],`") for word in done.stdout.split() if word.strip("[").startswith("--")} <= known


def test_first_commands_of_the_readme_are_the_scripts() -> None:
    """The two commands that a newcomer is told are exactly the two scripts, without arguments."""
    first = [block.text.strip() for block in blocks((ROOT / "README.md").read_text(encoding="utf-8")) if block.info]
    assert first[:2] == ["deploy/run", "deploy/test"]
