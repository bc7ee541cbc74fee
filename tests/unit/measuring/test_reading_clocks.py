"""What an attempt says of its own times, and of an instrument that broke."""

from __future__ import annotations

from daemon.attempts.reading import AttemptReading
from daemon.attempts.result import AttemptResult
from daemon.transport.contract import Connected, Ended, HeldUp, Read, Responded, Sent, Signal
from daemon.wire.registry import dialect
from schemas.events.attempts import ConnectionFacts, StrainFacts

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


def test_strain_counts_reads_without_a_kernel_time() -> None:
    """A read that told of itself twice, as the head's and as the body's, counts once; another one once more."""
    read = result(
        Responded(1, 2, 200, HEADERS, user_space=True),
        Read(2, EVENT, user_space=True),
        Read(3, DONE, user_space=True),
    )
    assert read.strain == StrainFacts(user_space_reads=2)


def test_strain_of_user_space_times_knows_no_missing_ones() -> None:
    """Where no times come from the kernel, their absence is unknown and not zero."""
    reading = AttemptReading(dialect("openai-chat"), clock="user-space")
    assert reading.result().strain == StrainFacts()


def test_the_newest_strain_counts() -> None:
    """An attempt keeps the last that was told before its end, and nothing that came after."""
    read = result(HeldUp(None, 0, None), Responded(1, 1, 200, HEADERS), HeldUp(900, 2, 40), Read(3, DONE))
    late = result(HeldUp(5, 1, 4), Responded(1, 1, 200, HEADERS), Read(3, DONE), HeldUp(9_999, 9, 9_999))
    assert read.strain == StrainFacts(loop_lag_max_us=900, gc_pauses=2, gc_longest_us=40, user_space_reads=0)
    assert late.strain == StrainFacts(loop_lag_max_us=5, gc_pauses=1, gc_longest_us=4, user_space_reads=0)


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
