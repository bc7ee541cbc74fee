"""Amounts that hang on tax rates: the pairs are what is compared, in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

from daemon.judging.office.amounts import misread, read_amount, read_rate
from daemon.judging.office.verdicts import INCOMPLETE, UNREADABLE, WRONG, Mistake
from schemas.office import RateAmount

_Pair = tuple[Decimal | None, Decimal | None]


def compare_rates(  # noqa: PLR0911  # one return a rule
    answer: object, truth: Sequence[RateAmount]
) -> Mistake | None:
    """Compare a list of ``{"rate", "amount"}``, or an object of amounts by rate, with the true pairs."""
    said = _read(answer)
    if said is None:
        return UNREADABLE
    true = Counter[_Pair]((each.rate, each.amount) for each in truth)
    if Counter(said) == true:
        return None
    rates, amounts = Counter(rate for rate, _ in said), Counter(amount for _, amount in said)
    true_rates = {each.rate: each.amount for each in truth}
    same_rates = rates == Counter(list(true_rates))
    if any(rate is not None and rate not in true_rates for rate in rates):
        return Mistake("wrong_tax_rate", "other_rates")
    if same_rates and amounts == Counter(each.amount for each in truth):
        return Mistake("wrong_tax_rate", "amounts_exchanged")
    if None in rates or None in amounts:
        return UNREADABLE
    if Counter(said) < true:
        return INCOMPLETE
    return (_misread(said, true_rates) if same_rates else None) or WRONG


def _read(answer: object) -> list[_Pair] | None:
    if isinstance(answer, dict):
        if "rate" in answer and "amount" in answer:  # a single one, out of its list
            return [(read_rate(answer["rate"]), read_amount(answer["amount"]))]
        return [(read_rate(rate), read_amount(amount)) for rate, amount in answer.items()]
    if not isinstance(answer, list):
        return None
    return [
        (read_rate(each.get("rate")), read_amount(each.get("amount"))) if isinstance(each, dict) else (None, None)
        for each in answer
    ]


def _misread(said: Sequence[_Pair], true: dict[Decimal, Decimal]) -> Mistake | None:
    """Say how the amounts were misread, if each wrong one was; the first by rate names the way."""
    ways = [
        misread(amount, true[rate])
        for rate, amount in sorted(said, key=repr)
        if rate is not None and amount is not None and amount != true[rate]
    ]
    return Mistake("number_format", ways[0]) if ways and all(ways) else None
