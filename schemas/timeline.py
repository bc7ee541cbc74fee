"""The read timeline of an attempt: when bytes arrived, and what they carried, in packed columns.

One row is one token-bearing chunk, or one read that carried none. The first row of a read holds the read's
byte count; further chunks parsed from the same read follow with zero bytes and zero microseconds, because
one read is one arrival. Columns are little-endian and equally long, so a reader can slice them without
decoding anything else. Measuring, parsing and counting tokens happen elsewhere; this is only the shape.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator
from enum import IntEnum
from itertools import accumulate
from typing import NamedTuple

import msgspec

from schemas.errors import DecodeError


class Channel(IntEnum):
    """What a chunk carries. ``NONE`` is a read without tokens: headers' tail, pings, roles, usage."""

    NONE = 0
    REASONING = 1
    ANSWER = 2
    TOOL = 3
    REFUSAL = 4


_KNOWN_CHANNELS = bytes(Channel)


class TimelineRow(NamedTuple):
    """``elapsed_us`` counts from the first byte of the request handed to the socket."""

    elapsed_us: int
    read_bytes: int
    channel: Channel
    tokens: int


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """Packed columns: uint32 delta in microseconds, uint32 bytes, uint8 channel, uint32 tokens."""

    delta_us: bytes = b""
    read_bytes: bytes = b""
    channel: bytes = b""
    tokens: bytes = b""

    def __len__(self) -> int:
        """Count of rows."""
        return len(self.channel)

    def __bool__(self) -> bool:
        """Tell whether there is any row."""
        return bool(self.channel)


def pack_timeline(rows: Iterable[TimelineRow]) -> Timeline:
    """Pack rows in order of arrival; ``elapsed_us`` must not go back.

    Raises :class:`ValueError` for times that go back. A delta of more than 71 minutes does not fit either, and
    raises :class:`OverflowError`; limits end an exchange long before.
    """
    deltas, sizes, channels, tokens = array("I"), array("I"), array("B"), array("I")
    before = 0
    for row in rows:
        if row.elapsed_us < before:
            raise ValueError(f"a read at {row.elapsed_us} us cannot follow one at {before} us")
        deltas.append(row.elapsed_us - before)
        sizes.append(row.read_bytes)
        channels.append(row.channel)
        tokens.append(row.tokens)
        before = row.elapsed_us
    return Timeline(
        delta_us=_little(deltas),
        read_bytes=_little(sizes),
        channel=channels.tobytes(),
        tokens=_little(tokens),
    )


class TimelineColumns(NamedTuple):
    """Equally long columns of numbers, as in :class:`TimelineRow`; ``channel`` holds one known channel a byte."""

    elapsed_us: array[int]
    read_bytes: array[int]
    channel: bytes
    tokens: array[int]


def unpack_columns(timeline: Timeline) -> TimelineColumns:
    """Columns of a packed timeline, for readers of many: nothing here is done row by row in Python.

    Raises :class:`DecodeError` when the columns do not fit one another, and for an unknown channel.
    """
    count = len(timeline.channel)
    columns = (timeline.delta_us, timeline.read_bytes, timeline.tokens)
    if any(len(column) != 4 * count for column in columns):
        lengths = ", ".join(str(len(column)) for column in columns)
        raise DecodeError(f"timeline of {count} rows: expected {4 * count} bytes a column, got {lengths}")
    elapsed_us = array("Q", accumulate(_numbers(timeline.delta_us)))
    unknown = timeline.channel.translate(None, _KNOWN_CHANNELS)
    if unknown:
        raise DecodeError(
            f"timeline at {elapsed_us[timeline.channel.index(unknown[0])]} us: unknown channel {unknown[0]}; "
            "upgrade Messwerk before reading on"
        )
    return TimelineColumns(elapsed_us, _numbers(timeline.read_bytes), timeline.channel, _numbers(timeline.tokens))


def unpack_timeline(timeline: Timeline) -> Iterator[TimelineRow]:
    """Rows of a packed timeline. Raises as :func:`unpack_columns` does."""
    for elapsed_us, size, channel, tokens in zip(*unpack_columns(timeline), strict=True):
        yield TimelineRow(elapsed_us, size, Channel(channel), tokens)


def _little(values: array[int]) -> bytes:
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def _numbers(packed: bytes) -> array[int]:
    values = array("I")
    values.frombytes(packed)
    if sys.byteorder == "big":
        values.byteswap()
    return values
