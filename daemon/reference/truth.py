"""What a reference server really did, as records in a file: one JSON line per request.

Times are readings of CLOCK_MONOTONIC, which all processes of a Linux machine share, so they may be
subtracted from what another process measured. Comparing is :mod:`daemon.calibration`'s business.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Literal

import msgspec

from schemas.errors import MesswerkError
from schemas.timeline import Channel

TruthEnding = Literal["complete", "cut", "stall", "client-closed"]


class TruthError(MesswerkError):
    """A truth file cannot be read or written."""


class TrueWrite(msgspec.Struct, frozen=True, array_like=True):
    """One part of the body: taken right before it was handed to the socket.

    data_bytes: length without HTTP's chunk framing. queued: the socket did not take all of it at once, so
        that some of it left later than ``mono_ns`` says.
    """

    mono_ns: int
    data_bytes: int
    channel: Channel
    tokens: int
    queued: bool = False


class TruthRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One request as the server saw it.

    received_ns: its first byte arrived, which is the zero of true durations. ``head_ns``: status and headers
        were written. ``in_flight``: requests under way on the profile, this one included.
    """

    response_id: str
    profile: str
    status: int
    received_ns: int
    head_ns: int | None
    in_flight: int
    ending: TruthEnding
    writes: tuple[TrueWrite, ...]


class TruthFile:
    """Appends records; a line is complete in the file before the next request is served."""

    def __init__(self, path: Path) -> None:
        try:
            self._file: BinaryIO = path.open("ab", buffering=0)
        except OSError as problem:
            raise TruthError(
                f"cannot write the truth file {path}: {problem.strerror}; name another file"
            ) from problem

    def append(self, record: TruthRecord) -> None:
        """Write one line."""
        self._file.write(msgspec.json.encode(record) + b"\n")

    def close(self) -> None:
        """Release the file."""
        self._file.close()


def read_truth(path: Path) -> Iterator[TruthRecord]:
    """Yield a truth file's records in the order in which responses ended. Raises :class:`TruthError`."""
    decoder = msgspec.json.Decoder(TruthRecord)
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    yield decoder.decode(line)
                except msgspec.MsgspecError as problem:
                    raise TruthError(f"{path}, line {number}: no truth record: {problem}") from problem
    except OSError as problem:
        raise TruthError(f"cannot read the truth file {path}: {problem.strerror}") from problem
