"""The same golden stream gives the same events, to the byte, whichever process reads it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import golden_events as told

from daemon.reference.quirks.collection import QUIRKS
from schemas.events import AttemptCompleted

SUPPORT = Path(told.__file__).parent


def lines(hash_seed: str) -> list[str]:
    """Every golden event as a process prints it whose strings are hashed under this seed."""
    done = subprocess.run(
        [sys.executable, str(SUPPORT / "golden_events.py")],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
    )
    return done.stdout.splitlines()


def test_every_process_gives_the_same_bytes() -> None:
    """Two processes that hash strings differently encode every event of every stream alike, and so does this one."""
    here = [each.line() for each in told.golden_events()]
    assert lines("1") == here
    assert lines("4294967295") == here


def test_every_stream_is_among_them() -> None:
    """Each take of the collection ends in exactly one completed attempt, and some tell of first tokens before."""
    events = list(told.golden_events())
    ends = [each for each in events if isinstance(each.event, AttemptCompleted)]
    takes = [
        (quirk.name, form, number)
        for quirk in QUIRKS
        for form, takes in quirk.takes.items()
        for number, _ in enumerate(takes, 1)
    ]
    assert [(each.quirk, each.form, each.take) for each in ends] == takes
    assert len(events) > len(ends) > 100
