from __future__ import annotations

from itertools import product

import pytest

from daemon.judging.review.logic import Settled, negated, none_missed, review_state, settled
from daemon.judging.three_valued import all_of
from schemas.review.kinds import JudgmentState

Truth = bool | None

# The written tables of docs/methodology.md: what two values come to, in either order.
ALL_OF: dict[tuple[Truth, Truth], Truth] = {
    (True, True): True,
    (True, None): None,
    (True, False): False,
    (None, None): None,
    (None, False): False,
    (False, False): False,
}
SETTLED: dict[tuple[Truth, Truth], Settled] = {
    (True, True): "pass",
    (True, None): "not-judged",
    (True, False): "disputed",
    (None, None): "not-judged",
    (None, False): "fail",
    (False, False): "fail",
}
STATES: dict[tuple[Settled, Settled], JudgmentState] = {
    ("pass", "pass"): "accepted",
    ("pass", "not-judged"): "unjudged",
    ("pass", "disputed"): "disputed",
    ("pass", "fail"): "rejected",
    ("not-judged", "not-judged"): "unjudged",
    ("not-judged", "disputed"): "disputed",
    ("not-judged", "fail"): "rejected",
    ("disputed", "disputed"): "disputed",
    ("disputed", "fail"): "rejected",
    ("fail", "fail"): "rejected",
}
TRUTHS: tuple[Truth, ...] = (True, None, False)
ANSWERS: tuple[Settled, ...] = ("pass", "not-judged", "disputed", "fail")


@pytest.mark.parametrize("pair", list(product(TRUTHS, repeat=2)), ids=str)
def test_two_truths_join_as_the_table_says(pair: tuple[Truth, Truth]) -> None:
    """Every pair of truths joins to what the written table says, in either order."""
    assert all_of(pair) is ALL_OF.get(pair, ALL_OF.get((pair[1], pair[0])))


@pytest.mark.parametrize("pair", list(product(TRUTHS, repeat=2)), ids=str)
def test_two_peoples_truths_settle_as_the_table_says(pair: tuple[Truth, Truth]) -> None:
    """Every pair of people's truths settles to what the written table says, in either order."""
    assert settled(pair) == SETTLED.get(pair, SETTLED.get((pair[1], pair[0])))


@pytest.mark.parametrize("pair", list(product(ANSWERS, repeat=2)), ids=str)
def test_two_settled_questions_make_the_state_of_the_table(pair: tuple[Settled, Settled]) -> None:
    """Every pair of settled questions makes the review's state that the written table says, in either order."""
    assert review_state(pair) == STATES.get(pair, STATES.get((pair[1], pair[0])))


def test_three_join_as_two_and_one() -> None:
    """Of three values each join is that of the first two joined with the third: order and grouping do not matter."""
    for first, second, third in product(TRUTHS, repeat=3):
        assert all_of((first, second, third)) is all_of((all_of((first, second)), third))
    back: dict[JudgmentState, Settled] = {
        "accepted": "pass", "unjudged": "not-judged", "disputed": "disputed", "rejected": "fail",
    }  # fmt: skip
    for one, two, three in product(ANSWERS, repeat=3):
        assert review_state((one, two, three)) == review_state((back[review_state((one, two))], three))


def test_three_people_dispute_whatever_the_third_says() -> None:
    """Of three people's truths, true beside false is disputed; else false fails; else null leaves it open."""
    for three in product(TRUTHS, repeat=3):
        expected = "disputed" if {True, False} <= set(three) else SETTLED.get(
            (True if True in three else None if None in three else False,
             False if False in three else None if None in three else True)
        )  # fmt: skip
        assert settled(three) == expected


def test_nobody_has_judged_nothing() -> None:
    """Without anybody's truth a question is not judged, and without questions nothing is accepted."""
    assert settled([]) == "not-judged"
    assert review_state([]) == "unjudged"
    assert all_of([]) is True


def test_opposites_and_counts_keep_the_unknown() -> None:
    """What is not known stays not known; none missed is a pass and any number of missed issues is not."""
    assert [negated(each) for each in TRUTHS] == [False, None, True]
    assert [none_missed(each) for each in (None, 0, 1, 7)] == [None, True, False, False]
