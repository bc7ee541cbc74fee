"""The order in which requests are generated: drawn from a seed, and fair to the conditions compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st
from made_review import SOURCES, ReviewExample, prepared

from daemon.judging.review.planning import PlannedReview, planned_reviews
from daemon.review.ordering import in_order
from schemas.review.kinds import Ordering
from schemas.review.manifest import Manifest


@cache
def manifest() -> Manifest:
    return prepared()


@cache
def planned(conditions: int = 3, strategy: str = "bundled") -> Mapping[str, PlannedReview]:
    made = ReviewExample(manifest())
    for number in range(conditions):
        made.condition(f"c{number}", strategy=strategy)
    return planned_reviews(manifest(), made.evidence().run)


orderings = st.sampled_from(("randomized", "counterbalanced"))


@settings(max_examples=30, deadline=None)
@given(orderings, st.text(max_size=5), st.sampled_from(("bundled", "single")), st.randoms(use_true_random=False))
def test_an_order_has_every_request_once(ordering: Ordering, seed: str, strategy: str, random: object) -> None:
    """Every planned request stands there once, in an order that depends on the seed alone."""
    plans = dict(planned(2, strategy))
    shuffled = list(plans.items())
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis' own
    places = in_order(plans, ordering, seed)
    assert sorted(places) == sorted((name, each) for name, plan in plans.items() for each in plan.requests)
    assert in_order(dict(shuffled), ordering, seed) == places


def test_another_seed_is_another_order() -> None:
    """Two seeds give two orders, of either kind, and neither is that of the file."""
    for ordering in ("randomized", "counterbalanced"):
        orders = [in_order(planned(), ordering, seed) for seed in ("a", "b")]
        assert orders[0] != orders[1]
        assert [name for name, _ in orders[0]] != list(planned())


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=5), st.integers(1, 4))
def test_conditions_take_turns(seed: str, conditions: int) -> None:
    """Counterbalanced, all conditions ask a review before the next one comes, and each is first as often."""
    places = in_order(planned(conditions), "counterbalanced", seed)
    first: Counter[str] = Counter()
    for start in range(0, len(places), conditions):
        group = [name.split("/") for name, _ in places[start : start + conditions]]
        assert len({tuple(words[1:]) for words in group}) == 1
        assert len({words[0] for words in group}) == conditions
        first[group[0][0]] += 1
    assert max(first.values()) - min(first[f"c{number}"] for number in range(conditions)) <= 1


def test_every_second_repetition_goes_backwards() -> None:
    """Counterbalanced, the second repetition goes through the sources in the opposite order of the first."""
    names = [name for name, _ in in_order(planned(1), "counterbalanced", "seed")]
    first = [name.split("/")[1] for name in names if name.endswith("r1")]
    assert sorted(first) == sorted(SOURCES)
    assert [name.split("/")[1] for name in names if name.endswith("r2")] == first[::-1]
    assert names == [*(n for n in names if n.endswith("r1")), *(n for n in names if n.endswith("r2"))]


def test_sources_that_only_one_condition_has() -> None:
    """A review that a single condition plans stands by itself, and nobody waits for another."""
    plans = dict(planned(2))
    (gone,) = [name for name in plans if name == f"c1/{SOURCES[0]}/r1"]
    del plans[gone]
    assert len(in_order(plans, "counterbalanced", "seed")) == len(plans)
