from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.judging.review.ranges import find_range, has_lone_surrogate, is_exact, utf16_length, utf16_slice

TEXT = "Ein 😀 und 𝄞."


def test_a_character_beyond_the_bmp_is_two_units() -> None:
    """Ranges count UTF-16 code units, so what stands behind an emoji stands one further than its code point says."""
    assert utf16_length(TEXT) == 14
    assert find_range(TEXT, "und") == (7, 10)
    assert is_exact(TEXT, "und", 7, 10)
    assert not is_exact(TEXT, "und", 6, 9)
    assert is_exact(TEXT, "😀", 4, 6)


@pytest.mark.parametrize(
    ("quote", "start", "end"),
    [
        ("\ud83d", 4, 5),
        ("", 4, 4),
        ("und", 7, 11),
        ("Und", 7, 10),
        ("Ein", -14, -11),
        (".", 13, 15),
        ("und", 10, 7),
        ("é", 0, 2),
    ],
)
def test_nothing_but_the_exact_text_is_exact(quote: str, start: int, end: int) -> None:
    """Half a character, nothing, a wrong end, another case, a range outside and a reversed one are not exact."""
    assert not is_exact(TEXT, quote, start, end)


def test_a_composed_letter_is_not_a_decomposed_one() -> None:
    """Texts are compared by code units, not by how they look."""
    assert not is_exact("e\u0301", "\u00e9", 0, 1)


def test_a_quotation_that_occurs_twice_has_no_range() -> None:
    """A range is found only where the quotation occurs exactly once, overlapping occurrences counted."""
    assert find_range("aaa", "aa") is None
    assert find_range("ab", "c") is None


@given(st.text(), st.integers(0, 20), st.integers(0, 20))
def test_slices_are_exact_exactly_when_they_are_whole(text: str, start: int, end: int) -> None:
    """A slice that is not empty, lies within the text and cuts no character is exact, and no other."""
    cut = utf16_slice(text, start, end)
    whole = start < end <= utf16_length(text) and not has_lone_surrogate(cut)
    assert is_exact(text, cut, start, end) == whole
