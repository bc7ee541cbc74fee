"""The cost calculator: measured costs, estimates by the language tax, and what is missing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.cost_calculator import MeasuredCost, MeasuredTax, Rate, Reckoning, estimated_usd, reckon

WHEN = datetime(2026, 11, 30, tzinfo=UTC)
EUR = Rate(quote="EUR", rate=0.5, day="2026-11-27", stated_by="ECB")


def cost(language: str, usd_1000: float | None, endpoint: str = "mini", **other: Any) -> MeasuredCost:
    return MeasuredCost(
        **{
            "vantage": "vienna",
            "endpoint": endpoint,
            "language": language,
            "n": 100,
            "cost_usd_1000": usd_1000,
            "faulty_share": 0.25,
            "simulated": False,
            "oldest": WHEN,
            "newest": WHEN,
            **other,
        }
    )


def tax(
    language: str, value: float | None, endpoint: str = "mini", interval: tuple[float, float] | None = None
) -> MeasuredTax:
    low, high = interval or (None, None)
    return MeasuredTax(
        vantage="vienna", endpoint=endpoint, language=language, tax=value, low=low, high=high, newest=WHEN
    )


TAXES = (tax("en", 0.0), tax("cs", 0.8), tax("de", 0.4))


def test_measured_costs_by_hand() -> None:
    """20,000 documents at 3 USD a thousand are 60 USD; mending a quarter of them adds 10,000 USD or 8,750 EUR."""
    (found,) = reckon("cs", 20_000, [cost("cs", 3.0), cost("en", 1.0)], TAXES, [EUR])
    assert not found.estimated
    assert found.cost == {"USD": 60.0, "EUR": 30.0}
    assert found.true_cost == {"USD": 10_060.0, "EUR": 8_780.0}
    assert (found.n, found.faulty_share, found.missing) == (100, 0.25, None)


def test_estimates_by_hand() -> None:
    """Czech costs half more at a tax of 80 %, so German at 40 % costs a quarter more, and has no true cost."""
    (found,) = reckon("de", 1000, [cost("cs", 3.0), cost("en", 2.0, n=50)], TAXES, [EUR])
    assert found.estimated
    assert found.cost == pytest.approx({"USD": 2.5, "EUR": 1.25})
    assert (found.true_cost, found.faulty_share, found.n) == ({}, None, 150)


@given(english=st.floats(0.001, 1000), czech=st.floats(0.001, 1000), tax_cs=st.floats(0.01, 3))
def test_estimates_agree_with_what_is_known(english: float, czech: float, tax_cs: float) -> None:
    """The formula gives back the cost of Czech for the Czech tax, and that of English for none."""
    assert estimated_usd(english, czech, tax_cs, tax_cs) == pytest.approx(czech)
    assert estimated_usd(english, czech, 0.0, tax_cs) == pytest.approx(english)


@pytest.mark.parametrize(
    ("costs", "taxes", "says"),
    [
        ([cost("cs", 3.0)], TAXES, "English documents is unknown"),
        ([cost("cs", None), cost("en", 2.0)], TAXES, "Czech documents is unknown"),
        ([cost("cs", 3.0), cost("en", 2.0)], TAXES[:2], "tax of de was not measured"),
        ([cost("cs", 3.0), cost("en", 2.0)], (tax("de", 0.4), tax("cs", None)), "tax of cs was not measured"),
        ([cost("cs", 3.0), cost("en", 2.0)], (tax("de", 0.4), tax("cs", 0.0)), "not one of tokens"),
        ([cost("cs", 3.0), cost("en", 0.0)], TAXES, "no markup"),
        (
            [cost("cs", 3.0), cost("en", 2.0)],
            (tax("de", 0.4), tax("cs", 0.01, interval=(-0.01, 0.03))),
            "cannot be told from zero",
        ),
    ],
)
def test_what_is_missing_is_said(costs: list[MeasuredCost], taxes: tuple[MeasuredTax, ...], says: str) -> None:
    """Where an estimate would rest on something unknown there is none, and the reason."""
    (found,) = reckon("de", 1000, costs, taxes)
    assert found.missing is not None
    assert says in found.missing
    assert (found.cost, found.true_cost) == ({}, {})


def test_an_unknown_cost_stays_unknown() -> None:
    """A measured cost of which a part is unknown gives neither cost nor true cost."""
    (found,) = reckon("cs", 1000, [cost("cs", None)], TAXES)
    assert (found.cost, found.true_cost, found.estimated) == ({}, {}, False)
    assert found.missing == "the cost of some document is unknown"


def test_unjudged_documents_have_no_true_cost() -> None:
    """Without a faulty share the cost stands and the true cost does not."""
    (found,) = reckon("cs", 1000, [cost("cs", 3.0, faulty_share=None)], TAXES)
    assert (found.cost, found.true_cost) == ({"USD": 3.0}, {})


def test_the_cheapest_comes_first() -> None:
    """Endpoints come by cost, those of unknown cost last, each by its own tax."""
    costs = [cost(language, usd, endpoint) for endpoint, usd in (("a", 9.0), ("b", 1.0)) for language in ("cs",)]
    found = reckon("cs", 1, [*costs, cost("cs", None, "c")], TAXES)
    assert [each.endpoint for each in found] == ["b", "a", "c"]
    assert all(isinstance(each, Reckoning) for each in found)
