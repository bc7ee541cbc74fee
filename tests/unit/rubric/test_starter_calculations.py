"""The starter catalogue's computed results, worked out again from the numbers of the facts.

What comes from the facts must stand there in both languages; what comes from a statute has its provision beside it.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Literal, NamedTuple

import pytest

from daemon.workloads.rubric.loading import LoadedCatalogue, load_catalogue
from daemon.workloads.rubric.starter import STARTER
from daemon.workloads.rubric.values import values
from schemas.rubric.task import RubricTask

LANGUAGES: tuple[Literal["de", "en"], ...] = ("de", "en")
MONTHS = {
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),  # noqa: SIM905  # reads best as words
    "en": "January February March April May June July August September October November December".split(),  # noqa: SIM905  # the same
}
WORDS = {
    "de": {2: "zwei", 5: "fünf", 6: "sechs", 8: "acht", 13: "dreizehn"},
    "en": {2: "two", 5: "five", 6: "six", 8: "eight", 13: "thirteen"},
}


class Month(NamedTuple):
    year: int
    month: int


Value = Decimal | date | Month


class Case(NamedTuple):
    """facts: what the calculation starts from. results: what it arrives at, by criterion."""

    facts: tuple[Value, ...]
    results: Mapping[str, Value]


def euros(value: Decimal) -> Decimal:
    return value.quantize(Decimal("0.01"))


def written(value: Value, language: Literal["de", "en"]) -> str:
    """Make the pattern of a value as the language writes it; counts of the facts may be words."""
    match value:
        case date():
            stop = r"\." if language == "de" else ""
            return rf"\b{value.day}{stop} {MONTHS[language][value.month - 1]} {value.year}\b"
        case Month():
            return rf"(?<!\d )(?<!\. ){MONTHS[language][value.month - 1]} {value.year}\b"
        case _:
            text = f"{value:,}"
            digits = re.escape(text.translate(str.maketrans(",.", ".,")) if language == "de" else text)
            whole = value == value.to_integral_value()
            word = WORDS[language].get(int(value)) if whole else None
            return rf"(?<![\w.,]){digits}(?!\d|[.,]\d)" + (rf"|\b{word}\b" if word else "")


def months_later(day: date, months: int) -> date:
    """§ 188(2) BGB: the day of that number; § 188(3) BGB: in a shorter month its last day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def end_of_month(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])


def working_day(day: date) -> date:
    """§ 193 BGB, § 108(3) AO: a time limit that ends on a weekend ends on the next working day."""
    while day.weekday() >= 5:
        day += timedelta(days=1)
    return day


def vat_reverse_charge() -> Case:
    windows, doors, window, door, rate = map(Decimal, ("24", "2", "1450", "1800", "19"))
    accepted, issued = date(2026, 4, 17), date(2026, 4, 30)
    price = windows * window + doors * door
    tax = price * rate / 100
    arises = min(issued, end_of_month(months_later(accepted, 1)))  # § 13b(2) UStG
    filed = working_day(end_of_month(arises) + timedelta(days=10))  # § 18(1) UStG: the tenth day after the period
    return Case(
        facts=(windows, doors, window, door, rate, accepted, issued),
        results={
            "invoice-amount": euros(price),
            "tax-amount": euros(tax),
            "tax-arises": arises,
            "return-deadline": filed,
            "nothing-left-to-pay": euros(tax - tax),  # § 15(1) sentence 1 no. 4 UStG: deducted in full
        },
    )


def vat_small_business() -> Case:
    last_year, this_year, september, october, rate = map(Decimal, ("24600", "88000", "15000", "8000", "19"))
    computer, computer_tax, instrument, instrument_tax = map(Decimal, ("952", "152", "1190", "190"))
    assert last_year <= 25_000  # § 19(1) UStG
    assert this_year <= 100_000 < this_year + september / (1 + rate / 100)  # even if the tax were inside the price
    assert (computer - computer_tax) * rate / 100 == computer_tax <= 1_000  # § 44(1) UStDV: no adjustment
    assert (instrument - instrument_tax) * rate / 100 == instrument_tax
    taxes = [september * rate / 100, october * rate / 100]
    return Case(
        facts=(
            *(last_year, this_year, september, october, rate),
            *(computer, computer_tax, instrument, instrument_tax, date(2026, 9, 14), date(2026, 10, 20)),
        ),
        results={
            "tax-of-september": euros(taxes[0]),
            "tax-of-october": euros(taxes[1]),
            "output-tax": euros(sum(taxes, Decimal())),
            "payable": euros(sum(taxes, Decimal()) - instrument_tax),
        },
    )


