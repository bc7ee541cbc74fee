"""What whole daemons need to fail on: something to measure whose truth is known, and a disk of a chosen size."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from daemons import ReferenceServerThread


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReferenceServerThread]:
    """Serve the reference endpoints in a process of their own."""
    server = ReferenceServerThread(tmp_path_factory.mktemp("reference") / "truth.jsonl")
    yield server
    server.stop()


@pytest.fixture
def small_disk(tmp_path: Path, unavailable: Callable[[str], NoReturn]) -> Iterator[Path]:
    """Mount a file system of one megabyte; needs the right to mount."""
    mount = tmp_path / "disk"
    mount.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mount)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        unavailable(f"cannot mount a small file system here: {mounted.stderr.strip()}")
    yield mount
    subprocess.run(["umount", "--lazy", str(mount)], check=True)
