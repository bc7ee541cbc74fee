"""Server-sent events from bytes, as the WHATWG HTML standard frames them (section 9.2.6).

Works on bytes alone, so no charset, and no character that merely looks like a line break (U+2028, U+0085),
can cut an event. What an event means is a dialect's business; when its bytes arrived is the caller's.
"""

from __future__ import annotations

import msgspec

from daemon.wire.contract import MAX_LINE_BYTES

_LF, _CR = 0x0A, 0x0D
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_STRAY_BYTES = 4096


class ServerSentEvent(msgspec.Struct, frozen=True, gc=False):
    """One event: its ``data`` lines joined by LF, and the value of its ``event`` field, empty if it had none.

    bare: not an event at all but a line that begins with ``{``; servers write errors that way in mid-stream.
    """

    data: bytes
    name: bytes = b""
    bare: bool = False


class SseReader:
    """Cuts a byte stream into events; bytes may be fed in any portions.

    Holds at most ``limit`` bytes of a line and of an event's data. Past that ``overflowed`` is True and
    nothing more is read. ``stray`` is the beginning of the first line that no event stream would contain.
    """

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        self.overflowed = False
        self.stray: bytes | None = None
        self.framed = False
        """Whether any event, comment or known field was seen: whether this is an event stream at all."""
        self._limit = limit
        self._rest = bytearray()
        self._after_cr = False
        self._first_line = True
        self._name = b""
        self._data: list[bytes] = []
        self._held = 0

    def feed(self, data: bytes) -> list[ServerSentEvent]:
        """Return the events that these bytes complete, in order."""
        if self.overflowed or not data:
            return []
        if self._after_cr:
            self._after_cr = False
            if data[0] == _LF:
                data = data[1:]
                if not data:
                    return []
        if b"\n" not in data and b"\r" not in data:
            self._keep(data)
            return []
        block = bytes(self._rest) + data if self._rest else data
        lines = block.splitlines()  # of bytes: cuts at LF, CR and CRLF alone
        self._rest.clear()
        last = block[-1]
        if last == _CR:
            self._after_cr = True
        elif last != _LF:
            self._keep(lines.pop())
        return self._read(lines, oversize=len(block) > self._limit)

    def close(self) -> list[ServerSentEvent]:
        """Return what was still held when the bytes ended.

        The standard drops an event without its blank line. Servers that end so have said all they had to
        say, and it is kept.
        """
        if self.overflowed:
            return []
        lines = [bytes(self._rest)] if self._rest else []
        self._rest.clear()
        return self._read([*lines, b""], oversize=False)

    def _keep(self, data: bytes) -> None:
        self._rest += data
        if len(self._rest) > self._limit:
            self._overflow()

    def _overflow(self) -> None:
        self.overflowed = True
        self._rest.clear()
        self._data.clear()

    def _read(self, lines: list[bytes], *, oversize: bool) -> list[ServerSentEvent]:
        events: list[ServerSentEvent] = []
        if self._first_line and lines:
            self._first_line = False
            lines[0] = lines[0].removeprefix(_BYTE_ORDER_MARK)
        for line in lines:
            if oversize and len(line) > self._limit:
                self._overflow()
                break
            if not line:
                if self._data:
                    data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
                    events.append(ServerSentEvent(data, self._name))
                    self._data.clear()
                    self._held = 0
                self._name = b""
            elif line.startswith(b"data:"):
                self._take_data(line[6:] if line.startswith(b" ", 5) else line[5:])
                if self.overflowed:
                    break
            else:
                self._read_other(line, events)
        return events

    def _take_data(self, value: bytes) -> None:
        self.framed = True
        self._data.append(value)
        self._held += len(value) + 1  # the LF that joins it, so that empty lines cannot be held without end
        if self._held > self._limit + 1:
            self._overflow()

    def _read_other(self, line: bytes, events: list[ServerSentEvent]) -> None:
        field, _, value = line.partition(b":")
        if field == b"event":
            self.framed = True
            self._name = value.removeprefix(b" ")
        elif field == b"data":  # the field's name alone: an empty line of data
            self._take_data(b"")
        elif field in {b"", b"id", b"retry"}:  # an empty name is a comment
            self.framed = True
        else:
            if self.stray is None:
                self.stray = line[:_STRAY_BYTES]
            if line.startswith(b"{"):
                events.append(ServerSentEvent(line, bare=True))
