"""Evidence of another model or configuration: names, token counts, refusals, known answers, equal answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.integrity.compared import Compared
from daemon.integrity.comparison import compare
from daemon.integrity.known_answers import gives_known_answer
from daemon.integrity.pairs import Measured, Metric, Pair
from daemon.integrity.parameters import IntegrityParameters
from daemon.integrity.verdicts import judge

PARAMETERS = IntegrityParameters()


def answered(**fields: Any) -> Measured:
    return Measured(outcome="answered", **fields)


def runs(count: int, make: Callable[[int], tuple[Measured, Measured]], **pair: Any) -> list[Pair]:
    made = []
    for run in range(count):
        primary, other = make(run)
        made.append(Pair(run=UUID(int=run), ordinal=0, at_ns=run, primary=primary, other=other, **pair))
    return made


def of(pairs: list[Pair], metric: Metric) -> Compared:
    (found,) = (c for c in compare(pairs, PARAMETERS) if c.metric == metric)
    return found


def verdict(pairs: list[Pair], metric: Metric) -> str:
    judged = judge([compare(pairs, PARAMETERS)], PARAMETERS)[0]
    return next(j.verdict for j in judged if j.compared.metric == metric)


def test_another_model_is_material() -> None:
    """An account that is always answered by a model of another name is found, however alike their speed."""
    pairs = runs(40, lambda _: (answered(returned_model="large"), answered(returned_model="small")))
    assert verdict(pairs, "returned-model") == "material"
    compared = of(pairs, "returned-model")
    assert (compared.primary, compared.other) == (0, 1)


def test_same_models_in_turn_are_not_material() -> None:
    """A service that answers either account now with one model and now with another treats them alike."""
    names = ("large", "large-0601")
    pairs = runs(80, lambda n: (answered(returned_model=names[n % 2]), answered(returned_model=names[n // 2 % 2])))
    assert verdict(pairs, "returned-model") == "not-material"


def test_fingerprints_are_described() -> None:
    """Different fingerprints are stated and never material: an account may stay with one machine for days."""
    pairs = runs(80, lambda _: (answered(fingerprint="fp_a"), answered(fingerprint="fp_b")))
    compared = of(pairs, "fingerprint")
    assert (compared.runs, compared.primary, compared.other, compared.p_value) == (80, 0, 1, None)
    assert verdict(pairs, "fingerprint") == "unknown"


def test_other_token_counts_are_material() -> None:
    """The provider's own count of the same bytes is one tokenizer's; a few tokens more in every run are found."""
    pairs = runs(40, lambda n: (answered(input_tokens=1_000 + n), answered(input_tokens=1_012 + n)))
    compared = of(pairs, "input-tokens")
    assert verdict(pairs, "input-tokens") == "material"
    assert (compared.primary, compared.other) == (0, 1)
    assert compared.ratio == pytest.approx(1.012, abs=1e-3)


def test_equal_token_counts_are_not_material() -> None:
    """Equal counts are a finding of their own, and make no other test stricter."""
    pairs = runs(40, lambda n: (answered(input_tokens=n + 1), answered(input_tokens=n + 1)))
    compared = of(pairs, "input-tokens")
    assert (compared.ratio, compared.p_value, compared.attainable) == (1, 1, 1)
    assert verdict(pairs, "input-tokens") == "not-material"


def test_refused_context_is_material() -> None:
    """An account whose long prompts are refused, where the other one's are taken, is found."""
    refused = Measured(outcome="failed", context_refused=True)
    pairs = runs(60, lambda n: (answered(), refused if n % 2 else answered()))
    assert verdict(pairs, "context-refused-share") == "material"


def test_wrong_answers_are_material() -> None:
    """An account that gets wrong answers where the other one gets the known ones is found."""
    pairs = runs(60, lambda n: (answered(right=True), answered(right=n % 3 == 0)))
    assert verdict(pairs, "wrong-answer-share") == "material"
    assert of(pairs, "wrong-answer-share").other == pytest.approx(2 / 3)


def test_disagreement_without_baseline_is_described() -> None:
    """With one control nobody knows how often answers agree anyway: the share is stated and nothing is tested."""
    pairs = runs(60, lambda _: (answered(), answered()), answers_agree=False)
    compared = of(pairs, "answer-disagreement")
    assert (compared.runs, compared.primary, compared.other, compared.p_value) == (60, None, 1, None)
    assert verdict(pairs, "answer-disagreement") == "unknown"


@pytest.mark.parametrize(("controls_agree", "expected"), [(True, "material"), (False, "not-material")])
def test_disagreement_is_held_against_that_of_controls(*, controls_agree: bool, expected: str) -> None:
    """Answers that differ from the measuring account's count where those of two controls agree, and not otherwise."""
    pairs = runs(60, lambda _: (answered(), answered()), answers_agree=False, controls_agree=controls_agree)
    assert verdict(pairs, "answer-disagreement") == expected


