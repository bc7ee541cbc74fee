"""The deploy scripts over a stand-in for an installed environment: arguments, stamps, and refusals."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


class Checkout:
    """A checkout whose .venv answers like an installed one; its pip and messwerk say what they were asked."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.copytree(ROOT / "deploy", root / "deploy")
        shutil.copy(ROOT / "pyproject.toml", root)
        self.binaries = root / ".venv" / "bin"
        self.binaries.mkdir(parents=True)
        self.script(
            self.binaries / "python",
            f'if [ "$1" = -m ]; then echo "python $*"; exit ${{PIP_EXIT:-0}}; fi\nexec {sys.executable} "$@"',
        )
        self.script(self.binaries / "messwerk", 'echo "messwerk in $PWD: $*"')

    def script(self, path: Path, body: str) -> None:
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def stamp(self, *parts: str) -> None:
        digest = hashlib.sha256((self.root / "pyproject.toml").read_bytes()).hexdigest()
        for part in parts:
            (self.root / ".venv" / f"installed-{part}").write_text(f"{digest}\n")

    def run(
        self, script: str, *arguments: str, cwd: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.root / "deploy" / script, *arguments],
            cwd=cwd or self.root,
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Lay out the stand-in."""
    return Checkout(tmp_path / "checkout with space")


def test_run_starts_messwerk_with_its_arguments_where_the_caller_stands(checkout: Checkout, tmp_path: Path) -> None:
    """With everything installed nothing is installed again, and `messwerk up` gets the arguments as they were."""
    checkout.stamp("project")
    done = checkout.run("run", "--config", "my files", "--port", "0", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout == f"messwerk in {tmp_path}: up --config my files --port 0\n"


def test_run_installs_once_per_change_of_the_project_file(checkout: Checkout) -> None:
    """The first run installs, the second does not, and a changed pyproject.toml installs again."""
    asked = "python -m pip install --quiet --disable-pip-version-check --editable .\n"
    assert asked in checkout.run("run").stdout
    assert asked not in checkout.run("run").stdout
    (checkout.root / "pyproject.toml").write_text("[project]\n")
    assert asked in checkout.run("run").stdout


def test_run_installs_the_local_model_when_it_is_asked_for(checkout: Checkout) -> None:
    """--local-model installs that extra and is passed on."""
    checkout.stamp("project")
    done = checkout.run("run", "--local-model")
    assert "--editable .[local-model]\n" in done.stdout
    assert done.stdout.endswith(": up --local-model\n")
    assert "pip" not in checkout.run("run", "--local-model").stdout


def test_a_failed_installation_starts_nothing_and_is_tried_again(checkout: Checkout) -> None:
    """When pip fails the script fails with one sentence, and leaves no stamp behind."""
    done = checkout.run("run", PIP_EXIT="1")
    assert done.returncode == 1
    assert "the installation failed" in done.stderr
    assert "messwerk in" not in done.stdout
    assert "pip install" in checkout.run("run").stdout


def test_an_old_python_is_refused_by_name(checkout: Checkout, tmp_path: Path) -> None:
    """Without a Python of at least 3.11 the script says which one it found and how to name another."""
    shutil.rmtree(checkout.root / ".venv")
    old = tmp_path / "python3.9"
    checkout.script(old, 'if [ "$1" = --version ]; then echo "Python 3.9.2"; else exit 1; fi')
    done = checkout.run("run", PYTHON=str(old))
    assert done.returncode == 1
    assert "needs Python 3.11 or newer; found: Python 3.9.2" in done.stderr
    assert "PYTHON=" in done.stderr


def test_help_installs_nothing(checkout: Checkout) -> None:
    """--help prints the script's own usage at once."""
    done = checkout.run("run", "--help")
    assert done.stdout.startswith("usage: deploy/run")
    assert "pip" not in done.stdout


def test_test_passes_its_arguments_to_pytest(checkout: Checkout, tmp_path: Path) -> None:
    """deploy/test installs both extras and hands everything else to pytest."""
    checkout.script(tmp_path / "chromium", "exit 0")
    done = checkout.run("test", "-k", "two words", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert done.stdout.splitlines() == [
        "python -m pip install --quiet --disable-pip-version-check --editable .[test,local-model,sdk]",
        "python -m pytest -k two words",
    ]


def test_test_runs_every_suite_once(checkout: Checkout, tmp_path: Path) -> None:
    """Without arguments what one suite leaves out is run by another, and what each says is told."""
    checkout.script(tmp_path / "chromium", "exit 0")
    done = checkout.run("test", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert done.returncode == 0
    asked = [line.split()[3:] for line in done.stdout.splitlines() if line.startswith("python -m pytest")]
    rest, *beside = asked
    left_out = {word.removeprefix("--ignore=") for word in rest}
    assert left_out == {words[0] for words in beside}
    assert all((ROOT / folder).is_dir() for folder in left_out)
    by_marker = {tuple(words[1:]) for words in beside if words[0] == "tests/failure"}
    assert by_marker == {("-m", "minutes"), ("-m", "not", "minutes")}
    assert len(beside) == len(left_out) + 1


@pytest.mark.parametrize("failing", ["--ignore=tests/e2e", "tests/e2e", "not minutes", "tests/contract/tables"])
def test_one_suite_that_fails_fails_the_whole(checkout: Checkout, tmp_path: Path, failing: str) -> None:
    """Whichever suite fails, in front or beside, the exit code is its own."""
    checkout.script(tmp_path / "chromium", "exit 0")
    checkout.script(
        checkout.binaries / "python",
        f'[ "$1" = -m ] || exec {sys.executable} "$@"\ncase " $* " in *" {failing} "*) exit 3 ;; esac',
    )
    assert checkout.run("test", PATH=f"{tmp_path}:{os.environ['PATH']}").returncode == 3
