"""Errors inside and instead of streams, and all the ways in which a stream ends."""

from __future__ import annotations

from email.utils import formatdate

import pytest
from played_streams import (
    DONE,
    EVENT_STREAM,
    SENT_MONO_NS,
    SENT_WALL_NS,
    STOP,
    at,
    c,
    delta,
    event,
    opening,
    play,
    usage,
)

from daemon.attempts.reading import AbandonKind, AttemptReading, FirstTokenNote
from daemon.transport.contract import Connected, EndCause, Ended, Read, Responded, Sent, Written
from daemon.wire.registry import dialect
from schemas.events import ConnectionFacts
from schemas.timeline import Channel

TWO = ((100, c("A")), (200, c(" b")))
ERROR = event({"error": {"message": "The server had an error", "type": "server_error", "code": None}})


def new_reading() -> AttemptReading:
    return AttemptReading(dialect("openai-chat"), clock="simulated")


def test_error_in_mid_stream_keeps_the_timeline() -> None:
    """Five tokens, then an error, then the end marker: an error with its timeline, in no median."""
    words = [(100.0 * n, c(" a")) for n in range(1, 6)]
    played = play(*words, (600, ERROR + DONE))
    assert (played.result.status, played.result.http_status, played.failure_kind) == ("error", 200, "server-error")
    assert sum(row.tokens for row in played.rows) == 5
    assert (played.metrics.outcome, played.metrics.ttft_us) == ("failed", None)


@pytest.mark.parametrize(
    ("data", "kind", "code"),
    [
        (event({"error": "it broke"}), "stream-error", None),
        (event({"error": {"code": 429, "message": "slow down"}}), "rate-limited", "429"),
        (event({"error": {"code": 502, "message": "bad gateway"}, "choices": []}), "server-error", "502"),
        (event({"error": {"type": "overloaded_error", "message": "Overloaded"}}), "overloaded", "overloaded_error"),
        (event({"error": {"message": "The engine is currently overloaded"}}), "overloaded", None),
        (event({"error": {"code": "content_filter", "message": "no"}}), "moderation", "content_filter"),
        (event({"error": {"code": "insufficient_quota", "message": "pay"}}), "credit", "insufficient_quota"),
        (event({"object": "error", "message": "boom", "code": 400}), "invalid-request", "400"),
        (b"event: error\n" + event({"message": "boom", "type": "timeout"}), "stream-error", "timeout"),
        (b'{"error": {"message": "boom"}}\n', "stream-error", None),
        (event({"choices": [{"delta": {}, "error": {"code": 503, "message": "gone"}}]}), "server-error", "503"),
        (delta(finish="error"), "stream-error", None),
    ],
)
def test_every_shape_of_error_in_a_stream_is_classed(data: bytes, kind: str, code: str | None) -> None:
    """An error inside a 200 is found in every shape that servers give it, and gets its class."""
    played = play(*TWO, (300, data), (301, DONE))
    assert played.result.failure is not None
    assert (played.result.status, played.result.failure.kind, played.result.failure.code) == ("error", kind, code)
    assert played.result.failure.body


def test_empty_error_field_is_no_error() -> None:
    """A null or empty ``error`` beside a chunk means nothing."""
    null = event({"error": None, "choices": [{"delta": {"content": "A"}}]})
    empty = event({"error": {}, "choices": [{"delta": {"content": "B"}}]})
    assert play((1, null + empty + STOP + DONE)).result.status == "response"


def test_json_error_instead_of_a_stream() -> None:
    """A 200 whose body is a JSON error is an error; its body is kept within bounds."""
    body = b'{"error": {"message": "model is loading", "code": 503}, "pad": "' + b"x" * 10_000 + b'"}'
    played = play((50, body[:40]), (60, body[40:]), headers=(("content-type", "application/json"),))
    assert played.result.failure is not None
    assert (played.result.status, played.failure_kind, played.result.http_status) == ("error", "server-error", 200)
    assert played.result.failure.body is not None
    assert 0 < len(played.result.failure.body) <= 4000


