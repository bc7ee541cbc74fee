"""From a take to bytes with their moments, and to a script that the reference server can write. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import formatdate

import msgspec

from daemon.reference.quirks.contract import (
    At,
    Call,
    Close,
    Damaged,
    Ending,
    Endless,
    Form,
    Part,
    Say,
    Take,
    Think,
    Writing,
)
from daemon.reference.quirks.forms import new_voice
from daemon.reference.quirks.words import COMMENT, Voice
from daemon.reference.script import Ending as ScriptEnding
from daemon.reference.script import Part as ScriptPart
from daemon.reference.script import Script

_NS_PER_MS = 1_000_000
_NS_PER_S = 1_000_000_000
_BYTE_MS = 0.1
_SEVEN_MS = 0.5
_LATE_LF_MS = 20.0
_AHEAD_S = 2
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ENDINGS: dict[Ending, ScriptEnding] = {"complete": "complete", "cut": "cut", "open": "stall"}


class Write(msgspec.Struct, frozen=True):
    """Bytes that are written together, milliseconds after the request's start."""

    ms: float
    data: bytes


def writes(take: Take, form: Form) -> tuple[Write, ...]:
    """Say a take in a form: every write of the body, in order."""
    voice = new_voice(form)
    said = [Write(step.ms, _said(step, voice)) for step in take.steps]
    said = [Write(write.ms, _written(take.writing, form, write.data)) for write in said if write.data]
    if take.writing == "byte order mark" and said:
        said[0] = Write(said[0].ms, _BYTE_ORDER_MARK + said[0].data)
    return tuple(
        piece for index, write in enumerate(said) for piece in _cut(take.writing, write, index == len(said) - 1)
    )


def headers(take: Take, form: Form, wall_ns: int) -> tuple[tuple[str, str], ...]:
    """Headers of a take, for a response that begins at ``wall_ns``."""
    kind = new_voice(form).media_type if take.content_type is None else take.content_type
    named = (("content-type", kind),) if kind else ()
    if take.retry_after is None:
        return named
    ahead = formatdate(wall_ns // _NS_PER_S + _AHEAD_S, usegmt=True)
    return (*named, ("retry-after", ahead if take.retry_after == "in 2 s" else take.retry_after))


def script(take: Take, form: Form, *, response_id: str, wall_ns: int, pace: float = 1.0) -> Script:
    """Make the script of a take. ``pace`` multiplies every time: 0.1 plays ten times as fast.

    Its parts say nothing of channels and tokens; what is right stands in the take.
    """
    scale = pace * _NS_PER_MS
    parts = tuple(ScriptPart(round(write.ms * scale), write.data) for write in writes(take, form))
    return Script(
        response_id=response_id,
        status=take.status,
        headers=(*headers(take, form, wall_ns), ("x-request-id", response_id)),
        head_offset_ns=min([round(take.head_ms * scale), *(part.offset_ns for part in parts[:1])]),
        parts=parts,
        ending=_ENDINGS[take.ending],
    )


def _said(step: At, voice: Voice) -> bytes:
    return b"".join(_part(part, voice) for part in step.parts)


def _part(part: Part, voice: Voice) -> bytes:  # noqa: PLR0911  # one line a kind of part
    match part:
        case bytes():
            return part
        case Say(text):
            return voice.say(text)
        case Think(text):
            return voice.think(text)
        case Call(text):
            return voice.call(text)
        case Damaged(text, by):
            return voice.say(text).replace(b"@", by)
        case Endless(head, more_bytes):
            return head + b"x" * more_bytes
        case Close(counts):
            return voice.close(counts)
        case _:
            return voice.mark(part)


def _written(writing: Writing, form: Form, data: bytes) -> bytes:  # noqa: PLR0911  # one line a writing
    """Write the same down differently; white space is all that may differ in a JSON array."""
    array = form == "gemini-array"
    match writing:
        case "no space":
            return data.replace(b"data: ", b"data:").replace(b"event: ", b"event:")
        case "CRLF" | "CRLF in two reads":
            return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        case "CR":
            return data.replace(b"\n", b"\r")
        case "comments" if array:
            return data.replace(b"\n", b"\n \r\n")
        case "comments":
            return COMMENT + data.replace(b"data: {", b": another\ndata: {") + COMMENT
        case "other fields":
            return data.replace(b"data: {", b"id: 7\nretry: 10\nunheard-of: 1\ndata: {")
        case _:
            return data


def _cut(writing: Writing, write: Write, last: bool) -> Iterator[Write]:  # noqa: FBT001  # one call, beside it
    """Cut a write into several; the last of them has the write's own time, the others come before it."""
    size, gap_ms = {"byte by byte": (1, _BYTE_MS), "seven bytes a read": (7, _SEVEN_MS)}.get(writing, (0, 0.0))
    if size:
        pieces = [write.data[at : at + size] for at in range(0, len(write.data), size)]
        yield from (Write(write.ms - gap_ms * (len(pieces) - 1 - n), piece) for n, piece in enumerate(pieces))
    elif writing == "CRLF in two reads" and not last:
        yield Write(write.ms, write.data[:-1])
        yield Write(write.ms + _LATE_LF_MS, write.data[-1:])
    else:
        yield write
