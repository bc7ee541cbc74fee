"""What must not stand in any file of the repository, and what its scripts must be."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

# Put together here, so that this file itself passes.
REGISTRY_HOSTS = (
    "py" + "pi.org",
    "python" + "hosted.org",
    "npm" + "js.org",
    "crates" + ".io",
    "deb." + "debian.org",
    "repo1." + "maven.org",
    "proxy." + "golang.org",
)
MACHINE_PATHS = ("/" + "work/main", "/" + "work/shared", "/" + "farm/", "/tmp/" + "exp", "/" + "root/")
FORBIDDEN = re.compile("|".join(re.escape(text) for text in (*REGISTRY_HOSTS, *MACHINE_PATHS)))


def tracked_files() -> list[Path]:
    """Every file that git keeps."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    return [ROOT / name for name in os.fsdecode(names).split("\0") if name and (ROOT / name).is_file()]


def offences(text: str) -> list[str]:
    """Forbidden strings in a text."""
    return FORBIDDEN.findall(text)


def test_no_file_names_a_registrys_host_or_a_machines_path() -> None:
    """The repository names no package registry's host and no path of the machine it was written on."""
    found = {
        str(path.relative_to(ROOT)): offences(path.read_bytes().decode("utf-8", "replace"))
        for path in tracked_files()
    }
    assert {name: texts for name, texts in found.items() if texts} == {}


def test_the_search_would_find_one() -> None:
    """The search above finds a host and a path in ordinary text."""
    assert offences(f"see https://{REGISTRY_HOSTS[0]}/simple and {MACHINE_PATHS[3]}/venv") != []


@pytest.mark.parametrize("name", ["deploy/run", "deploy/test", ".ci/run"])
def test_scripts_can_be_run(name: str) -> None:
    """Each entry point has its run bit and an interpreter line, and its shell accepts its syntax."""
    path = ROOT / name
    assert os.access(path, os.X_OK)
    first = path.read_text().splitlines()[0]
    assert first in {"#!/bin/sh", "#!/usr/bin/env bash"}
    subprocess.run([first.split()[-1].removeprefix("#!"), "-n", str(path)], check=True)