def test_completion_instead_of_a_stream() -> None:
    """A whole completion in place of a stream is an answer in one piece: no speed, and flagged."""
    body = event(
        {
            "id": "x",
            "choices": [
                {"message": {"role": "assistant", "reasoning": "Hm", "content": "Yes"}, "finish_reason": "stop"}
            ],
            "usage": {"prompt_tokens": 4, "completion_tokens": 1},
        }
    ).removeprefix(b"data: ")
    played = play((50, body[:30]), (80, body[30:]), end_ms=90)
    assert (played.result.status, played.result.finish_reason, played.result.flags) == (
        "response",
        "stop",
        ("not-streamed",),
    )
    assert (played.metrics.ttft_us, played.metrics.end_to_end_us) == (80_000, 80_000)
    assert played.metrics.speed is not None
    assert played.metrics.speed.tokens_per_s is None


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"<!DOCTYPE html><html><title>Sign in</title>", "web page"),
        (b'{"hello": "world"}', "neither a stream nor a chat completion"),
        (b'{"half":', "neither a stream nor a chat completion"),
        (b"upstream connect error or disconnect/reset before headers", "no event stream"),
    ],
)
def test_bodies_that_are_no_stream_say_what_they_are(body: bytes, told: str) -> None:
    """A 200 with a web page, other JSON or plain text is a protocol error that says so and keeps the beginning."""
    played = play((50, body))
    assert played.result.failure is not None
    assert played.failure_kind == "protocol"
    assert told in played.result.failure.message
    assert played.result.failure.body == body.decode().strip()


def test_rate_limit_with_its_wait() -> None:
    """A 429 with ``Retry-After: 1`` is rate-limited and waits one second; it has no figures."""
    headers = (("Retry-After", "1"), ("Set-Cookie", "s=1"), ("X-Request-Id", "r-1"))
    played = play((10, b'{"error":{"message":"Slow down","type":"rate_limit_error"}}'), status=429, headers=headers)
    assert played.result.failure is not None
    assert (played.failure_kind, played.result.failure.retry_after_s) == ("rate-limited", 1.0)
    assert (played.metrics.outcome, played.metrics.ttft_us) == ("rate-limited", None)
    assert played.result.headers == (("retry-after", "1"), ("x-request-id", "r-1"))


def test_retry_date_counts_from_the_responses_arrival() -> None:
    """A date in ``Retry-After`` is compared with the wall time at which the response arrived."""
    sent_s = 1_796_040_000
    headers = (("retry-after", formatdate(sent_s + 10, usegmt=True)),)
    reading = new_reading()
    reading.take(Sent(sent_s * 1_000_000_000, SENT_MONO_NS))
    reading.take(Responded(at(1000), at(1000), 429, headers))
    reading.take(Ended(at(5000), "complete"))
    failure = reading.result().failure
    assert failure is not None
    assert failure.retry_after_s == pytest.approx(9.0)


@pytest.mark.parametrize(
    ("tail", "status", "kind", "flags"),
    [
        (STOP + DONE, "response", None, ()),
        (STOP, "response", None, ("no-done-marker",)),
        (DONE, "response", None, ("no-finish-reason",)),
        (b"", "error", "truncated", ()),
        (STOP[:25], "error", "truncated", ()),
        (b"data: [DO", "error", "truncated", ()),
    ],
    ids=["both", "finish reason", "marker", "neither", "half a chunk", "half a marker"],
)
def test_the_end_of_a_stream(tail: bytes, status: str, kind: str | None, flags: tuple[str, ...]) -> None:
    """Finish reason, end marker or both make a response; neither makes it truncated, in no median."""
    played = play(*TWO, (300, tail) if tail else (300, b": bye\n\n"))
    assert (played.result.status, played.failure_kind, played.result.flags) == (status, kind, flags)
    assert played.metrics.outcome == ("ok" if status == "response" else "truncated")
    assert len([row for row in played.rows if row.channel is Channel.ANSWER]) == 2


def test_without_a_marker_the_finish_reason_is_the_end() -> None:
    """Where no end marker comes, the answer was complete with the read of its finish reason."""
    played = play(*TWO, (300, STOP), (350, usage(completion_tokens=2)), end_ms=400)
    assert (played.result.timing.complete_us, played.result.timing.end_us) == (300_000, 400_000)


def test_reading_is_finished_at_the_marker() -> None:
    """At the end marker the attempt is over, although the server keeps the connection open."""
    reading = new_reading()
    for signal in [*opening(), Read(at(100), c("A") + STOP)]:
        reading.take(signal)
        assert not reading.finished
    reading.take(Read(at(200), DONE))
    assert reading.finished
    assert reading.result().timing.end_us == 200_000


