"""A directory in which events of persons wait for the one process that may append them, each as a file of its own.

A file is written beside, synced and renamed, so that it is there whole or not at all. Its name is a UUIDv7, so
files are taken in the order in which they were written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final
from uuid import UUID

import msgspec

from daemon.log.layout import sync_directory
from schemas.errors import MesswerkError
from schemas.events import (
    AttestationRecorded,
    Event,
    ExchangeRateDeclared,
    IntegrityDecided,
    IntegritySuspected,
    JudgmentRecorded,
    encode_event,
)

LARGEST_BYTES: Final = 1 << 20
FORMAT: Final = 1
LATEST_NS: Final = 1 << 63
LEAST_RATE: Final = Decimal("1e-12")
LARGEST_RATE: Final = Decimal(10**12)
_CURRENCY: Final = re.compile("[A-Z]{3}")

KINDS: Final[Mapping[str, type[Event]]] = {
    kind.TYPE: kind
    for kind in (IntegritySuspected, IntegrityDecided, AttestationRecorded, ExchangeRateDeclared, JudgmentRecorded)
}
"""What persons may enter; measurements come from measuring alone, and judgments of rules and models from judging."""


class DeskError(MesswerkError):
    """What a person wanted to record was not, or is not known to have been."""


class UnfitSlipError(DeskError):
    """A file of the inbox is nothing that could be appended."""


class Slip(msgspec.Struct, frozen=True, kw_only=True):
    """An event on its way into the log of ``source``.

    after: newest position of that log when it was written. An event of the same bytes after it is this one, so a
        crash between appending and removing the file doubles nothing.
    """

    format: int = FORMAT
    source: str
    after: int
    type: str
    version: int
    data: msgspec.Raw

    def event(self) -> Event:
        """Return the event itself. Raises :class:`UnfitSlipError`."""
        kind = KINDS.get(self.type)
        if self.format != FORMAT or kind is None or self.version != kind.VERSION:
            raise UnfitSlipError(
                f"format {self.format}, {self.type} version {self.version}: this build takes format {FORMAT} and the "
                f"newest versions of {', '.join(KINDS)}; record it again with this build's command"
            )
        try:
            event = msgspec.json.decode(self.data, type=kind)
        except (msgspec.MsgspecError, ValueError) as problem:
            raise UnfitSlipError(f"its data are no {self.type}: {problem}; record it again by command") from problem
        require_fit(event)
        return event


class Inbox:
    """The directory. Several processes may put into it; taking out is for the holder of the log's lock."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    @property
    def refused(self) -> Path:
        """Where files lie that could not be taken in, each beside a ``.reason``."""
        return self._directory / "refused"

    def open(self) -> None:
        """Make the directory, so that it belongs to whoever takes in."""
        self._directory.mkdir(parents=True, exist_ok=True)

    def put(self, name: UUID, slip: Slip) -> Path:
        """Write a slip durably and return its file. Raises :class:`DeskError` where that cannot be done."""
        path = self._directory / f"{name}.json"
        beside = self._directory / f".{name}.new"
        try:
            self.open()
            with beside.open("wb") as file:
                file.write(msgspec.json.encode(slip))
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
            sync_directory(self._directory)
        except OSError as problem:
            raise DeskError(
                f"cannot write {path}: {problem.strerror}; nothing was recorded: run this as the user whose daemon "
                "measures here, and see that the disk has space"
            ) from problem
        return path

    def waiting(self) -> Sequence[Path]:
        """List what waits, oldest first; what is still being written is not among it."""
        try:
            found = [path for path in self._directory.iterdir() if not path.name.startswith(".")]
        except FileNotFoundError:
            return ()
        return sorted(path for path in found if path != self.refused)

    def read(self, path: Path) -> Slip:
        """Read a slip. Raises :class:`UnfitSlipError` for what is none."""
        try:
            if path.stat().st_size > LARGEST_BYTES:
                raise UnfitSlipError(f"it has more than {LARGEST_BYTES} bytes; record it again by command")
            return msgspec.json.decode(path.read_bytes(), type=Slip)
        except OSError as problem:
            raise UnfitSlipError(f"it cannot be read: {problem.strerror}; see who owns it") from problem
        except (msgspec.MsgspecError, ValueError) as problem:
            raise UnfitSlipError(f"it is no event on its way: {problem}; record it again by command") from problem

    def remove(self, path: Path) -> None:
        """Remove what is in the log now. Raises :class:`OSError`."""
        path.unlink(missing_ok=True)
        sync_directory(self._directory)

    def set_aside(self, path: Path, reason: str) -> None:
        """Move a file out of the way and say why beside it. Raises :class:`OSError`."""
        self.refused.mkdir(exist_ok=True)
        # The reason first: whoever finds the file there must find the reason, too.
        self._reason(path).write_text(reason + "\n", "utf-8")
        path.replace(self.refused / path.name)

    def refusal(self, path: Path) -> str | None:
        """Return why a file was set aside; None for one that was not."""
        if not (self.refused / path.name).exists():
            return None
        return self._reason(path).read_text("utf-8").strip()

    def _reason(self, path: Path) -> Path:
        return self.refused / f"{path.name}.reason"