def labour_notice_period() -> Case:
    began, received = date(2016, 3, 1), date(2026, 3, 28)
    years = received.year - began.year - ((received.month, received.day) < (began.month, began.day))
    steps = {2: 1, 5: 2, 8: 3, 10: 4, 12: 5, 15: 6, 20: 7}  # § 622(2) BGB: months of notice by years of service
    months = max(months for least, months in steps.items() if years >= least)
    return Case(
        facts=(began, received),
        results={
            "day-of-receipt": received,
            "four-months": Decimal(months),
            "end-of-employment": end_of_month(months_later(received, months)),
            "last-day-to-claim": working_day(received + timedelta(weeks=3)),  # § 4 sentence 1 KSchG
        },
    )


def labour_leave_payout() -> Case:
    statutory, further, taken, days_a_week, weeks = map(Decimal, ("20", "9", "12", "5", "13"))
    salary, leaves = Decimal(11700), date(2026, 8, 31)
    additional = days_a_week  # § 208(1) SGB IX: five days with a five-day week
    earned = further * leaves.month / 12
    total = statutory + additional + earned  # § 5(1)(c) BUrlG: no twelfths in the second half of the year
    left = total - taken
    a_day = salary / (weeks * days_a_week)  # § 11(1) BUrlG
    return Case(
        facts=(statutory, further, taken, days_a_week, weeks, salary, leaves),
        results={
            "statutory-leave-in-full": statutory,
            "additional-leave-in-full": additional,
            "contractual-leave-by-twelfths": earned,
            "days-in-total": total,
            "days-left": left,
            "pay-per-day": euros(a_day),
            "payout": euros(left * a_day),
        },
    )


def bookkeeping_machine() -> Case:
    price, discount, freight, foundation = map(Decimal, ("96000", "2", "1450", "2870"))
    training, interest, posted, years = map(Decimal, ("1800", "620", "102740", "8"))
    assembled = date(2026, 4, 14)
    assert posted == price + freight + foundation + training + interest
    off = price * discount / 100
    cost = price - off + freight + foundation  # § 255(1) HGB
    a_year = cost / years
    months = 13 - assembled.month  # § 7(1) sentence 4 EStG: one twelfth off for each full month before
    charged = a_year * months / 12
    return Case(
        facts=(price, discount, freight, foundation, training, interest, posted, years, assembled),
        results={
            "cash-discount": euros(off),
            "cost-of-acquisition": euros(cost),
            "annual-amount": euros(a_year),
            "first-month": Month(assembled.year, assembled.month),
            "pro-rata": Decimal(months),
            "depreciation-2026": euros(charged),
            "book-value": euros(cost - charged),
            "overstatement": euros(posted - cost),
        },
    )


def bookkeeping_year_end() -> Case:
    premium, tax, paid, rent, loan, rate = map(Decimal, ("6000", "1140", "7140", "4500", "80000", "5"))
    assert (premium + tax, premium * 19 / 100) == (paid, tax)
    prepaid = paid * 9 / 12  # January to September
    insurance = paid - prepaid
    deferred = rent * 2 / 3  # January and February
    interest = loan * rate / 100 * 3 / 12
    return Case(
        facts=(premium, tax, paid, rent, loan, rate),
        results={
            "prepaid-insurance": euros(prepaid),
            "insurance-expense": euros(insurance),
            "deferred-rent": euros(deferred),
            "rent-income": euros(rent - deferred),
            "interest-expense": euros(interest),
            "change-of-profit": euros((premium - insurance) - deferred - interest),
        },
    )


