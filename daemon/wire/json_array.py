"""The elements of a JSON array that arrives in pieces, each as soon as its last byte is there.

Only brackets and strings are looked at; whether an element is valid JSON is for whoever decodes it. No byte is
looked at more than twice, however the array is cut.
"""

from __future__ import annotations

import re

from daemon.wire.contract import MAX_LINE_BYTES
from daemon.wire.sse import ServerSentEvent

_BEFORE = re.compile(rb"[^\[]*\[?")
_BETWEEN = re.compile(rb"[\s,]*")
_TELLING = re.compile(rb'[\[\]{}"]')
_SCALAR_END = re.compile(rb"[\],]")
_STRING_TELLING = re.compile(rb'["\\]')
_SHALLOW_LEVELS = 10


def _shallow_element() -> re.Pattern[bytes]:
    """Match a whole element of few levels in one go; the same brackets and strings that the slow way looks at.

    Possessive throughout, so that a failure costs no more than one look at every byte.
    """
    plain = rb'[^\[\]{}"]++|"(?:[^"\\]++|\\.)*+"'
    element = rb"[\[{](?:" + plain + rb")*+[\]}]"
    for _ in range(_SHALLOW_LEVELS - 1):
        element = rb"[\[{](?:" + plain + rb"|" + element + rb")*+[\]}]"
    return re.compile(element, re.DOTALL)


_ELEMENT = _shallow_element()
_OPENING, _END, _QUOTE, _BACKSLASH = b"[{", ord("]"), ord('"'), ord("\\")


class JsonArrayReader:
    """Cuts an array into events, one an element; bytes may be fed in any portions.

    Holds at most ``limit`` bytes of an element. Past that ``overflowed`` is True and nothing more is read,
    as after the closing bracket, when ``ended`` is True. Commas too many, or none, are passed over.
    """

    stray: bytes | None = None
    framed = True

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        self.overflowed = False
        self.ended = False
        self._limit = limit
        self._held = bytearray()
        self._begun = False
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self._scalar = False

    def feed(self, data: bytes) -> list[ServerSentEvent]:
        """Return the elements that these bytes complete, in order."""
        events: list[ServerSentEvent] = []
        at = 0
        while at < len(data) and not self.ended and not self.overflowed:
            if not self._begun:
                before = _BEFORE.match(data, at)
                at = before.end() if before else len(data)
                self._begun = data[at - 1 : at] == b"["
            elif self._depth or self._scalar:
                at = self._within(data, at, events)
            else:
                at = self._between(data, at, events)
        return events

    def close(self) -> list[ServerSentEvent]:
        """Return nothing: an element without its last bracket is none."""
        self._held.clear()
        return []

    def _between(self, data: bytes, at: int, events: list[ServerSentEvent]) -> int:
        """Find the array's last byte or the next element: all of it if it is here, else its first byte."""
        gap = _BETWEEN.match(data, at)
        at = gap.end() if gap else at
        if at == len(data):
            return at
        if data[at] == _END:
            self.ended = True
        elif data[at] not in _OPENING:
            self._scalar = True
        elif (element := _ELEMENT.match(data, at)) is not None:
            self.overflowed = len(element[0]) > self._limit
            if not self.overflowed:
                events.append(ServerSentEvent(element[0]))
            at = element.end()
        else:
            self._depth = 1
            self._held.append(data[at])
            at += 1
        return at

    def _within(self, data: bytes, at: int, events: list[ServerSentEvent]) -> int:
        """Take bytes of the element up to where what they mean changes."""
        telling = (_SCALAR_END if self._scalar else _STRING_TELLING if self._in_string else _TELLING).search(data, at)
        if self._escaped:
            end = at + 1
            self._escaped = False
        elif telling is None:
            end = len(data)
        elif self._scalar:
            end = telling.start()
            self._scalar = False
        else:
            end = telling.end()
            self._turn(data[telling.start()])
        self._held += data[at:end]
        if len(self._held) > self._limit:
            self.overflowed = True
            self._held.clear()
        elif not self._depth and not self._scalar:
            events.append(ServerSentEvent(bytes(self._held)))
            self._held.clear()
        return end

    def _turn(self, byte: int) -> None:
        if byte == _BACKSLASH:
            self._escaped = True
        elif byte == _QUOTE:
            self._in_string = not self._in_string
        elif byte in _OPENING:
            self._depth += 1
        else:
            self._depth -= 1
