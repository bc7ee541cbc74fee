"""What a process has read of secrets stays out of what it says."""

from __future__ import annotations

import subprocess
import sys

import pytest

from daemon.known_secrets import masked, remember, remember_headers

CRASHING = """
import threading
from daemon.known_secrets import mask_crashes, remember
remember("secret-of-a-crash")
mask_crashes()
thread = threading.Thread(target=lambda: [].index("secret-of-a-crash in a thread"))
thread.start()
thread.join()
try:
    raise ValueError("cause: secret-of-a-crash")
except ValueError as cause:
    raise RuntimeError("broken with secret-of-a-crash") from cause
"""


def test_what_was_remembered_is_masked() -> None:
    """A secret is replaced in a text from the moment it was read; others are not touched."""
    assert masked("told: a-password-of-ours") == "told: a-password-of-ours"
    remember("a-password-of-ours")
    assert masked("told: a-password-of-ours") == "told: [redacted]"


def test_a_password_like_a_word_tears_no_text_apart() -> None:
    """What is shorter than eight characters is not masked."""
    remember("log")
    assert masked("the log is verified") == "the log is verified"


@pytest.mark.parametrize("told", ["first%20secret/1", "first secret/1", "x-b=second-secret", "second-secret"])
def test_credentials_for_a_collector_are_remembered_by_header(told: str) -> None:
    """Each header's value is masked, as it stands and as its percent escapes mean."""
    remember_headers("x-a=first%20secret/1, x-b=second-secret,x-c=")
    assert "secret" not in masked(f"cannot read {told}")


def test_a_crash_tells_no_secret() -> None:
    """Tracebacks of the process, of its threads and of causes name what broke, without what was read."""
    done = subprocess.run([sys.executable, "-c", CRASHING], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "RuntimeError: broken with [redacted]" in done.stderr
    assert "ValueError: cause: [redacted]" in done.stderr
    assert "'[redacted] in a thread' is not in list" in done.stderr
    assert "secret-of-a-crash" not in done.stderr
