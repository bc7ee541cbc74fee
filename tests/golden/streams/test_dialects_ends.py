"""Errors inside and instead of streams, and all the ways in which a stream ends, in every dialect."""

from __future__ import annotations

import msgspec
import pytest
from dialect_voices import (
    ANTHROPIC,
    EVENT_STREAMS,
    GEMINI,
    GEMINI_ARRAY,
    OVERLOADED,
    RESPONSES,
    USED,
    VOICES,
    Voice,
    candidate,
    named,
    responses_end,
    stopped,
)
from played_streams import at, event, opening, play

from daemon.attempts.reading import AttemptReading
from daemon.transport.contract import Read
from daemon.wire.registry import dialect
from schemas.catalogue import DialectName
from schemas.timeline import Channel

every_voice = pytest.mark.parametrize("voice", VOICES, ids=lambda voice: voice.name)
every_event_stream = pytest.mark.parametrize("voice", EVENT_STREAMS, ids=lambda voice: voice.name)


@every_voice
def test_whole_stream_is_a_response(voice: Voice) -> None:
    """Opening, thought, answer, reason and end make a response without any flag."""
    played = voice.play((100, voice.reasoning("Hm")), (200, voice.answer("A")), (300, voice.finish + voice.end))
    result = played.result
    assert (result.status, result.failure, result.finish_reason, result.flags) == ("response", None, voice.reason, ())
    assert (result.timing.complete_us, played.metrics.outcome) == (300_000, "ok")


@every_voice
def test_overloaded_inside_a_success(voice: Voice) -> None:
    """Five tokens, then an error of an overloaded server: class overloaded, HTTP status 200 and timeline kept."""
    words = [(100.0 * n, voice.answer(" a")) for n in range(1, 6)]
    played = voice.play(*words, (600, voice.error + voice.finish + voice.end))
    assert (played.result.status, played.result.http_status, played.failure_kind) == ("error", 200, "overloaded")
    assert sum(row.tokens for row in played.rows) == 5
    assert (played.metrics.outcome, played.metrics.ttft_us) == ("failed", None)
    assert played.result.failure is not None
    assert played.result.failure.body


@every_voice
def test_stream_with_neither_reason_nor_end_is_truncated(voice: Voice) -> None:
    """A stream that stops in the middle, between chunks or inside one, is truncated and in no median."""
    half = voice.answer(" never whole")[:25]
    for tail in (b"", half):
        played = voice.play((100, voice.answer("A")), (200, voice.answer(" b") + tail))
        assert (played.result.status, played.failure_kind, played.metrics.outcome) == (
            "error",
            "truncated",
            "truncated",
        )
        assert len([row for row in played.rows if row.channel is Channel.ANSWER]) == 2


@pytest.mark.parametrize("voice", [ANTHROPIC, GEMINI_ARRAY], ids=lambda voice: voice.name)
def test_marked_streams_with_half_an_end(voice: Voice) -> None:
    """Where the dialect marks its end, a reason without the mark and a mark without a reason are flagged."""
    unmarked = voice.play((100, voice.answer("A")), (200, voice.finish), end_ms=300)
    assert (unmarked.result.status, unmarked.result.flags) == ("response", ("no-done-marker",))
    assert unmarked.result.timing.complete_us == 200_000
    unreasoned = voice.play((100, voice.answer("A")), (200, voice.end))
    assert (unreasoned.result.status, unreasoned.result.flags) == ("response", ("no-finish-reason",))


def test_gemini_events_end_with_the_bytes() -> None:
    """Gemini's event stream has no end mark: after a reason, the end of the bytes is the end of the answer."""
    played = GEMINI.play((100, GEMINI.answer("A")), (200, GEMINI.finish), end_ms=900)
    timing = played.result.timing
    assert (played.result.flags, timing.complete_us, timing.end_us) == ((), 200_000, 900_000)
    late = event({"usageMetadata": {**USED, "candidatesTokenCount": 4, "totalTokenCount": 11}})
    counted = GEMINI.play((100, GEMINI.answer("A")), (200, GEMINI.finish), (250, late)).result
    assert counted.usage is not None
    assert counted.usage.output_tokens == 4


