"""What whole daemons need to fail on: something to measure whose truth is known, and a disk of a chosen size."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from daemons import ReferenceServerThread

COUNTED = "test_hundred_kills"
KILLED = {
    b"daemon.forwarding.process": "forwarder",
    b"child_main.py": "tables",
    b"rebuilding.py": "projection",
    b"project": "projection",
    b"GroupCommitLog": "daemon",
    b"multiprocessing.forkserver": "daemon",
    b" daemon ": "daemon",
}
"""By what is found first in a command line: which part of Messwerk is killed. Brokers are none."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Count at the end what all the others have killed."""
    items.sort(key=lambda item: item.path.stem == COUNTED)


@pytest.fixture(scope="session", autouse=True)
def kills() -> Iterator[Counter[str]]:
    """Count by part every SIGKILL that tests of this folder send to a living process of Messwerk's."""
    counted: Counter[str] = Counter()
    real = os.kill

    def kill(pid: int, number: int) -> None:
        if number == signal.SIGKILL and (part := _part(pid)) is not None:
            counted[part] += 1
        real(pid, number)

    with pytest.MonkeyPatch.context() as patch:
        # Popen.kill and multiprocessing's Process.kill come this way, too.
        patch.setattr(os, "kill", kill)
        yield counted


def _part(pid: int) -> str | None:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return None  # gone already
    return next((part for words, part in KILLED.items() if words in command), None)


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
