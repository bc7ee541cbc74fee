"""What this process has read of secrets, so that nothing it says holds one: errors, logs, the traceback of a crash.

Whoever reads a secret remembers it here; whoever says something masks it first. What servers sent is masked by
:mod:`daemon.wire.redaction` before it is kept.
"""

from __future__ import annotations

import sys
import threading
import traceback
from typing import Final
from urllib.parse import unquote

from daemon.wire.redaction import mask_secrets

_SHORTEST: Final = 8
"""A shorter one could not be replaced in texts without tearing ordinary words apart."""

_known: set[str] = set()


def remember(secret: str) -> None:
    """Mask this from now on in whatever this process says."""
    if len(secret) >= _SHORTEST:
        _known.add(secret)


def remember_headers(text: str) -> None:
    """Remember values of "name=value,name=value", as they stand and as their percent escapes mean, and all of it."""
    remember(text)
    for part in text.split(","):
        for value in (part.strip(), part.partition("=")[2].strip()):
            remember(value)
            remember(unquote(value))


def masked(text: str) -> str:
    """Replace every secret that this process has read by ``[redacted]``."""
    return mask_secrets(text, _known)


def mask_crashes() -> None:
    """Print tracebacks of what nobody caught without secrets, also those of threads."""

    def tell(problem: BaseException | None) -> None:
        if problem is not None:
            sys.stderr.write(masked("".join(traceback.format_exception(problem))))

    sys.excepthook = lambda _kind, problem, _trace: tell(problem)
    threading.excepthook = lambda crash: tell(crash.exc_value)
