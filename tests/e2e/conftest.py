"""What several modules of this folder measure and would each take seconds to start."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import msgspec
import pytest


@pytest.fixture(scope="session")
def local_model_url() -> Iterator[str]:
    """Address of a real language model on this machine, loaded once; for tests marked ``local_model``."""
    command = [sys.executable, "-P", "-m", "daemon.cli.reference", "local-model", "--exit-with-parent"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        ready = process.stdout.readline()
        assert ready, "the local model did not start; `messwerk reference local-model` says why"
        yield msgspec.json.decode(ready)["base_url"]
        process.terminate()
