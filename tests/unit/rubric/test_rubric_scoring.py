"""Three-valued scoring of rubrics: every small table against the written ones, and the laws that hold for all."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.judging.rubric.scoring import Graded, agreed, score_of, usability_of, usable

T, F, N = True, False, None

# Criteria of a small rubric, each "c" (critical) or "o" (other) with "+" passed, "-" failed, "?" ungraded
# -> passed, failed, ungraded, score, usable
WRITTEN: dict[str, tuple[int, int, int, float | None, bool | None]] = {
    "c+": (1, 0, 0, 1.0, T),
    "c-": (0, 1, 0, 0.0, F),
    "c?": (0, 0, 1, N, N),
    "o+": (1, 0, 0, 1.0, T),
    "o-": (0, 1, 0, 0.0, T),
    "o?": (0, 0, 1, N, T),
    "c+ c+": (2, 0, 0, 1.0, T),
    "c+ c-": (1, 1, 0, 0.5, F),
    "c+ c?": (1, 0, 1, N, N),
    "c- c-": (0, 2, 0, 0.0, F),
    "c- c?": (0, 1, 1, N, F),
    "c? c?": (0, 0, 2, N, N),
    "c+ o+": (2, 0, 0, 1.0, T),
    "c+ o-": (1, 1, 0, 0.5, T),
    "c+ o?": (1, 0, 1, N, T),
    "c- o+": (1, 1, 0, 0.5, F),
    "c- o-": (0, 2, 0, 0.0, F),
    "c- o?": (0, 1, 1, N, F),
    "c? o+": (1, 0, 1, N, N),
    "c? o-": (0, 1, 1, N, N),
    "c? o?": (0, 0, 2, N, N),
    "o+ o+": (2, 0, 0, 1.0, T),
    "o+ o-": (1, 1, 0, 0.5, T),
    "o+ o?": (1, 0, 1, N, T),
    "o- o-": (0, 2, 0, 0.0, T),
    "o- o?": (0, 1, 1, N, T),
    "o? o?": (0, 0, 2, N, T),
}

# What two judges say of one criterion -> what they say together
TOGETHER: dict[tuple[bool | None, bool | None], tuple[bool | None, bool]] = {
    (T, T): (T, False),
    (T, F): (N, True),
    (T, N): (T, False),
    (F, T): (N, True),
    (F, F): (F, False),
    (F, N): (F, False),
    (N, T): (T, False),
    (N, F): (F, False),
    (N, N): (N, False),
}

SIGNS = {"+": T, "-": F, "?": N}
GRADED = [Graded(critical=critical, verdict=verdict) for critical in (T, F) for verdict in (T, F, N)]
tables = st.lists(st.sampled_from(GRADED), max_size=15)
verdicts = st.sampled_from([T, F, N])


def read(row: str) -> list[Graded]:
    return [Graded(critical=cell[0] == "c", verdict=SIGNS[cell[1]]) for cell in row.split()]


def written(criteria: list[Graded]) -> str:
    signs = {value: sign for sign, value in SIGNS.items()}
    cells = ["co"[not each.critical] + signs[each.verdict] for each in criteria]
    return " ".join(sorted(cells, key=lambda cell: ("co".index(cell[0]), "+-?".index(cell[1]))))


def test_every_rubric_of_one_or_two_criteria_is_in_the_written_table() -> None:
    """The table has every combination of marks and verdicts of one and of two criteria, each once."""
    every = {written(list(each)) for n in (1, 2) for each in product(GRADED, repeat=n)}
    assert every == set(WRITTEN)


@pytest.mark.parametrize("row", WRITTEN)
def test_scores_and_usability_are_those_of_the_written_table(row: str) -> None:
    """Counts, score and usability are what the table says, in either order of the criteria."""
    for criteria in (read(row), read(row)[::-1]):
        score = score_of(criteria)
        assert (score.passed, score.failed, score.ungraded, score.score, usable(criteria)) == WRITTEN[row]


@pytest.mark.parametrize("n", [3, 4])
def test_larger_rubrics_follow_from_their_pairs(n: int) -> None:
    """Of three and four criteria, a failed critical one decides, then an ungraded one, and counts add up."""
    for each in product(GRADED, repeat=n):
        criteria = list(each)
        pairs = [WRITTEN[written([one, other])][4] for one in criteria for other in criteria]
        expected = F if F in pairs else N if N in pairs else T
        singles = [WRITTEN[written([one])] for one in criteria]
        passed, failed, ungraded = (sum(single[place] for single in singles) for place in range(3))
        score = score_of(criteria)
        assert usable(criteria) is expected
        assert (score.passed, score.failed, score.ungraded) == (passed, failed, ungraded)
        assert score.score == (None if ungraded else passed / n)


@pytest.mark.parametrize(("pair", "expected"), TOGETHER.items())
def test_two_judges_together(pair: tuple[bool | None, bool | None], expected: tuple[bool | None, bool]) -> None:
    """Two judges who gave verdicts agree or dispute; one who gave none changes nothing."""
    together = agreed(T, pair)
    assert (together.verdict, together.disputed) == expected


def test_more_judges_are_joined_as_pairs_are() -> None:
    """Three and four judges dispute exactly if two of them do, and else say what those say who gave a verdict."""
    for n in (3, 4):
        for given_ in product((T, F, N), repeat=n):
            pairs = [TOGETHER[one, other] for one in given_ for other in given_]
            disputed = any(dispute for _, dispute in pairs)
            single = next((verdict for verdict, _ in pairs if verdict is not None), None)
            together = agreed(F, given_)
            assert together.disputed is disputed
            assert together.verdict is (None if disputed else single)


def test_nothing_is_unknown_and_never_zero() -> None:
    """No criteria have no score, and no tasks have no rate and no interval."""
    assert score_of([]).score is None
    nothing = usability_of([])
    assert (nothing.tasks, nothing.rate, nothing.rate_low, nothing.rate_high) == (0, None, None, None)


def test_four_fifths_right_is_not_usable() -> None:
    """Four of five criteria passed and the critical one failed: 80 %, and not usable; no number is between them."""
    criteria = [Graded(critical=T, verdict=F), *[Graded(critical=F, verdict=T)] * 4]
    assert score_of(criteria).score == 0.8
    assert usable(criteria) is F


@given(st.lists(verdicts, max_size=30))
def test_an_undecided_task_counts_as_not_usable(tasks: list[bool | None]) -> None:
    """The rate is usable tasks over all, so an undecided one weighs as a failed one does, and is counted apart."""
    rate = usability_of(tasks)
    pessimist = usability_of([each is True for each in tasks])
    assert (rate.rate, rate.rate_low, rate.rate_high) == (pessimist.rate, pessimist.rate_low, pessimist.rate_high)
    assert rate.undecided == sum(each is None for each in tasks)
    assert rate.usable + rate.not_usable + rate.undecided == rate.tasks
    assert rate.rate is None or (rate.rate_low or 0) <= rate.rate <= (rate.rate_high or 0)


@given(criteria=tables, critical=st.booleans())
def test_one_more_ungraded_criterion_never_raises_usability(criteria: list[Graded], *, critical: bool) -> None:
    """A null may take usability from true to unknown, never up, and always takes the score away."""
    more = [*criteria, Graded(critical=critical, verdict=None)]
    rank = {F: 0, N: 1, T: 2}
    assert rank[usable(more)] <= rank[usable(criteria)]
    assert score_of(more).score is None


@given(tables, st.data())
def test_grading_what_was_ungraded_never_contradicts(criteria: list[Graded], data: st.DataObject) -> None:
    """What is known with some criteria ungraded stays so, whatever their verdicts turn out to be."""
    graded = [
        each if each.verdict is not None else Graded(critical=each.critical, verdict=data.draw(st.booleans()))
        for each in criteria
    ]
    before = usable(criteria)
    assert before is None or usable(graded) is before
    assert score_of(criteria).passed <= score_of(graded).passed


@given(criteria=tables, verdict=st.booleans())
def test_criteria_that_are_not_critical_never_touch_usability(criteria: list[Graded], *, verdict: bool) -> None:
    """Usability is of critical criteria alone, and the score knows nothing of marks."""
    others = [each if each.critical else Graded(critical=F, verdict=verdict) for each in criteria]
    assert usable(others) is usable(criteria)
    unmarked = [Graded(critical=F, verdict=each.verdict) for each in criteria]
    assert score_of(unmarked) == score_of(criteria)


@given(st.lists(verdicts, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_judges_does_not_matter(given_: list[bool | None], shuffler: object) -> None:
    """Whoever judged first, together they say the same."""
    mixed = given_[:]
    shuffler.shuffle(mixed)  # type: ignore[attr-defined]
    assert agreed(T, mixed) == agreed(T, given_)


@given(st.lists(verdicts, max_size=6))
def test_a_judge_without_a_verdict_changes_nothing(given_: list[bool | None]) -> None:
    """One more null among the judges neither settles nor disputes anything."""
    assert agreed(T, [*given_, None]) == agreed(T, given_)
