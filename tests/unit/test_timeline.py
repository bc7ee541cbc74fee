"""The packed read timeline."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import DecodeError
from schemas.timeline import Channel, Timeline, TimelineRow, pack_timeline, unpack_timeline

U32 = st.integers(0, 2**32 - 1)


@st.composite
def timelines(draw: st.DrawFn) -> list[TimelineRow]:
    """Rows whose times never go back."""
    rows = []
    elapsed_us = 0
    for delta_us, size, channel, tokens in draw(st.lists(st.tuples(U32, U32, st.sampled_from(Channel), U32))):
        elapsed_us += delta_us
        rows.append(TimelineRow(elapsed_us, size, channel, tokens))
    return rows


@given(timelines())
def test_round_trip(rows: list[TimelineRow]) -> None:
    """Unpacking gives exactly what was packed, channels as channels."""
    timeline = pack_timeline(rows)
    unpacked = list(unpack_timeline(timeline))
    assert unpacked == rows
    assert all(isinstance(row.channel, Channel) for row in unpacked)
    assert (len(timeline), bool(timeline)) == (len(rows), bool(rows))


def test_little_endian() -> None:
    """Columns are little-endian, so that the same bytes mean the same on every machine."""
    timeline = pack_timeline([TimelineRow(1, 2, Channel.ANSWER, 3), TimelineRow(259, 0, Channel.ANSWER, 4)])
    assert timeline.delta_us == b"\x01\0\0\0\x02\x01\0\0"
    assert timeline.channel == b"\x02\x02"


def test_times_do_not_go_back() -> None:
    """A read before the one before it is refused by name."""
    with pytest.raises(ValueError, match="a read at 9 us cannot follow one at 10 us"):
        pack_timeline([TimelineRow(10, 1, Channel.NONE, 0), TimelineRow(9, 1, Channel.NONE, 0)])


def test_columns_of_different_lengths() -> None:
    """Columns that do not fit one another are an error, not a short timeline."""
    with pytest.raises(DecodeError, match="expected 8 bytes a column, got 8, 4, 8"):
        list(unpack_timeline(Timeline(delta_us=bytes(8), read_bytes=bytes(4), channel=bytes(2), tokens=bytes(8))))


def test_unknown_channel() -> None:
    """A channel from the future stops the reader."""
    packed = Timeline(delta_us=bytes(4), read_bytes=bytes(4), channel=b"\x63", tokens=bytes(4))
    with pytest.raises(DecodeError, match="unknown channel 99"):
        list(unpack_timeline(packed))
