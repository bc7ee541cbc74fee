"""Framing of server-sent events, on bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.wire.sse import ServerSentEvent, SseReader


def events(*portions: bytes, limit: int = 1000) -> list[ServerSentEvent]:
    reader = SseReader(limit)
    return [event for portion in portions for event in reader.feed(portion)] + reader.close()


def data(*portions: bytes) -> list[bytes]:
    return [event.data for event in events(*portions)]


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"data: a\n\n", [b"a"]),
        (b"data:a\n\n", [b"a"]),
        (b"data:  a\n\n", [b" a"]),
        (b"data\n\n", [b""]),
        (b"data:\n\n", [b""]),
        (b"data: a\ndata: b\n\n", [b"a\nb"]),
        (b"data: a\n\n\n\ndata: b\n\n", [b"a", b"b"]),
        (b": comment\n\n", []),
        (b"event: x\n\n", []),
        (b"data: a", [b"a"]),
        (b"data: a\r\rdata: b\r\n\r\n", [b"a", b"b"]),
        (b"data: a\xe2\x80\xa8b\xc2\x85c\x0bd\x0ce\n\n", [b"a\xe2\x80\xa8b\xc2\x85c\x0bd\x0ce"]),
        (b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
        (b"data: a\n\n\xef\xbb\xbfdata: b\n\n", [b"a"]),
        (b"datax: a\n\n", []),
        (b" data: a\n\n", []),
    ],
)
def test_lines_become_events(stream: bytes, expected: list[bytes]) -> None:
    """Fields, spaces, comments, line ends and blank lines mean what the standard says."""
    assert data(stream) == expected


def test_event_names_belong_to_one_event() -> None:
    """An event's name is its own: it does not stick to the next one, nor survive an event without data."""
    stream = b"event: x\ndata: 1\n\ndata: 2\n\nevent: y\n\ndata: 3\n\nevent:z\ndata: 4\n\n"
    assert [(event.name, event.data) for event in events(stream)] == [
        (b"x", b"1"),
        (b"", b"2"),
        (b"", b"3"),
        (b"z", b"4"),
    ]


def test_line_end_cut_in_two() -> None:
    """A CRLF cut between two reads is one line end."""
    assert data(b"data: a\r", b"\ndata: b\r", b"\n\r", b"\n") == [b"a\nb"]
    assert data(b"data: a\r", b"", b"\n\r\n") == [b"a"]


def test_bare_json_line_is_told_apart() -> None:
    """A line of JSON outside any field is handed on as such."""
    assert events(b'data: a\n\n{"error": 1}\n') == [
        ServerSentEvent(b"a"),
        ServerSentEvent(b'{"error": 1}', bare=True),
    ]


@pytest.mark.parametrize(
    ("stream", "overflows"),
    [
        (b"data:" + b"x" * 995 + b"\n\n", False),
        (b"data:" + b"x" * 996 + b"\n\n", True),
        (b"data:" + b"x" * 996, True),
        (b":" + b"x" * 1000 + b"\n", True),
        (b"data: 123456789\n" * 100 + b"\n", False),
        (b"data: 123456789\n" * 101 + b"\n", True),
        (b"data:\n" * 1002 + b"\n", True),
        (b"data: 123456789\n\n" * 1000, False),
    ],
)
def test_lines_and_events_are_bounded(stream: bytes, overflows: bool) -> None:  # noqa: FBT001  # a parameter of the test
    """A line or an event beyond the limit is noticed, at once or byte by byte, and nothing more is held or read."""
    for portions in ([stream], [stream[i : i + 1] for i in range(len(stream))]):
        reader = SseReader(1000)
        for portion in portions:
            reader.feed(portion)
        assert reader.overflowed is overflows
        assert (reader.feed(b"\n\ndata: more\n\n") == []) is overflows


def test_stray_text_is_remembered_and_is_no_framing() -> None:
    """Text that is no event stream is remembered by its beginning, and does not count as framing."""
    reader = SseReader()
    reader.feed(b"upstream connect error\nand more\n")
    reader.close()
    assert (reader.stray, reader.framed) == (b"upstream connect error", False)


LINES = st.lists(
    st.sampled_from(
        [b"data: a", b"data:b", b"data", b"event: e", b": c", b"", b"", b"id: 1", b"{x", b"\xef\xbb\xbf", b"z"]
    ),
    max_size=12,
)
ENDS = st.sampled_from([b"\n", b"\r", b"\r\n"])


@given(LINES, ENDS, st.lists(st.integers(min_value=0, max_value=120), max_size=8))
def test_division_into_reads_changes_nothing(lines: list[bytes], end: bytes, cuts: list[int]) -> None:
    """Whatever the lines and their ends, any division into reads gives the events of the undivided bytes."""
    stream = end.join(lines)
    places = sorted({0, len(stream), *(min(cut, len(stream)) for cut in cuts)})
    portions = [stream[a:b] for a, b in zip(places, places[1:], strict=False)]  # noqa: RUF007  # reads best as pairs of cuts
    assert events(*portions) == events(stream)


@given(LINES)
def test_kind_of_line_end_changes_nothing(lines: list[bytes]) -> None:
    """LF, CR and CRLF give the same events."""
    assert events(b"\n".join(lines)) == events(b"\r".join(lines)) == events(b"\r\n".join(lines))