def test_ten_minutes_of_steady_tokens_survive() -> None:
    """A stream of ten minutes is a response like any other."""
    played = play(*((1000.0 * n, c(" a")) for n in range(1, 601)), (600_100, STOP + DONE))
    assert (played.metrics.outcome, played.metrics.ttft_us) == ("ok", 1_000_000)


def test_pings_do_not_put_off_a_stall() -> None:
    """A stall is due 60 s after the last chunk that meant something; comments and empty chunks are not heard."""
    reading = new_reading()
    assert reading.stalled_at_mono_ns(60) is None
    for signal in opening():
        reading.take(signal)
    assert reading.stalled_at_mono_ns(60) == at(60_001)
    reading.take(Read(at(5_000), c("A")))
    for second in range(10, 60, 10):
        reading.take(Read(at(second * 1000), b": ping\n\n" + delta(content="")))
    assert reading.stalled_at_mono_ns(60) == at(65_000)
    reading.abandon("stalled", "no token for 60 s", at(65_000))
    result = reading.result()
    assert result.failure is not None
    assert (result.status, result.failure.kind, result.timing.end_us) == ("error", "stalled", 65_000_000)


def test_an_oddity_does_not_put_off_a_stall() -> None:
    """An empty chunk that earns a flag means as little as one that earns none."""
    reading = new_reading()
    for signal in [*opening(), Read(at(5_000), c("A"))]:
        reading.take(signal)
    odd = delta(content="").replace(b'"finish_reason":null', b'"finish_reason":NaN')
    reading.take(Read(at(50_000), odd))
    assert reading.stalled_at_mono_ns(60) == at(65_000)
    assert reading.result().flags == ("loose-json",)


@pytest.mark.parametrize("cause", ["connection-lost", "stalled", "timeout-total", "over-limit", "protocol"])
def test_broken_off_stream_keeps_what_came(cause: EndCause) -> None:
    """An exchange that ends early is an error of that class, with its timeline and its text."""
    played = play(*TWO, cause=cause, end_ms=900)
    assert (played.result.status, played.failure_kind, played.result.timing.end_us) == ("error", cause, 900_000)
    assert played.result.answer is not None
    assert played.result.answer.text == "A b"
    assert played.metrics.ttft_us is None


def test_answer_that_was_complete_survives_a_cut() -> None:
    """A connection lost after the finish reason leaves a complete answer, flagged."""
    played = play(*TWO, (300, STOP), cause="connection-lost", end_ms=900)
    assert (played.result.status, played.result.failure) == ("response", None)
    assert set(played.result.flags) == {"cut-after-finish", "no-done-marker"}
    assert played.metrics.end_to_end_us == 300_000


@pytest.mark.parametrize("cause", ["dns", "connect", "tls", "timeout-connect"])
def test_request_that_was_never_sent(cause: EndCause) -> None:
    """An exchange that ends before sending is one error without any time."""
    reading = new_reading()
    reading.take(Ended(at(0), cause, "no way there"))
    result = reading.result()
    assert result.failure is not None
    assert (result.status, result.failure.kind, result.http_status) == ("error", cause, None)
    assert (result.timing.sent_mono_ns, result.timing.end_us, len(result.timeline)) == (None, None, 0)


def test_response_that_never_began() -> None:
    """A request without a response is one error with its times up to then."""
    reading = new_reading()
    for signal in opening()[:3]:
        reading.take(signal)
    reading.take(Ended(at(300_000), "timeout-first-byte"))
    result = reading.result()
    assert result.failure is not None
    assert (result.failure.kind, result.failure.message) == ("timeout-first-byte", "timeout-first-byte")
    assert (result.timing.first_byte_us, result.timing.end_us) == (None, 300_000_000)


@pytest.mark.parametrize("kind", ["cancelled", "stopping"])
@pytest.mark.parametrize("heard", [0, 1, 2, 3, 4, 5])
def test_cancelled_at_any_moment(kind: AbandonKind, heard: int) -> None:
    """An attempt cancelled from this side at any moment is one cancelled attempt, with what had come."""
    reading = new_reading()
    for signal in [*opening(), Read(at(100), c("A"))][:heard]:
        reading.take(signal)
    reading.abandon(kind, "the daemon stops", at(500))
    assert reading.take(Read(at(600), c("B") + STOP + DONE)) == ()
    result = reading.result()
    assert result.failure is not None
    assert (result.status, result.failure.kind) == ("cancelled", "stopping")
    assert (result.answer is not None) == (heard == 5)


