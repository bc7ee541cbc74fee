"""From which offset a partition is read, and the note that is left beside a remembered offset. Pure.

The truth is the position of each source in the checkpoints. The group's remembered offset only saves reading
what is known to be folded, and is believed only together with its note: the newest position of every source
that lies before that offset. If the checkpoints are behind the note (tables were emptied or restored, a
projection was added, someone moved the offsets), the partition is read from its beginning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from projections.kafka.carrier import Remembered

NOTE_BYTES: Final = 3500
"""Brokers take 4,096 bytes unless told otherwise. A partition with more sources is read from its beginning."""


class Start(msgspec.Struct, frozen=True):
    """Where reading a partition begins, and the newest position of each source before that."""

    offset: int
    passed: Mapping[str, int]


def note(passed: Mapping[str, int]) -> str:
    """Write the note; empty when it would be too long, which makes the offset beside it worthless."""
    text = msgspec.json.encode(dict(sorted(passed.items())))
    return text.decode() if len(text) <= NOTE_BYTES else ""


def start(remembered: Remembered | None, bounds: tuple[int, int], positions: Mapping[str, int]) -> Start:
    """Where to begin, given what is remembered, the partition's bounds and the checkpoints' positions."""
    begin, end = bounds
    if remembered is None or not remembered.note or not begin <= remembered.offset <= end:
        return Start(begin, {})
    try:
        passed = msgspec.json.decode(remembered.note, type=dict[str, int])
    except msgspec.MsgspecError:  # another program's note
        return Start(begin, {})
    if any(positions.get(source, 0) < seq for source, seq in passed.items()):
        return Start(begin, {})
    return Start(remembered.offset, passed)