@pytest.mark.parametrize(
    ("voice", "end"),
    [
        (RESPONSES, RESPONSES.end),
        (ANTHROPIC, ANTHROPIC.finish + ANTHROPIC.end),
        (GEMINI_ARRAY, GEMINI_ARRAY.finish + GEMINI_ARRAY.end),
    ],
    ids=["openai-responses", "anthropic-messages", "gemini, JSON array"],
)
def test_finished_at_the_end_mark(voice: Voice, end: bytes) -> None:
    """At the end mark the attempt is over, although the server keeps the connection open."""
    reading = AttemptReading(dialect(voice.dialect), clock="simulated")
    for signal in [*opening(), Read(at(50), voice.opening), Read(at(100), voice.answer("A"))]:
        reading.take(signal)
        assert not reading.finished
    reading.take(Read(at(200), end))
    assert reading.finished
    assert reading.result().timing.end_us == 200_000


@every_event_stream
def test_done_marker_of_relays_is_an_end(voice: Voice) -> None:
    """Relays put ``[DONE]`` behind any dialect; it ends the attempt at once, and nothing after it counts."""
    done = b"data: [DONE]\n\n"
    played = voice.play((100, voice.answer("A")), (200, voice.finish + done + voice.answer("B")), end_ms=900)
    assert played.result.answer is not None
    assert (played.result.answer.text, played.result.timing.end_us) == ("A", 200_000)


@pytest.mark.parametrize("voice", [v for v in VOICES if v.limit], ids=lambda voice: voice.name)
def test_truncated_by_length(voice: Voice) -> None:
    """An answer cut off by the output limit is a response with the provider's reason, flagged."""
    result = voice.play((100, voice.answer("A")), (200, voice.limit + voice.end)).result
    assert (result.status, result.finish_reason) == ("response", voice.limit_reason)
    assert result.flags == ("truncated-by-length",)


def test_responses_incomplete_keeps_its_usage() -> None:
    """``response.incomplete`` at the limit is truncated by length: a response, flagged, with its usage."""
    end = responses_end("incomplete", incomplete_details={"reason": "max_output_tokens"})
    result = RESPONSES.play((100, RESPONSES.answer("A")), (200, end)).result
    assert result.usage is not None
    assert (result.status, result.finish_reason, result.flags) == (
        "response",
        "max_output_tokens",
        ("truncated-by-length",),
    )
    assert (result.usage.input_tokens, result.usage.output_tokens, result.timing.end_us) == (7, 3, 200_000)


def test_responses_failed_keeps_its_usage() -> None:
    """``response.failed`` is an error of the class that its code tells, with usage and timeline."""
    told = {"code": "server_error", "message": "The model failed"}
    played = RESPONSES.play((100, RESPONSES.answer("A")), (200, responses_end("failed", error=told)))
    assert played.result.failure is not None
    assert played.result.usage is not None
    assert (played.result.status, played.result.failure.kind, played.result.failure.code) == (
        "error",
        "server-error",
        "server_error",
    )
    assert (played.result.usage.output_tokens, played.metrics.ttft_us) == (3, None)


