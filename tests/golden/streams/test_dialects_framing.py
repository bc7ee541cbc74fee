"""Bytes and framing in every dialect: the same stream, however it is written and however it is cut."""

from __future__ import annotations

import base64
from itertools import pairwise

import pytest
from dialect_voices import (
    ANTHROPIC,
    EVENT_STREAMS,
    GEMINI,
    GEMINI_ARRAY,
    RESPONSES,
    VOICES,
    Voice,
    candidate,
    element,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from played_streams import DONE, Played, event, play

from daemon.wire.contract import MAX_LINE_BYTES, ErrorSeen, Observation
from daemon.wire.registry import DIALECTS, dialect
from schemas.timeline import Channel

TEXT = "你好 ✅ Žluťoučký kůň\u2028úpěl\u0085 ďábelské ódy 🎉"

every_voice = pytest.mark.parametrize("voice", VOICES, ids=lambda voice: voice.name)


def observed(name: str, *portions: bytes) -> list[Observation]:
    parser = dialect(name).parser("")
    return [seen for portion in portions for seen in parser.feed(portion)] + list(parser.close())


def answer(played: Played) -> str | None:
    return played.result.answer.text if played.result.answer else None


def whole(voice: Voice) -> bytes:
    return voice.stream(voice.reasoning("Hm"), voice.answer(TEXT), voice.tool("x"), voice.answer(" b"))


@every_voice
def test_cut_anywhere(voice: Voice) -> None:
    """A stream cut in two at any byte, or fed byte by byte, is the same stream."""
    stream = whole(voice)
    expected = observed(voice.dialect, stream)
    assert not [seen for seen in expected if isinstance(seen, ErrorSeen)]
    assert observed(voice.dialect, *(stream[i : i + 1] for i in range(len(stream)))) == expected
    for cut in range(len(stream)):
        assert observed(voice.dialect, stream[:cut], stream[cut:]) == expected


@every_voice
def test_text_survives_being_fed_byte_by_byte(voice: Voice) -> None:
    """Characters of several bytes, and separators that are no line ends, arrive intact byte by byte."""
    stream = whole(voice)
    played = play(*((100.0 + i, stream[i : i + 1]) for i in range(len(stream))), spoken=voice.dialect)
    assert (answer(played), played.result.status) == (TEXT + " b", "response")
    assert "invalid-utf8" not in played.result.flags


@pytest.mark.parametrize("voice", EVENT_STREAMS, ids=lambda voice: voice.name)
def test_equal_events_however_they_are_written(voice: Voice) -> None:
    """Spaces, line ends, comments, ids and a byte order mark make no difference."""
    stream = whole(voice)
    expected = observed(voice.dialect, stream)
    for written in (
        stream.replace(b"data: ", b"data:").replace(b"event: ", b"event:"),
        stream.replace(b"\n", b"\r\n"),
        stream.replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + stream,
        stream.replace(b"data: {", b"id: 7\nretry: 10\ndata: {"),
        stream.replace(b"data: {", b": OPENROUTER PROCESSING\ndata: {"),
        stream.removesuffix(b"\n\n"),
    ):
        assert observed(voice.dialect, written) == expected
        middle = len(written) // 2
        for cut in range(middle, middle + 40):
            assert observed(voice.dialect, written[:cut], written[cut:]) == expected


def test_json_array_however_it_is_written() -> None:
    """White space, line ends and commas between the elements make no difference."""
    stream = whole(GEMINI_ARRAY)
    expected = observed("gemini", stream)
    for written in (
        b"\xef\xbb\xbf \r\n" + stream,
        stream.replace(b"\r\n,\r\n", b","),
        stream.replace(b"\r\n,\r\n", b",\n\n"),
        stream.replace(b"\n", b"\r\n"),
        stream.replace(b"\n]", b",\n]"),
    ):
        assert observed("gemini", written) == expected


def test_brackets_and_quotes_in_text_are_text() -> None:
    """Brackets, quotes and backslashes inside strings cut no element, at any division into reads."""
    text = 'a "quoted ]}" [{ \\" \\\\ end\\'
    stream = GEMINI_ARRAY.stream(GEMINI_ARRAY.answer(text), GEMINI_ARRAY.answer("."))
    assert answer(play((1, stream), spoken="gemini")) == text + "."
    expected = observed("gemini", stream)
    for cut in range(len(stream)):
        assert observed("gemini", stream[:cut], stream[cut:]) == expected


@every_voice
def test_chunks_of_one_read_share_its_time(voice: Voice) -> None:
    """Three chunks in one read have one time, and the bytes are counted once."""
    data = voice.answer("A") + voice.answer("B") + voice.answer("C")
    played = voice.play((100, data), (101, voice.finish + voice.end))
    rows = [row for row in played.rows if row.channel is Channel.ANSWER]
    assert [(row.elapsed_us, row.read_bytes) for row in rows] == [(100_000, len(data)), (100_000, 0), (100_000, 0)]


@every_voice
def test_chunk_has_the_time_of_the_read_that_completed_it(voice: Voice) -> None:
    """A chunk cut over two reads arrived with the second one."""
    data = voice.answer("A")
    played = voice.play((100, data[:30]), (150, data[30:]), (151, voice.finish + voice.end))
    assert played.metrics.ttft_us == 150_000


def test_array_elements_have_their_own_times() -> None:
    """A JSON array's element is there with its last byte, not with the comma after it."""
    reads = [(100.0 * n, GEMINI_ARRAY.answer(" a")) for n in range(1, 4)]
    played = GEMINI_ARRAY.play(*reads, (400, GEMINI_ARRAY.finish + GEMINI_ARRAY.end))
    assert [row.elapsed_us for row in played.rows if row.channel] == [100_000, 200_000, 300_000]


@every_voice
def test_boundary_before_a_space_keeps_the_space(voice: Voice) -> None:
    """Chunks "a" and " b" give "a b", also when a read ends right before the space."""
    data = voice.answer("a") + voice.answer(" b")
    cut = data.rindex(b" b")
    played = voice.play((1, data[:cut]), (2, data[cut:]), (3, voice.finish + voice.end))
    assert answer(played) == "a b"


@every_voice
def test_two_mebibytes_in_one_chunk(voice: Voice) -> None:
    """A chunk with a line of 2 MiB is read like any other."""
    text = base64.b64encode(bytes(1_572_864)).decode()
    data = voice.answer(text)
    reads = [(10.0 + n, data[at : at + 65_536]) for n, at in enumerate(range(0, len(data), 65_536))]
    seen = observed(voice.dialect, voice.opening, *(part for _, part in reads), voice.finish + voice.end)
    assert [len(each.text) for each in seen if hasattr(each, "text")] == [len(text)]


@every_voice
def test_endless_chunk_is_over_the_limit(voice: Voice) -> None:
    """A chunk beyond the bound ends the attempt over the limit, whether or not it ever ends."""
    data = voice.answer("x" * MAX_LINE_BYTES)
    for written in (data, data[:-20]):
        for portions in ([written], [written[i : i + 65_536] for i in range(0, len(written), 65_536)]):
            seen = observed(voice.dialect, voice.opening, *portions)
            assert [each.failure.kind for each in seen if isinstance(each, ErrorSeen)] == ["over-limit"]


@pytest.mark.parametrize(
    ("voice", "data", "text", "flag"),
    [
        (RESPONSES, RESPONSES.answer("a@b"), b"\xff", "invalid-utf8"),
        (RESPONSES, RESPONSES.answer("a@b"), b"\\ud83d", "lone-surrogate"),
        (ANTHROPIC, ANTHROPIC.answer("a@b"), b"\xff", "invalid-utf8"),
        (ANTHROPIC, ANTHROPIC.answer("a@b"), b"\\ud83d", "lone-surrogate"),
        (GEMINI, GEMINI.answer("a@b"), b"\xff", "invalid-utf8"),
        (GEMINI_ARRAY, GEMINI_ARRAY.answer("a@b"), b"\xff", "invalid-utf8"),
        (GEMINI_ARRAY, GEMINI_ARRAY.answer("a@b"), b"\\ud83d", "lone-surrogate"),
    ],
)
def test_damaged_chunks_are_mended_and_flagged(voice: Voice, data: bytes, text: bytes, flag: str) -> None:
    """A chunk that only a lenient reader can read is read, and the attempt says what was wrong with it."""
    played = voice.play((1, data.replace(b"@", text)), (2, voice.finish + voice.end))
    assert (answer(played), played.result.flags, played.result.status) == ("a\ufffdb", (flag,), "response")


@every_voice
def test_unreadable_chunk_is_a_protocol_error(voice: Voice) -> None:
    """A chunk that is no JSON of this dialect ends the attempt as a protocol error, with its timeline."""
    array = voice is GEMINI_ARRAY
    for data in (b"{half}", b"[1]", b"7", b'{"candidates": 7, "delta": 7, "choices": 7}', b'{"a":' + b"[" * 100_000):
        framed = b"," + data + b"," if array else b"data: " + data + b"\n\n"
        if array and data.endswith(b"["):
            framed += b"]" * 100_000 + b"}"
        played = voice.play((100, voice.answer("A")), (200, framed), (300, voice.answer("B")))
        assert (played.result.status, played.failure_kind, answer(played)) == ("error", "protocol", "A")


@pytest.mark.parametrize("depth", [10, 100, 500, *range(850, 1000)])
@every_voice
def test_deep_nesting_raises_nothing(voice: Voice, depth: int) -> None:
    """Objects nested to any depth, in usage and in arguments, sent twice, are read or refused, never raised."""
    nest = b"[" * depth + b"]" * depth
    usage = b'{"usage":%b,"usageMetadata":%b,"choices":[]}'.replace(b"%b", b'{"a":' + nest + b"}")
    shapes = [
        usage,
        b'{"type":"message_delta","usage":{"a":' + nest + b"}}",
        b'{"type":"response.completed","response":{"usage":{"a":' + nest + b"}}}",
        b'{"type":"content_block_start","content_block":{"type":"tool_use","input":{"a":' + nest + b"}}}",
        b'{"candidates":[{"content":{"parts":[{"functionCall":{"args":' + nest + b"}}]}}]}",
    ]
    for shape in shapes:
        data = b"," + shape + b"\n" if voice is GEMINI_ARRAY else b"data: " + shape + b"\n\n"
        observed(voice.dialect, voice.opening, data, data)


PIECES = st.one_of(
    st.sampled_from(
        [
            part
            for voice in VOICES
            for part in (voice.opening, voice.answer("A"), voice.finish, voice.end, voice.error)
        ]
        + [part for voice in VOICES for part in (*voice.empties, voice.tool("B"), voice.reasoning("C"), voice.limit)]
    ),
    st.sampled_from(
        [
            *(b"data: ", b"data:", b"\n", b"\r", b"\n\n", b"\r\n", b": ping", b"event: error\n", b"\xef\xbb\xbf"),
            *(
                b"[",
                b"]",
                b"{",
                b"}",
                b",",
                b'"',
                b"\\",
                b"\\ud83d",
                b"\xff",
                b"null",
                b"NaN",
                b"9" * 5000,
                b"<html>",
            ),
            *(b"[" * 2000, b'{"error":', b'{"type":', b'"delta":', b'{"candidates":[null,{"content":{"parts":['),
            *(b'"usageMetadata":{"promptTokenCount":-1}', b'{"type":"message_start","message":7}', DONE),
            *(event({"type": "response.completed", "response": None}), event({"type": "content_block_delta"})),
            *(event(candidate({"text": 7})), element(candidate({"functionCall": {"args": None}}))),
        ]
    ),
)
GARBAGE = st.one_of(
    st.binary(max_size=300),
    st.lists(st.one_of(PIECES, st.binary(max_size=8)), max_size=16).map(b"".join),
    st.lists(PIECES, max_size=8).map(lambda pieces: b"[" + b"".join(pieces)),
)


@settings(max_examples=150)
@given(
    name=st.sampled_from(sorted(DIALECTS)),
    data=GARBAGE,
    cuts=st.lists(st.integers(min_value=0, max_value=1500), max_size=6),
)
def test_any_bytes_at_any_cuts_are_read_the_same_way_in_any_dialect(name: str, data: bytes, cuts: list[int]) -> None:
    """Whatever the bytes are, no division into reads changes what is observed, and nothing raises."""
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    portions = [data[begin:end] for begin, end in pairwise(places)]
    assert observed(name, *portions) == observed(name, data)


@settings(max_examples=150)
@given(voice=st.sampled_from(VOICES), data=GARBAGE, opened=st.booleans())
def test_any_bytes_have_a_named_outcome_in_any_dialect(voice: Voice, data: bytes, opened: bool) -> None:  # noqa: FBT001  # drawn
    """Whatever a server sends, the attempt ends as a response or as a named failure, and can be measured."""
    played = voice.play((2, data)) if opened else play((1, data), spoken=voice.dialect)
    assert (played.result.failure is None) == (played.result.status == "response")
    assert played.metrics.outcome in {"ok", "empty", "truncated", "rate-limited", "failed"}