def require_fit(event: Event) -> None:
    """Hold an event to what the commands ask of persons, and to what logs and tables can hold.

    Raises :class:`UnfitSlipError`: what cannot be appended would else stand in the way of all that came after it.
    """
    blank = sorted(name for name, value in _words(event).items() if not value.strip())
    if blank:
        raise UnfitSlipError(f"its {' and '.join(blank)} must not be blank; record it again by command")
    for name, moment_ns in _times(event).items():
        if not 0 <= moment_ns < LATEST_NS:
            raise UnfitSlipError(f"its {name} lies before 1970 or after 2261; record it again with another time")
    if isinstance(event, IntegritySuspected) and event.window_start_ns >= event.window_end_ns:
        raise UnfitSlipError("its window ends before it begins; record it again by command")
    if isinstance(event, AttestationRecorded) and not 0 < (event.context_tokens or 1) < 1 << 63:
        raise UnfitSlipError("its context_tokens is no length of a context; record it again with another")
    if isinstance(event, ExchangeRateDeclared):
        _require_rate(event)
    if isinstance(event, JudgmentRecorded) and event.judge.kind != "person":
        raise UnfitSlipError(f"its judge is a {event.judge.kind}, not a person; record it again by command")
    try:
        encode_event(event)
    except (OverflowError, ValueError) as problem:
        raise UnfitSlipError(f"no event can hold it: {problem}; record it again by command") from problem


def _require_rate(event: ExchangeRateDeclared) -> None:
    for currency in (event.base, event.quote):
        if not _CURRENCY.fullmatch(currency):
            raise UnfitSlipError(f"{currency!r} is no currency; write it as three capitals, such as EUR")
    if event.base == event.quote:
        raise UnfitSlipError(f"a rate is between two currencies; {event.base} is given twice")
    if not event.rate.is_finite() or not LEAST_RATE <= event.rate < LARGEST_RATE:
        raise UnfitSlipError(f"{event.rate} is no rate; give units of {event.quote} for one {event.base}, above zero")
    if not 1970 <= event.on.year < 2149:  # what a Date of the tables holds
        raise UnfitSlipError(f"its day {event.on} lies before 1970 or after 2148; record it again with another")


def _words(event: Event) -> Mapping[str, str]:
    if isinstance(event, ExchangeRateDeclared):
        return {"source": event.source}
    if isinstance(event, AttestationRecorded):
        return {"statement": event.statement, "by": event.by}
    if isinstance(event, JudgmentRecorded):
        return {"judge": event.judge.name, **({} if event.verdict is None else {"reason": event.reason or ""})}
    if isinstance(event, IntegritySuspected | IntegrityDecided):
        return {"person": event.person or "", "reason": event.reason or ""}
    return {}


def _times(event: Event) -> Mapping[str, int]:
    if isinstance(event, IntegritySuspected):
        return {"window_start_ns": event.window_start_ns, "window_end_ns": event.window_end_ns}
    if isinstance(event, IntegrityDecided) and event.until_ns is not None:
        return {"until_ns": event.until_ns}
    return {}
