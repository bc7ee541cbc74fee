"""Canaries: texts that stand for secrets, and where they turn up again, in plain or encoded.

A canary has no credential's shape, so that nothing but knowing it keeps it out, and it has characters that
URLs, JSON and HTML write otherwise. Its beginning and its end are looked for separately: a text cut at a
limit must not keep half of one.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

_PIECE = 12


class Canary(msgspec.Struct, frozen=True, kw_only=True):
    """One planted secret. ``name`` says where; ``value`` is what was planted."""

    name: str
    value: str

    @property
    def traces(self) -> frozenset[bytes]:
        """Byte strings of which none may be found anywhere, in lower case."""
        pieces = (_core(self.name)[:_PIECE], _core(self.name)[-_PIECE:])
        return frozenset(form for piece in pieces for form in forms(piece.encode()))


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A trace of a canary: which one, where, and what stands around it."""

    canary: str
    where: str
    around: str


def canary(name: str) -> Canary:
    """Make the canary of this name; equal names give equal ones. 61 characters of ASCII without spaces."""
    core = _core(name)
    return Canary(name=name, value=f'{core[:24]}/+="%&\\<{core[24:]}')


def found_in(data: bytes, where: str, planted: Iterable[Canary]) -> Iterator[Found]:
    """Look for traces in some bytes, whatever their case."""
    lowered = data.lower()
    for each in planted:
        at = next((at for trace in each.traces if (at := lowered.find(trace)) >= 0), None)
        if at is not None:
            around = data[max(0, at - 80) : at + 80].decode("latin-1")
            yield Found(canary=each.name, where=where, around=around)


def found_below(root: Path, planted: Iterable[Canary], *, but: Iterable[Path] = ()) -> Iterator[Found]:
    """Look for traces in the names and contents of all files below a directory, but for those planted there."""
    known, left_out = tuple(planted), set(but)
    for path in sorted(root.rglob("*")):
        if path in left_out or not path.is_file():
            continue
        yield from found_in(str(path.relative_to(root)).encode(), f"the name of {path}", known)
        yield from found_in(path.read_bytes(), str(path), known)


def found_in_texts(texts: Mapping[str, str | bytes], planted: Iterable[Canary]) -> Iterator[Found]:
    """Look for traces in what was said, by who said it."""
    known = tuple(planted)
    for where, text in texts.items():
        yield from found_in(text.encode() if isinstance(text, str) else text, where, known)


def _core(name: str) -> str:
    """48 letters and digits that occur nowhere by chance."""
    return hashlib.sha256(f"canary of {name}".encode()).hexdigest()[:48].translate(str.maketrans("abcdef", "ghjkqz"))


def forms(piece: bytes) -> Iterator[bytes]:
    """Yield a piece as it is and encoded, in lower case."""
    yield piece.lower()
    yield piece.hex().encode()
    for shift in range(3):  # base64 of it at any place in a longer text: the digits that only it decides
        digits = base64.b64encode(b"\0" * shift + piece)
        begin, end = (shift * 8 + 5) // 6, (shift + len(piece)) * 8 // 6
        yield digits[begin:end].lower()
