"""The documents' own commands, carried out as they stand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from documents import ROOT, blocks

from daemon.cli.up import up


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