@pytest.mark.parametrize(
    ("data", "kind", "code"),
    [
        (responses_end("failed", error={"code": "rate_limit_exceeded", "message": "slow"}), "rate-limited", None),
        (responses_end("failed", error=None), "stream-error", ""),
        (responses_end("cancelled"), "stream-error", ""),
        (named("error", code="server_error", message="boom", param=None), "server-error", None),
        (named("error", error={"type": "invalid_request_error", "message": "no"}), "invalid-request", None),
        (named("error", message="boom", code=None), "stream-error", ""),
        (event({"error": {"code": 502, "message": "bad gateway"}}), "server-error", None),
        (b"event: error\n" + event({"message": "boom"}), "stream-error", ""),
        (b'{"error": {"message": "boom"}}\n', "stream-error", ""),
        (event({"choices": []}), "protocol", ""),
    ],
)
def test_every_shape_of_error_in_responses(data: bytes, kind: str, code: str | None) -> None:
    """An error inside a Responses stream is found in every shape, and gets its class."""
    played = RESPONSES.play((100, RESPONSES.answer("A")), (300, data), (301, RESPONSES.end))
    assert (played.result.status, played.failure_kind) == ("error", kind)
    if code is not None:
        assert played.result.failure is not None
        assert (played.result.failure.code or "") == code


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, "overloaded"),
        ({"type": "api_error", "message": "Internal server error"}, "server-error"),
        ({"type": "rate_limit_error", "message": "slow"}, "rate-limited"),
        ({"type": "invalid_request_error", "message": "no"}, "invalid-request"),
        ({"type": "timeout_error", "message": "late"}, "stream-error"),
        ({}, "stream-error"),
    ],
)
def test_every_error_in_messages(error: dict[str, str], kind: str) -> None:
    """``event: error`` inside a Messages stream gets the class that its type tells."""
    played = ANTHROPIC.play((100, ANTHROPIC.answer("A")), (300, named("error", error=error)), (301, ANTHROPIC.end))
    assert (played.result.status, played.failure_kind, played.result.http_status) == ("error", kind, 200)


@pytest.mark.parametrize(
    ("reason", "flags"),
    [
        ("SAFETY", ()),
        ("RECITATION", ()),
        ("MALFORMED_FUNCTION_CALL", ()),
        ("MAX_TOKENS", ("truncated-by-length",)),
    ],
)
def test_gemini_reasons_to_finish(reason: str, flags: tuple[str, ...]) -> None:
    """Every finish reason ends a response under Gemini's own word; an unspecified one is none."""
    result = GEMINI.play((100, GEMINI.answer("A")), (200, event(candidate(finish=reason)))).result
    assert (result.status, result.finish_reason, result.flags) == ("response", reason, flags)
    unspecified = event(candidate(finish="FINISH_REASON_UNSPECIFIED"))
    assert GEMINI.play((100, GEMINI.answer("A")), (200, unspecified)).failure_kind == "truncated"


@pytest.mark.parametrize("voice", [GEMINI, GEMINI_ARRAY], ids=lambda voice: voice.name)
def test_gemini_blocked_prompt(voice: Voice) -> None:
    """A prompt that was blocked is a moderation error with the reason, and its usage is kept."""
    told = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 7}}
    body = msgspec.json.encode(told)
    data = b"," + body if voice is GEMINI_ARRAY else b"data: " + body + b"\n\n"
    played = voice.play((100, data), (101, voice.end))
    assert played.result.failure is not None
    assert played.result.usage is not None
    assert (played.failure_kind, played.result.failure.code, played.result.usage.input_tokens) == (
        "moderation",
        "SAFETY",
        7,
    )


def test_gemini_error_as_the_only_element() -> None:
    """An array whose only element is an error, as Gemini answers an array stream, is that error."""
    assert play((50, msgspec.json.encode([OVERLOADED])), spoken="gemini").failure_kind == "overloaded"


@every_event_stream
def test_json_error_instead_of_a_stream(voice: Voice) -> None:
    """A 200 whose body is a JSON error is an error; its body is kept within bounds."""
    body = b'{"error": {"message": "model is loading", "code": 503}, "pad": "' + b"x" * 10_000 + b'"}'
    played = play((50, body[:40]), (60, body[40:]), spoken=voice.dialect)
    assert played.result.failure is not None
    assert (played.result.status, played.failure_kind, played.result.http_status) == ("error", "server-error", 200)
    assert played.result.failure.body is not None
    assert 0 < len(played.result.failure.body) <= 4000


