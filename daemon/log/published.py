"""Checkpoints kept outside of the log's own file, by which somebody else notices that the log was rewritten.

Their two written forms are ``SIZE:ROOT`` and the JSON that ``messwerk log checkpoint --json`` prints. Comparing
them with a log is :mod:`daemon.log.verify`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import msgspec

from schemas.chain import Frontier
from schemas.errors import ConfigurationError

_SHORT: Final = re.compile(r"([1-9][0-9]{0,17}):([0-9a-fA-F]{64})")


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """The tree over a log's first ``size`` events, as it was told to others.

    subtrees: roots of the complete subtrees, largest first; they narrow down where a log departs. Empty: not kept.
    source: None where only size and root were kept.
    """

    size: int
    root: bytes
    subtrees: tuple[bytes, ...] = ()
    source: str | None = None


class _Written(msgspec.Struct):
    size: int
    root: str
    subtrees: tuple[str, ...] = ()
    source: str | None = None


def published_in(given: str) -> tuple[Published, ...]:
    """Read ``SIZE:ROOT``, or a file with one checkpoint a line in either form.

    Raises :class:`ConfigurationError`, which names the line.
    """
    if _SHORT.fullmatch(given):
        return (_parse(given, given),)
    try:
        lines = Path(given).read_text("utf-8").splitlines()
    except (OSError, ValueError) as problem:
        raise ConfigurationError(
            f"{given} is neither SIZE:ROOT (events and 64 hexadecimal digits) nor a file to read: {problem}"
        ) from problem
    found = tuple(_parse(line.strip(), f"{given}:{number}") for number, line in enumerate(lines, 1) if line.strip())
    if not found:
        raise ConfigurationError(f"{given} holds no checkpoint; `messwerk log checkpoint --json` prints one")
    return found


def _parse(text: str, where: str) -> Published:
    short = _SHORT.fullmatch(text)
    if short:
        return Published(size=int(short[1]), root=bytes.fromhex(short[2]))
    try:
        told = msgspec.json.decode(text, type=_Written)
        subtrees = tuple(bytes.fromhex(each) for each in told.subtrees)
        root = bytes.fromhex(told.root)
        together = told.size > 0 and (not subtrees or Frontier(told.size, subtrees).root() == root)
    except (msgspec.MsgspecError, ValueError) as problem:
        raise ConfigurationError(
            f"{where} is no checkpoint: {problem}; write SIZE:ROOT, or what `messwerk log checkpoint --json` printed"
        ) from problem
    if not together:
        raise ConfigurationError(
            f"{where}: its size, root and subtrees do not belong together; take another copy of it"
        )
    return Published(size=told.size, root=root, subtrees=subtrees, source=told.source)
