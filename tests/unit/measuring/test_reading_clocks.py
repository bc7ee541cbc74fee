"""What an attempt says of its own times, and of an instrument that broke."""

from __future__ import annotations

from daemon.attempts.reading import AttemptReading
from daemon.attempts.result import AttemptResult
from daemon.transport.contract import Connected, Ended, Read, Responded, Sent, Signal
from daemon.wire.registry import dialect
from schemas.events.attempts import ConnectionFacts

HEADERS = (("content-type", "text/event-stream"),)
EVENT = b'data: {"choices":[{"delta":{"content":"Hello"}}]}\n\n'
DONE = b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def result(*signals: Signal) -> AttemptResult:
    reading = AttemptReading(dialect("openai-chat"), clock="kernel")
    for signal in (Connected(ConnectionFacts(reused=False)), Sent(0, 0), *signals):
        reading.take(signal)
    return reading.result()


def test_kernel_times_throughout_leave_no_flag() -> None:
    """An attempt whose reads all have kernel times says so by its clock alone."""
    read = result(Responded(1, 1, 200, HEADERS), Read(2, EVENT), Read(3, DONE))
    assert (read.timing.clock, read.flags) == ("kernel", ())


def test_one_read_without_a_kernel_time_is_flagged() -> None:
    """A single read, or headers, that had to do with the time of reading flag the attempt once."""
    some = result(Responded(1, 1, 200, HEADERS), Read(2, EVENT, user_space=True), Read(3, DONE, user_space=True))
    head = result(Responded(1, 1, 200, HEADERS, user_space=True), Read(2, EVENT), Read(3, DONE))
    assert some.flags == head.flags == ("user-space-read",)


def test_a_broken_instrument_is_not_the_service_failing() -> None:
    """When the measuring process dies, the attempt is not completed, keeps what came, and blames no service."""
    read = result(Responded(1, 1, 200, HEADERS), Read(2, EVENT), Ended(3, "crash", "it ended"))
    assert (read.status, read.failure and read.failure.kind) == ("not-completed", "crash")
    assert read.answer is not None
    assert read.answer.text == "Hello"


def test_an_answer_that_was_complete_stays_one() -> None:
    """A measuring process that dies after the finish reason takes nothing back."""
    finish = DONE.split(b"data: [DONE]")[0]
    read = result(Responded(1, 1, 200, HEADERS), Read(2, EVENT), Read(3, finish), Ended(4, "crash", "it ended"))
    assert (read.status, read.failure) == ("response", None)