WHOLE: dict[DialectName, dict[str, object]] = {
    "openai-responses": {
        "object": "response",
        "status": "completed",
        "output": [
            {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "Hm"}]},
            {"type": "message", "content": [{"type": "output_text", "text": "Yes"}]},
        ],
        "usage": {"input_tokens": 7, "output_tokens": 3},
    },
    "anthropic-messages": {
        "type": "message",
        "content": [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "Yes"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 7, "output_tokens": 3},
    },
    "gemini": candidate({"text": "Hm", "thought": True}, {"text": "Yes"}, finish="STOP", usageMetadata=USED),
}


@pytest.mark.parametrize("spoken", WHOLE)
def test_whole_answer_instead_of_a_stream(spoken: DialectName) -> None:
    """An answer in one JSON body in place of a stream is an answer in one piece: no speed, and flagged."""
    body = msgspec.json.encode(WHOLE[spoken])
    played = play((50, body[:30]), (80, body[30:]), end_ms=90, spoken=spoken)
    result = played.result
    assert result.reasoning is not None
    assert result.answer is not None
    assert result.usage is not None
    assert (result.reasoning.text, result.answer.text, result.usage.output_tokens) == ("Hm", "Yes", 3)
    assert (result.status, result.flags) == ("response", ("not-streamed",))
    assert (played.metrics.ttft_us, played.metrics.end_to_end_us) == (80_000, 80_000)


@pytest.mark.parametrize("spoken", WHOLE)
@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"<!DOCTYPE html><html><title>Sign in</title>", "web page"),
        (b'{"hello": "world"}', "neither a stream nor"),
        (b'{"half":', "neither a stream nor"),
        (b"upstream connect error", "no event stream"),
    ],
)
def test_bodies_that_are_no_stream_say_what_they_are(spoken: DialectName, body: bytes, told: str) -> None:
    """A 200 with a web page, other JSON or plain text is a protocol error that says so."""
    played = play((50, body), spoken=spoken)
    assert played.result.failure is not None
    assert (played.failure_kind, told in played.result.failure.message) == ("protocol", True)


@every_voice
def test_nothing_but_pings_is_a_stall(voice: Voice) -> None:
    """Chunks without meaning do not put off a stall: it is due 60 s after the last token."""
    reading = AttemptReading(dialect(voice.dialect), clock="simulated")
    for signal in [*opening(), Read(at(4_000), voice.opening), Read(at(5_000), voice.answer("A"))]:
        reading.take(signal)
    pings = {"anthropic-messages": named("ping"), "openai-responses": named("response.in_progress")}
    for second in range(10, 60, 10):
        reading.take(Read(at(second * 1000), pings.get(voice.dialect, voice.empties[0])))
    assert reading.stalled_at_mono_ns(60) == at(65_000)


@every_voice
def test_answer_that_was_complete_survives_a_cut(voice: Voice) -> None:
    """A connection lost after the reason to finish leaves a complete answer."""
    finish = voice.finish or voice.end
    played = voice.play((100, voice.answer("A")), (300, finish), cause="connection-lost", end_ms=900)
    assert (played.result.status, played.result.failure) == ("response", None)
    assert played.metrics.end_to_end_us == 300_000
    assert ("cut-after-finish" in played.result.flags) is bool(voice.finish)


def test_a_cut_is_told_where_no_mark_was_due() -> None:
    """Gemini's events have no mark of their end, so a cut after the reason lacks nothing but an orderly end."""
    played = GEMINI.play((100, GEMINI.answer("A")), (300, GEMINI.finish), cause="connection-lost", end_ms=900)
    assert played.result.flags == ("cut-after-finish",)
    assert (played.result.timing.complete_us, played.result.timing.end_us) == (300_000, 900_000)


def test_stop_reason_is_told_once() -> None:
    """A stop reason that is repeated moves nothing: the answer was finished with the first."""
    again = stopped("end_turn", output_tokens=3)
    played = ANTHROPIC.play((100, ANTHROPIC.answer("A")), (200, again), (300, again), end_ms=400)
    assert played.result.timing.complete_us == 200_000
