"""Bytes and framing: the same stream, however it is written and however it is cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_streams import DONE, STOP, Played, c, event, play, r

from daemon.wire.contract import MAX_LINE_BYTES, Chunk, EndSeen, ErrorSeen, Observation
from daemon.wire.openai_chat import OpenAiChat
from schemas.timeline import Channel

TEXT = "你好 ✅ Žluťoučký kůň\u2028úpěl\u0085 ďábelské ódy 🎉"
STREAM = r("Hm") + c(TEXT) + c(" b") + STOP + event({"choices": [], "usage": {"completion_tokens": 9}}) + DONE


def observed(*portions: bytes) -> list[Observation]:
    parser = OpenAiChat().parser("text/event-stream")
    return [seen for portion in portions for seen in parser.feed(portion)] + list(parser.close())


def answer(played: Played) -> str | None:
    return played.result.answer.text if played.result.answer else None


@pytest.mark.parametrize(
    "written",
    [
        STREAM,
        STREAM.replace(b"data: ", b"data:"),
        STREAM.replace(b"\n", b"\r\n"),
        STREAM.replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + STREAM,
        b"\n\n" + STREAM,
        STREAM.replace(b"data: {", b"event: chunk\ndata: {"),
        STREAM.replace(b"data: {", b"id: 7\nretry: 10\ndata: {"),
        STREAM.replace(b"data: {", b": OPENROUTER PROCESSING\n\n: another\ndata: {"),
        STREAM.removesuffix(b"\n\n"),
        STREAM.removesuffix(b"\n"),
        STREAM.replace(b'"choices":[{', b'"choices":\ndata:  [{'),
    ],
    ids=[
        "as it is",
        "no space",
        "CRLF",
        "CR",
        "byte order mark",
        "blank lines first",
        "event names",
        "ids",
        "comments",
        "no last blank line",
        "one last line end",
        "data in several lines",
    ],
)
def test_equal_events_however_they_are_written(written: bytes) -> None:
    """Spaces, line ends, comments and other fields make no difference, at any division into reads."""
    expected = observed(STREAM)
    assert len(expected) == 7
    assert observed(written) == expected
    assert observed(*(written[i : i + 1] for i in range(len(written)))) == expected
    for cut in range(len(written)):
        assert observed(written[:cut], written[cut:]) == expected


def test_text_survives_being_fed_byte_by_byte() -> None:
    """Characters of several bytes, and separators that are no line ends, arrive intact byte by byte."""
    played = play(*((100.0 + i, STREAM[i : i + 1]) for i in range(len(STREAM))))
    assert answer(played) == TEXT + " b"
    assert played.result.flags == ()


def test_events_of_one_read_share_its_time() -> None:
    """Three events in one read have one time, and the bytes are counted once."""
    data = c("A") + c("B") + c("C")
    played = play((100, data), (101, STOP + DONE))
    assert [(row.elapsed_us, row.read_bytes) for row in played.rows[:3]] == [
        (100_000, len(data)),
        (100_000, 0),
        (100_000, 0),
    ]


def test_event_has_the_time_of_the_read_that_completed_it() -> None:
    """An event cut over two reads arrived with the second one."""
    played = play((100, c("A")[:20]), (150, c("A")[20:]), (151, STOP + DONE))
    assert [(row.elapsed_us, row.channel) for row in played.rows[:2]] == [
        (100_000, Channel.NONE),
        (150_000, Channel.ANSWER),
    ]
    assert played.metrics.ttft_us == 150_000


def test_comments_carry_the_first_byte_but_no_token() -> None:
    """A comment is the first byte of the response, noted apart from the first token."""
    played = play((20, b": OPENROUTER PROCESSING\n\n"), (200, c("A")), (201, STOP + DONE), headers=())
    assert (played.result.timing.first_byte_us, played.metrics.ttft_us) == (1_000, 200_000)


def test_boundary_before_a_space_keeps_the_space() -> None:
    """Chunks "a" and " b" give "a b", also when a read ends right before the space."""
    data = c("a") + c(" b")
    cut = data.index(b" b")
    assert answer(play((1, data[:cut]), (2, data[cut:]), (3, STOP + DONE))) == "a b"


def test_media_type_is_not_believed() -> None:
    """An event stream under any media type, or none, is read as one."""
    for headers in ((), (("content-type", "application/json"),), (("Content-Type", "text/html; charset=latin-1"),)):
        assert answer(play((1, c("A") + STOP + DONE), headers=headers)) == "A"


@pytest.mark.parametrize(
    ("data", "text", "flag"),
    [
        (b'data: {"choices":[{"delta":{"content":"a\xffb"}}]}\n\n', "a\ufffdb", "invalid-utf8"),
        (b'data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\n', "a\ufffd", "lone-surrogate"),
        (b'data: {"choices":[{"delta":{"content":"a"},"logprobs":NaN}]}\n\n', "a", "loose-json"),
        (b'data: {"choices":[{"delta":{"content":"a\tb"}}]}\n\n', "a\tb", "loose-json"),
    ],
)
def test_damaged_chunks_are_mended_and_flagged(data: bytes, text: str, flag: str) -> None:
    """A chunk that only a lenient reader can read is read, and the attempt says what was wrong with it."""
    played = play((1, data + STOP + DONE))
    assert (answer(played), played.result.flags, played.result.status) == (text, (flag,), "response")


@pytest.mark.parametrize(
    "data",
    [
        b"data: {half\n\n",
        b"data: [1]\n\n",
        b'data: {"choices": "none"}\n\n',
        b'data: {"choices":[{"delta":{"content":' + b"[" * 100_000 + b"\n\n",
        b"data: null\n\n",
    ],
)
def test_unreadable_chunk_is_a_protocol_error(data: bytes) -> None:
    """A chunk that is no JSON of this dialect ends the attempt as a protocol error, with its timeline."""
    played = play((100, c("A")), (200, data), (300, c("B")), (301, DONE))
    assert (played.result.status, played.failure_kind, len(played.rows)) == ("error", "protocol", 2)
    assert answer(played) == "A"


@pytest.mark.parametrize("ending", [b"", b"\n\n"])
def test_endless_line_is_over_the_limit(ending: bytes) -> None:
    """A line longer than the bound ends the attempt over the limit, whether or not it ever ends."""
    data = b"data: " + b"x" * MAX_LINE_BYTES + ending
    for portions in ([data], [data[i : i + 65_536] for i in range(0, len(data), 65_536)]):
        seen = observed(*portions)
        assert [s.failure.kind for s in seen if isinstance(s, ErrorSeen)] == ["over-limit"]


def test_endless_event_is_over_the_limit() -> None:
    """An event of endlessly many lines ends over the limit as well."""
    seen = observed(*[b"data: " + b"x" * 60_000 + b"\n"] * 100)
    assert [s.failure.kind for s in seen if isinstance(s, ErrorSeen)] == ["over-limit"]


def test_nothing_is_read_after_the_end() -> None:
    """Whatever follows the end marker is passed over."""
    assert observed(c("A") + DONE + c("B"), c("C")) == [Chunk(Channel.ANSWER, "A"), EndSeen()]


PIECES = st.sampled_from(
    [
        *(
            b"data: ",
            b"data:",
            b"\n",
            b"\r",
            b"\n\n",
            b"\r\n",
            b": ping",
            b"event: error\n",
            b"\xef\xbb\xbf",
            b"[DONE]",
        ),
        *(
            c("A"),
            r("B"),
            STOP,
            DONE,
            b'{"error":',
            b'{"choices":[{"delta":',
            b'{"content":"x"}',
            b"}]}",
            b"null",
            b'"',
        ),
        *(b"\\ud83d", b"\xff", b"<html>", b"[" * 2000, b"9" * 5000, b"NaN", b'data: {"error":{"code":429}}\n\n'),
        *(b'data: {"usage":{"prompt_tokens":-1}}\n\n', b'data: {"choices":[null,{"delta":7}]}\n\n'),
    ]
)
GARBAGE = st.one_of(
    st.binary(max_size=300), st.lists(st.one_of(PIECES, st.binary(max_size=8)), max_size=20).map(b"".join)
)


@settings(max_examples=300)
@given(data=GARBAGE, cuts=st.lists(st.integers(min_value=0, max_value=400), max_size=6))
def test_any_bytes_at_any_cuts_are_read_the_same_way(data: bytes, cuts: list[int]) -> None:
    """Whatever the bytes are, no division into reads changes what is observed, and nothing raises."""
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    portions = [data[begin:end] for begin, end in pairwise(places)]
    assert observed(*portions) == observed(data)


@settings(max_examples=200)
@given(data=GARBAGE)
def test_any_bytes_have_a_named_outcome(data: bytes) -> None:
    """Whatever a server sends, the attempt ends as a response or as a named failure, and can be measured."""
    played = play((1, data))
    assert (played.result.failure is None) == (played.result.status == "response")
    assert played.metrics.outcome in {"ok", "empty", "truncated", "rate-limited", "failed"}