def structural_steel_beam() -> Case:
    span, spacing, permanent, imposed = map(Decimal, ("6.00", "2.40", "4.40", "2.80"))  # m, m, kN/m², kN/m²
    on_permanent, on_variable, yields, modulus = map(Decimal, ("1.35", "1.50", "355", "210000"))  # N/mm²
    sections = {  # kN/m, cm³, cm⁴
        270: (Decimal("0.36"), Decimal(429), Decimal(5790)),
        300: (Decimal("0.42"), Decimal(557), Decimal(8360)),
        330: (Decimal("0.49"), Decimal(713), Decimal(11770)),
    }
    limit = span * 1000 / 300
    variable = imposed * spacing
    own, loads, moments, stresses, deflections = {}, {}, {}, {}, {}
    for name, (weight, resistance, inertia) in sections.items():
        own[name] = permanent * spacing + weight
        loads[name] = on_permanent * own[name] + on_variable * variable
        moments[name] = loads[name] * span**2 / 8
        stresses[name] = moments[name] * 10**6 / (resistance * 10**3)
        # 5 q L⁴ / (384 E I) in N and mm; a kN/m is an N/mm.
        deflections[name] = 5 * (own[name] + variable) * (span * 1000) ** 4 / (384 * modulus * inertia * 10**4)
    assert [name for name in sections if stresses[name] > yields] == []
    assert [name for name in sections if deflections[name] > limit] == [270]  # so that 300 is the smallest
    one, two = Decimal("0.1"), Decimal("0.01")
    return Case(
        facts=(
            *(span, spacing, permanent, imposed, on_permanent, on_variable, yields, modulus),
            *(number for section in sections.values() for number in section),
        ),
        results={
            "permanent-load": own[270].quantize(two),
            "variable-load": variable.quantize(two),
            "design-load": loads[270].quantize(two),
            "design-moment": moments[270].quantize(one),
            "stress-270": stresses[270].quantize(one),
            "deflection-270": deflections[270].quantize(one),
            "deflection-limit": limit.quantize(one),
            "deflection-300": deflections[300].quantize(one),
            "stress-300": stresses[300].quantize(one),
        },
    )


def structural_concrete_beam() -> Case:
    span, width, depth, effective = map(Decimal, ("5.50", "300", "500", "450"))  # m, mm, mm, mm
    concrete, steel, permanent, variable, weight = map(Decimal, ("25", "500", "18.0", "12.0", "25"))
    on_permanent, on_actions, on_steel, long_term = map(Decimal, ("1.35", "1.50", "1.15", "0.85"))
    block = Decimal(80) / 100
    own = width / 1000 * depth / 1000 * weight
    load = on_permanent * (permanent + own) + on_actions * variable
    moment = load * span**2 / 8
    concrete_design, steel_design = long_term * concrete / on_actions, steel / on_steel
    relative = moment * 10**6 / (width * effective**2 * concrete_design)
    ratio = 1 - (1 - 2 * relative).sqrt()  # equilibrium of a rectangular block with the steel's force
    zone = ratio / block * effective
    required = ratio * width * effective * concrete_design / steel_design / 100  # cm²
    # The steel yields: its strain at 3.5 per mille in the concrete is above that of yielding, with E = 200,000 N/mm².
    assert Decimal("0.0035") * (effective - zone) / zone > steel_design / 200_000
    pi = Decimal("3.14159265")
    areas = {(bars, across): bars * pi * across**2 / 400 for bars, across in ((3, 20), (5, 16), (4, 20))}
    assert [cage for cage, area in areas.items() if area >= required] == [(4, 20)]
    assert 3 < (required / areas[5, 16] - 1) * 100 < Decimal("3.5")  # the foreman's "some 3 per cent"
    one, two = Decimal("0.1"), Decimal("0.01")
    return Case(
        facts=(
            *(span, width, depth, effective, concrete, steel, permanent, variable, weight),
            *(on_permanent, on_actions, on_steel, long_term, Decimal(80)),
            *(Decimal(number) for cage in areas for number in cage),
        ),
        results={
            "own-weight": own.quantize(two),
            "design-load": load.quantize(two),
            "design-moment": moment.quantize(one),
            "concrete-strength": concrete_design.quantize(two),
            "steel-strength": steel_design.quantize(one),
            "compression-zone": zone.quantize(Decimal(1)),
            "required-area": required.quantize(two),
            "area-of-five": areas[5, 16].quantize(two),
            "area-of-four": areas[4, 20].quantize(two),
        },
    )


