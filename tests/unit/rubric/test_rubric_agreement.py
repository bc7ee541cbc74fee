"""Agreement of judges: Krippendorff's published examples, cases by hand, and the laws of his alpha."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.judging.rubric.agreement import AlikeCounts, alike, krippendorff_alpha

Rows = list[list[str | None]]

# "Computing Krippendorff's Alpha-Reliability" (2011): A, two observers and two values; B, two observers and five
# nominal values; C, four observers with missing values. The last are three coders of the article "Krippendorff's
# alpha" in Wikipedia. One observer a line, one unit a column; a dot is missing.
PUBLISHED = {
    "binary, no missing": (["0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0"], 0.095),
    "nominal, no missing": (["a a b b d c c c e d d a", "b a b b b c c c e d d d"], 0.692),
    "nominal, missing": (
        [
            "1 2 3 3 2 1 4 1 2 . . .",
            "1 2 3 3 2 2 4 1 2 5 . 3",
            ". 3 3 3 2 3 4 2 2 5 1 .",
            "1 2 3 3 2 4 4 1 2 5 1 .",
        ],
        0.743,
    ),
    "three coders, many missing": (
        ["· · · · · 3 4 1 2 1 1 3 3 · 3", "1 · 2 1 3 3 4 3 · · · · · · ·", "· · 2 1 3 4 4 · 2 1 1 3 3 · 4"],
        0.691,
    ),
}

rows_of_verdicts = st.integers(2, 4).flatmap(
    lambda judges: st.lists(
        st.lists(st.sampled_from([True, False, None]), min_size=judges, max_size=judges), max_size=12
    )
)


def units(observers: Sequence[str]) -> Rows:
    return [
        [None if value in ".·" else value for value in unit]
        for unit in zip(*(each.split() for each in observers), strict=True)
    ]


@pytest.mark.parametrize("name", PUBLISHED)
def test_alpha_of_published_data(name: str) -> None:
    """Alpha of data from the literature is what is printed there, to three places."""
    observers, printed = PUBLISHED[name]
    alpha = krippendorff_alpha(units(observers))
    assert alpha is not None
    assert round(alpha, 3) == printed


def test_alpha_of_two_judges_by_hand() -> None:
    """Three criteria, one disputed: values T T T T T F, so 1 - 5 * 2 / (2 * 5 * 1) = 0."""
    assert krippendorff_alpha([[True, True], [True, True], [True, False]]) == 0.0


@pytest.mark.parametrize(
    "rows", [[], [[True, None]], [[True, True], [True, True]], [[None, None]], [[True, None], [None, False]]]
)
def test_alpha_is_undefined_where_chance_could_not_disagree(rows: list[list[bool | None]]) -> None:
    """Without two verdicts on a criterion, and where all are equal, there is no alpha, neither 0 nor 1."""
    assert krippendorff_alpha(rows) is None


def test_alike_counts_what_can_be_compared() -> None:
    """A criterion with one verdict is not compared; three of one mind and two of two are."""
    rows = [[True, True, True], [True, False, None], [None, None, True], [False, False, None]]
    assert alike(rows) == AlikeCounts(alike=2, compared=3)


@given(rows_of_verdicts, st.integers())
def test_neither_order_of_judges_nor_of_criteria_matters(rows: list[list[bool | None]], seed: int) -> None:
    """Agreement is the same to the last bit, however judges and criteria are ordered."""
    source = random.Random(seed)
    mixed = [source.sample(row, len(row)) for row in source.sample(rows, len(rows))]
    assert krippendorff_alpha(mixed) == krippendorff_alpha(rows)
    assert alike(mixed) == alike(rows)


@given(rows_of_verdicts)
def test_alpha_is_at_most_one_and_one_only_without_disputes(rows: list[list[bool | None]]) -> None:
    """Alpha never exceeds 1, and is 1 exactly where it is defined and everything compared is alike."""
    alpha, counts = krippendorff_alpha(rows), alike(rows)
    assert alpha is None or alpha <= 1
    if alpha is not None:
        assert (alpha == 1) == (counts.alike == counts.compared)


@given(rows_of_verdicts)
def test_single_verdicts_and_silent_judges_change_nothing(rows: list[list[bool | None]]) -> None:
    """A judge without verdicts, and a criterion that one judge judged, leave agreement as it is."""
    more = [[*row, None] for row in rows] + [[True] + [None] * 3]
    assert krippendorff_alpha(more) == krippendorff_alpha(rows)
    assert alike(more) == alike(rows)


@given(rows_of_verdicts)
def test_alpha_of_negated_verdicts_is_the_same(rows: list[list[bool | None]]) -> None:
    """Alpha is nominal: what verdicts are called does not matter."""
    negated = [[None if value is None else not value for value in row] for row in rows]
    assert krippendorff_alpha(negated) == krippendorff_alpha(rows)