def test_cancelled_after_the_end_changes_nothing() -> None:
    """Cancelling an attempt that is over leaves its result as it was."""
    reading = new_reading()
    for signal in [*opening(), Read(at(100), c("A") + STOP + DONE)]:
        reading.take(signal)
    reading.abandon("stopping", "too late", at(500))
    assert (reading.result().status, reading.result().timing.end_us) == ("response", 100_000)


def test_refusal_stays_one_when_its_body_is_cut() -> None:
    """A status other than success decides, whatever becomes of its body."""
    played = play((10, b'{"error":{"mess'), status=500, headers=(), cause="connection-lost")
    assert (played.failure_kind, played.result.http_status) == ("server-error", 500)


def test_attempt_left_open_is_cancelled() -> None:
    """An attempt whose exchange was left without an end still has exactly one result."""
    reading = new_reading()
    for signal in [*opening(), Read(at(100), c("A"))]:
        reading.take(signal)
    result = reading.result()
    assert (result.status, result.timing.end_us) == ("cancelled", 100_000)
    assert reading.result() is result


def test_endless_answer_is_over_the_limit() -> None:
    """An answer beyond every bound ends the attempt over the limit."""
    reading = new_reading()
    for signal in opening():
        reading.take(signal)
    chunk = c("word " * 20_000)
    for n in range(100):
        reading.take(Read(at(100 + n), chunk))
    assert reading.finished
    failure = reading.result().failure
    assert failure is not None
    assert failure.kind == "over-limit"


def test_first_tokens_are_noted_once_for_each_channel() -> None:
    """The first reasoning and the first answer token are told when they arrive, and only then."""
    reading = new_reading()
    for signal in opening():
        reading.take(signal)
    assert list(reading.take(Read(at(50), delta(role="assistant", content="")))) == []
    assert list(reading.take(Read(at(100), delta(reasoning="a") + delta(reasoning="b")))) == [
        FirstTokenNote("reasoning", 100_000)
    ]
    assert list(reading.take(Read(at(300), c("A") + c("B")))) == [FirstTokenNote("answer", 300_000)]
    assert list(reading.take(Read(at(400), c("C")))) == []


def test_only_allowed_headers_are_kept() -> None:
    """Headers that are not on the list never reach the log."""
    headers = (*EVENT_STREAM, ("openai-organization", "acme"), ("CF-Ray", "1"), ("x-ratelimit-remaining-tokens", "9"))
    assert [name for name, _ in play((1, STOP), headers=headers).result.headers] == [
        "content-type",
        "cf-ray",
        "x-ratelimit-remaining-tokens",
    ]


def test_the_requests_secret_is_masked_wherever_it_is_quoted() -> None:
    """A server that quotes the key back, in an error, a header or the answer, finds it masked everywhere."""
    key = "acme-key-0123456789"
    refused = play(
        (1, b'{"error":{"message":"bad key ' + key.encode() * 60 + b'"}}'),
        status=401,
        headers=(("x-request-id", key),),
        secrets=(key,),
    )
    answered = play((1, c(key[:7]) + c(key[7:]) + event({"choices": [], "model": key}) + STOP + DONE), secrets=(key,))
    for played in (refused, answered):
        assert key not in repr(played.result)
        assert key[:10] not in repr(played.result)
        assert "secret-masked" in played.result.flags


def test_connection_facts_and_times_are_kept() -> None:
    """The result carries the connection's facts and every time of the exchange."""
    reading = new_reading()
    reading.take(Connected(ConnectionFacts(reused=True)))
    reading.take(Sent(SENT_WALL_NS, SENT_MONO_NS))
    reading.take(Written(at(3)))
    reading.take(Responded(at(40), at(41), 200, ()))
    reading.take(Read(at(50), c("A") + STOP + DONE))
    result = reading.result()
    timing = result.timing
    assert result.connection.reused is True
    assert (timing.sent_wall_ns, timing.sent_mono_ns, timing.clock) == (SENT_WALL_NS, SENT_MONO_NS, "simulated")
    assert (timing.request_written_us, timing.first_byte_us, timing.headers_us) == (3_000, 40_000, 41_000)