CASES: Mapping[str, Callable[[], Case]] = {
    "vat-reverse-charge": vat_reverse_charge,
    "vat-small-business": vat_small_business,
    "labour-notice-period": labour_notice_period,
    "labour-leave-payout": labour_leave_payout,
    "bookkeeping-machine": bookkeeping_machine,
    "bookkeeping-year-end": bookkeeping_year_end,
    "structural-steel-beam": structural_steel_beam,
    "structural-concrete-beam": structural_concrete_beam,
}


@pytest.fixture(scope="module")
def catalogue() -> LoadedCatalogue:
    return load_catalogue(STARTER)


def task_of(catalogue: LoadedCatalogue, task: str, language: Literal["de", "en"]) -> RubricTask:
    loaded = catalogue.task(task, language)
    assert loaded is not None
    return loaded.task


def test_every_task_is_worked_out(catalogue: LoadedCatalogue) -> None:
    """No task of the catalogue is without a calculation here, and no calculation is of a task that has gone."""
    assert {each.task.id for each in catalogue.tasks} == set(CASES)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("task", CASES)
class TestCalculations:
    def test_starts_from_the_facts(
        self, catalogue: LoadedCatalogue, task: str, language: Literal["de", "en"]
    ) -> None:
        """Each number that the calculation starts from stands in the facts."""
        facts = task_of(catalogue, task, language).facts
        missing = [value for value in CASES[task]().facts if not re.search(written(value, language), facts)]
        assert missing == []

    def test_arrives_at_each_result(
        self, catalogue: LoadedCatalogue, task: str, language: Literal["de", "en"]
    ) -> None:
        """Each criterion marked as a result states the value worked out, and so do the solution's words for it."""
        found = task_of(catalogue, task, language)
        results = CASES[task]().results
        assert {each.id for each in found.criteria if each.result} == set(results)
        for each in found.criteria:
            if each.result:
                pattern = written(results[each.id], language)
                assert re.search(pattern, each.statement), (each.id, pattern)
                assert any(re.search(pattern, quote) for quote in each.found), (each.id, pattern)

    def test_gives_no_end_result_away(
        self, catalogue: LoadedCatalogue, task: str, language: Literal["de", "en"]
    ) -> None:
        """No critical result can be read off the facts or the question."""
        found = task_of(catalogue, task, language)
        told = values(found.facts + found.question, language)
        for each in found.criteria:
            if each.result and each.critical:
                # "2026" in "for 2026" is no result; the value itself is what must not be there.
                assert not re.search(written(CASES[task]().results[each.id], language), found.facts + found.question)
                assert values(each.statement, language) - told, each.id


@pytest.mark.parametrize(
    ("value", "language", "text", "stands"),
    [
        (Decimal("7296.00"), "de", "sind 7.296,00 €.", True),
        (Decimal("7296.00"), "en", "is EUR 7,296.00.", True),
        (Decimal("7296.00"), "de", "is EUR 7,296.00.", False),
        (Decimal("296.00"), "de", "sind 7.296,00 €", False),
        (Decimal("7.2"), "en", "is 7.25 mm", False),
        (Decimal(8), "de", "über acht Jahre", True),
        (date(2026, 4, 20), "de", "am 20. April 2026", True),
        (date(2026, 4, 20), "en", "on 20 April 2025", False),
        (date(2026, 4, 2), "en", "on 12 April 2026", False),
        (Month(2026, 4), "de", "im April 2026", True),
        (Month(2026, 4), "de", "am 14. April 2026", False),
    ],
)
def test_values_are_recognised(value: Value, language: Literal["de", "en"], text: str, *, stands: bool) -> None:
    """The search above finds a value in its language's form alone, and not inside another one."""
    assert bool(re.search(written(value, language), text)) == stands