def test_tests_that_could_find_nothing_are_no_part_of_the_correction() -> None:
    """Metrics without enough runs that differ leave the others' corrected p-values as they are."""
    fast = Compared(metric="ttft", runs=24, pairs=24, ratio=1.2, passes_threshold=True, lasts=True, p_value=9e-4)
    alike = Compared(
        metric="error-share", runs=24, pairs=24, passes_threshold=False, lasts=False, p_value=1.0, attainable=0.5
    )
    first, second = judge([[fast, alike]], PARAMETERS)[0]
    assert (first.corrected_p_value, first.verdict) == (9e-4, "material")
    assert (second.corrected_p_value, second.verdict) == (1.0, "not-material")


def measured() -> st.SearchStrategy[Measured]:
    return st.builds(
        Measured,
        outcome=st.sampled_from(["answered", "failed", "rate-limited"]),
        ttft_ns=st.none() | st.integers(1, 10**10),
        output_speed=st.none() | st.floats(0.1, 1e4),
        answer_tokens=st.none() | st.integers(0, 5_000),
        context_refused=st.booleans(),
        returned_model=st.none() | st.sampled_from(["a", "b", "c"]),
        fingerprint=st.none() | st.sampled_from(["f", "g"]),
        input_tokens=st.none() | st.integers(1, 5),
        right=st.none() | st.booleans(),
    )


def pairs_of_runs() -> st.SearchStrategy[list[Pair]]:
    pair = st.builds(
        Pair,
        run=st.integers(0, 12).map(lambda n: UUID(int=n)),
        ordinal=st.integers(0, 9),
        at_ns=st.just(0),
        primary=measured(),
        other=measured(),
    )
    placed = pair.map(lambda p: msgspec.structs.replace(p, at_ns=p.run.int))
    return st.lists(placed, max_size=40, unique_by=lambda p: (p.run, p.ordinal))


FEW = IntegrityParameters(min_runs=3)


@given(pairs_of_runs())
@settings(max_examples=150, deadline=None)
def test_swapping_the_accounts_turns_everything_round(pairs: list[Pair]) -> None:
    """Exchanging the accounts inverts ratios, exchanges shares, and changes no p-value, threshold or count."""
    swapped = [msgspec.structs.replace(p, primary=p.other, other=p.primary) for p in pairs]
    for here, there in zip(compare(pairs, FEW), compare(swapped, FEW), strict=True):
        assert (there.primary, there.other) == (here.other, here.primary)
        assert (there.p_value, there.attainable, there.passes_threshold, there.lasts, there.runs, there.pairs) == (
            here.p_value,
            here.attainable,
            here.passes_threshold,
            here.lasts,
            here.runs,
            here.pairs,
        )
        assert (here.ratio is None) == (there.ratio is None)
        assert here.ratio is None or there.ratio == pytest.approx(1 / here.ratio)


@given(pairs_of_runs(), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_order_changes_nothing(pairs: list[Pair], chance: Any) -> None:
    """However the pairs are ordered, the comparison is the same."""
    shuffled = list(pairs)
    chance.shuffle(shuffled)
    assert compare(shuffled, FEW) == compare(pairs, FEW)


@pytest.mark.parametrize(
    ("task", "text", "right"),
    [
        ("mathematics-1", "There are 12 such numbers.", True),
        ("mathematics-1", "There are 126 such numbers.", False),
        ("mathematics-1", "twelve", True),
        ("mathematics-3", "a crease of 25.634 cm", True),
        ("mathematics-3", "36.620 cm", False),
        ("mathematics-4", "Die Linie ist 12,6 km lang", True),
        ("mathematics-4", "112.6 km", False),
        ("mathematics-6", "(m, n) = (7, 6) and (5,3)", True),
        ("mathematics-6", "(7, 6)", False),
        ("mathematics-2", "true", None),
        (None, "12", None),
        ("mathematics-1", None, None),
    ],
)
def test_known_answers(*, task: str | None, text: str | None, right: bool | None) -> None:
    """Right answers pass in the spellings they come in, wrong ones fail, and of others nothing is said."""
    assert gives_known_answer("reasoning", task, text) is right
    assert gives_known_answer("text-1k", task, text) is None


def test_known_answers_follow_from_their_prompts() -> None:
    """The answers that are taken for right are those of the prompts as they are worded."""
    digits = [n for n in range(1_000, 10_000) if list(s := str(n)) == sorted(set(s)) and sum(map(int, s)) == 20]
    assert len(digits) == 12
    assert f"{21 / 30 * (21**2 + 30**2) ** 0.5:.3f}" == "25.634"
    pairs = [(m, n) for m in range(1, 99) for n in range(1, 99) if m * m + 3 * n == n * n + 3 * m + 10]
    assert pairs == [(5, 3), (7, 6)]
    assert round(3 * 5.4 - 3.6, 6) == 12.6
