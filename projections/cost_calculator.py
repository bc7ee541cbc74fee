"""What a number of documents would cost: measured where there are documents in the language, else estimated. Pure.

cost_L = cost_en * (1 + markup_cs * tax_L / tax_cs), with markup_cs = cost_cs / cost_en - 1: what Czech documents cost
more than English ones, in proportion to the language tax. The ratio of tokens alone would exaggerate, because the
image of an invoice costs the same in every language. An estimate has no accuracy, and so no true cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from projections.queries.office_costs import MENDING


class MeasuredCost(msgspec.Struct, frozen=True, kw_only=True):
    """What a task was measured to cost with an endpoint, by the query ``office-costs``; None is unknown."""

    vantage: str
    endpoint: str
    language: str
    n: int
    cost_usd_1000: float | None
    faulty_share: float | None
    simulated: bool
    oldest: datetime
    newest: datetime


class MeasuredTax(msgspec.Struct, frozen=True, kw_only=True):
    """The language tax of an endpoint with its interval, by the query ``language-tax``; None is unknown."""

    vantage: str
    endpoint: str
    language: str
    tax: float | None
    low: float | None
    high: float | None
    newest: datetime


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """Units of ``quote`` for one USD, and the day that this is of."""

    quote: str
    rate: float
    day: str
    stated_by: str


class Reckoning(msgspec.Struct, frozen=True, kw_only=True):
    """What the documents would cost with one endpoint.

    estimated: made of other languages, shown with ≈. cost: by currency, USD and those with a rate; empty when it is
    unknown, and ``missing`` says why. true_cost: the same with a person who mends; empty for estimates.
    n: documents that it rests on; oldest, newest: when those were answered.
    """

    vantage: str
    endpoint: str
    estimated: bool
    simulated: bool
    n: int
    cost: Mapping[str, float]
    true_cost: Mapping[str, float]
    faulty_share: float | None
    missing: str | None
    oldest: datetime
    newest: datetime


def reckon(
    language: str,
    documents: int,
    costs: Sequence[MeasuredCost],
    taxes: Sequence[MeasuredTax],
    rates: Sequence[Rate] = (),
) -> tuple[Reckoning, ...]:
    """Reckon for each endpoint that the task was measured with, the cheapest first, unknown ones last."""
    by_place: dict[tuple[str, str], dict[str, MeasuredCost]] = {}
    for cost in costs:
        by_place.setdefault((cost.vantage, cost.endpoint), {})[cost.language] = cost
    tax_of = {(tax.vantage, tax.endpoint, tax.language): tax for tax in taxes}
    made = []
    for (vantage, endpoint), known in sorted(by_place.items()):
        if language in known:
            made.append(_measured(known[language], documents, rates))
        else:
            pair = [tax_of.get((vantage, endpoint, each)) for each in (language, "cs")]
            made.append(_estimated(language, documents, known, pair, rates))
    return tuple(
        sorted(
            made, key=lambda each: ("USD" not in each.cost, each.cost.get("USD", 0.0), each.endpoint, each.vantage)
        )
    )


def estimated_usd(cost_en: float, cost_cs: float, tax: float, tax_cs: float) -> float:
    """Estimate the cost in a language from those in English and Czech; ``ValueError`` where that says nothing."""
    if cost_en == 0:
        raise ValueError("English documents cost nothing, so there is no markup of Czech ones")
    if tax_cs == 0:
        raise ValueError("Czech takes as many tokens as English, so its markup is not one of tokens")
    markup_cs = cost_cs / cost_en - 1
    return cost_en * (1 + markup_cs * tax / tax_cs)


def _measured(cost: MeasuredCost, documents: int, rates: Sequence[Rate]) -> Reckoning:
    known = cost.cost_usd_1000
    usd = None if known is None else known / 1000 * documents
    mended = None if cost.faulty_share is None else cost.faulty_share * documents
    shown = {} if usd is None else _in_currencies(usd, rates)
    return Reckoning(
        vantage=cost.vantage,
        endpoint=cost.endpoint,
        estimated=False,
        simulated=cost.simulated,
        n=cost.n,
        cost=shown,
        true_cost={}
        if mended is None
        else {
            currency: value + mended * float(MENDING[currency])
            for currency, value in shown.items()
            if currency in MENDING
        },
        faulty_share=cost.faulty_share,
        missing=None if usd is not None else "the cost of some document is unknown",
        oldest=cost.oldest,
        newest=cost.newest,
    )


def _estimated(
    language: str,
    documents: int,
    known: Mapping[str, MeasuredCost],
    taxes: Sequence[MeasuredTax | None],
    rates: Sequence[Rate],
) -> Reckoning:
    some = next(iter(known.values()))
    usd, missing = None, None
    try:
        usd = _estimate(language, known, taxes) / 1000 * documents
    except ValueError as problem:
        missing = str(problem)
    return Reckoning(
        vantage=some.vantage,
        endpoint=some.endpoint,
        estimated=True,
        simulated=some.simulated,
        n=sum(each.n for each in known.values()),
        cost={} if usd is None else _in_currencies(usd, rates),
        true_cost={},
        faulty_share=None,
        missing=missing,
        oldest=min(each.oldest for each in known.values()),
        newest=max(each.newest for each in known.values()),
    )


def _estimate(language: str, known: Mapping[str, MeasuredCost], taxes: Sequence[MeasuredTax | None]) -> float:
    costs = {}
    for each, name in (("en", "English"), ("cs", "Czech")):
        cost = known[each].cost_usd_1000 if each in known else None
        if cost is None:
            raise ValueError(f"the cost of {name} documents is unknown")
        costs[each] = cost
    czech_tax = taxes[-1]
    if czech_tax is not None and _may_be_none(czech_tax):
        raise ValueError("the language tax of Czech cannot be told from zero, so its markup is not one of tokens")
    own, czech = (_known(each, tax) for each, tax in zip((language, "cs"), taxes, strict=True))
    return estimated_usd(costs["en"], costs["cs"], own, czech)


def _may_be_none(tax: MeasuredTax) -> bool:
    return tax.low is not None and tax.high is not None and tax.low <= 0 <= tax.high


def _known(language: str, tax: MeasuredTax | None) -> float:
    if tax is None or tax.tax is None:
        raise ValueError(f"the language tax of {language} was not measured")
    return tax.tax


def _in_currencies(usd: float, rates: Sequence[Rate]) -> dict[str, float]:
    return {"USD": usd, **{each.quote: usd * each.rate for each in rates}}
