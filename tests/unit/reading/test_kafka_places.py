"""Where reading a partition begins: the checkpoints decide, the remembered offset is only a hint."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from projections.kafka.carrier import Remembered
from projections.kafka.places import NOTE_BYTES, Start, note, start

PASSED = st.dictionaries(st.text(min_size=1, max_size=12), st.integers(1, 10**12), max_size=8)


@given(PASSED, st.integers(0, 100))
def test_a_hint_that_is_not_ahead_is_followed(passed: dict[str, int], more: int) -> None:
    """When the checkpoints cover everything before the remembered offset, reading begins there."""
    positions = {source: seq + more for source, seq in passed.items()}
    assert start(Remembered(50, note(passed)), (0, 90), positions) == Start(50, passed)


@given(PASSED.filter(bool))
def test_a_hint_ahead_is_never_followed(passed: dict[str, int]) -> None:
    """When any source's checkpoint is short of the note, reading begins at the beginning of the partition."""
    for behind, seq in passed.items():
        positions = {**passed, behind: seq - 1}
        assert start(Remembered(50, note(passed)), (3, 90), positions) == Start(3, {})


def test_what_cannot_be_believed_is_not() -> None:
    """No memory, an offset outside the partition, no note, and another program's note all mean the beginning."""
    for remembered in (
        None,
        Remembered(2, note({})),
        Remembered(91, note({})),
        Remembered(50, ""),
        Remembered(50, "another program's"),
        Remembered(50, '{"lab": "seven"}'),
    ):
        assert start(remembered, (3, 90), {"lab": 10}) == Start(3, {})


def test_a_note_that_does_not_fit_is_left_out() -> None:
    """A partition with too many sources for a note leaves none, so that half a note is never believed."""
    many = {f"place-{number:05}": 10**9 for number in range(NOTE_BYTES // 20)}
    assert note(many) == ""
