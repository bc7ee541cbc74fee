"""Clocks and tokens of whole streams."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from played_streams import DONE, SENT_MONO_NS, SENT_WALL_NS, STOP, at, c, opening, play, r

from daemon.attempts.reading import AttemptReading
from daemon.tokens import TOKENIZER, count_tokens
from daemon.transport.contract import Read
from daemon.wire.registry import dialect


def test_stepped_wall_clock_changes_no_duration() -> None:
    """A wall clock that steps back 5 s in mid-stream changes no duration, and is flagged."""
    reading = AttemptReading(dialect("openai-chat"), clock="simulated")
    for signal in [*opening(), Read(at(100), c("A")), Read(at(200), STOP + DONE)]:
        reading.take(signal)
    stepped = reading.result(wall_ns=SENT_WALL_NS + 210_000_000 - 5_000_000_000, mono_ns=SENT_MONO_NS + 210_000_000)
    steady = play((100, c("A")), (200, STOP + DONE)).result
    assert stepped.timing == steady.timing
    assert stepped.timeline == steady.timeline
    assert (stepped.flags, steady.flags) == (("wall-clock-stepped",), ())


def test_steady_wall_clock_is_not_flagged() -> None:
    """Clocks that agree to within a tenth of a second are not worth a flag."""
    reading = AttemptReading(dialect("openai-chat"), clock="simulated")
    for signal in [*opening(), Read(at(100), c("A") + STOP + DONE)]:
        reading.take(signal)
    assert reading.result(wall_ns=SENT_WALL_NS + 150_000_000, mono_ns=SENT_MONO_NS + 100_000_000).flags == ()


def test_three_tokens_every_thirty_milliseconds() -> None:
    """Ten chunks of three tokens every 30 ms are 100 tokens/s."""
    metrics = play(*((30.0 * n, c(" a b c")) for n in range(1, 11)), (301, STOP + DONE)).metrics
    assert metrics.speed is not None
    assert metrics.speed.tokens_per_s == pytest.approx(100)


def test_words_cut_in_the_middle_are_not_counted_twice() -> None:
    """The chunks "Hel", "lo", " wor", "ld" are two tokens, placed where each one ends."""
    played = play((1, c("Hel")), (2, c("lo")), (3, c(" wor")), (4, c("ld")), (5, STOP + DONE))
    assert [row.tokens for row in played.rows] == [0, 1, 0, 1, 0]
    assert played.result.answer is not None
    assert (played.result.answer.tokens, played.result.answer.chunks, played.result.answer.characters) == (2, 4, 11)


def test_special_token_text_is_ordinary() -> None:
    """An answer that spells ``<|endoftext|>`` is seven tokens long."""
    played = play((1, c("<|endoftext|>") + STOP + DONE))
    assert played.result.answer is not None
    assert (played.result.answer.tokens, played.result.tokenizer) == (7, TOKENIZER)


def test_answer_in_one_chunk_has_no_speed() -> None:
    """One chunk in all has a first token and an end, and no speed."""
    metrics = play((100, c("All of it at once")), (150, STOP + DONE)).metrics
    assert (metrics.ttft_us, metrics.end_to_end_us) == (100_000, 150_000)
    assert metrics.speed is not None
    assert metrics.speed.tokens_per_s is None


@given(
    st.lists(
        st.tuples(st.booleans(), st.text(min_size=1, max_size=8), st.integers(min_value=0, max_value=50)), max_size=20
    )
)
def test_channels_are_counted_apart_and_in_full(chunks: list[tuple[bool, str, int]]) -> None:
    """Whatever arrives, each channel's rows add up to the tokens of its whole text, and times never go back."""
    reads, ms = [], 1.0
    for thinking, text, gap_ms in chunks:
        ms += gap_ms
        reads.append((ms, r(text) if thinking else c(text)))
    played = play(*reads, (ms + 1, STOP + DONE))
    for received, wanted in ((played.result.reasoning, True), (played.result.answer, False)):
        text = "".join(text for thinking, text, _ in chunks if thinking is wanted)
        assert (received.tokens if received else 0) == count_tokens(text)
        assert (received.text if received else "") == text
    assert sum(row.tokens for row in played.rows) == sum(
        part.tokens for part in (played.result.reasoning, played.result.answer) if part
    )
    assert sum(row.read_bytes for row in played.rows) == sum(len(data) for _, data in reads) + len(STOP + DONE)
    elapsed = [row.elapsed_us for row in played.rows]
    assert elapsed == sorted(elapsed)
