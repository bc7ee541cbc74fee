"""Amounts and tax rates as they are read."""

from __future__ import annotations

from decimal import Decimal

import pytest

from daemon.judging.office.amounts import misread, read_amount, read_rate

READ = [
    ("1.770,00", "1770"),
    ("1,770.00", "1770"),
    ("1 770,-", "1770"),
    ("1770", "1770"),
    ("1770.00", "1770"),
    ("1770,0", "1770"),
    ("1770.5", "1770.5"),
    ("1,770", "1770"),
    ("1.770", "1770"),
    ("12.345.678", "12345678"),
    ("12,345,678", "12345678"),
    ("12.345.678,9", "12345678.9"),
    ("12,345,678.90", "12345678.9"),
    ("1 770,00", "1770"),
    ("1\u00a0770,00", "1770"),
    ("1\u202f770,00", "1770"),
    ("1\u2009770.00", "1770"),
    ("1\u200b770\t", "1770"),
    ("1 770,00 Kč", "1770"),
    ("1770 Kc", "1770"),
    ("1 770,- Kč", "1770"),
    ("1770,\u2013 Kč", "1770"),
    ("1770,\u2014", "1770"),
    ("CZK 1,770.00", "1770"),
    ("$1,770.00", "1770"),
    ("US$ 1,770.00", "1770"),
    ("$1,770.00 USD", "1770"),
    ("1.770,00 €", "1770"),
    ("eur 1770", "1770"),
    ("£0.99", "0.99"),
    ("(1,210.00)", "-1210"),
    ("($1,210.00)", "-1210"),
    ("$(1,210.00)", "-1210"),
    ("1 210,00-", "-1210"),
    ("\u22121210", "-1210"),
    ("\u20131210", "-1210"),
    ("-1210", "-1210"),
    ("- 1 210,00 Kč", "-1210"),
    ("-$1,210.00", "-1210"),
    ("$-1,210.00", "-1210"),
    ("1 210,00 Kč-", "-1210"),
    ("-1210,-", "-1210"),
    ("+1210", "1210"),
    ("0", "0"),
    ("0,00", "0"),
    ("0001770", "1770"),
    (Decimal("1770.00"), "1770"),
    (Decimal("1.77E+3"), "1770"),
    (Decimal("1770.004"), "1770.004"),
]
UNREADABLE = [
    "abc",
    "1770 korun",
    "1,77,000",
    "1.7700",
    "1770.000",
    "1.770.00",
    "1,234.567",
    "1.234,567",
    "1,234.567.89",
    "1.234,56,78",
    "1234,567.00",
    "0.500",
    "01.000",
    "1770,",
    ".50",
    "1'770.00",
    "1e3",
    "--1210",
    "1210,--",
    "1210,-\u2212",
    "-1210-",
    "(-1210)",
    "(1210",
    "1210)",
    "()",
    "$$1210",
    "$US$1210",
    "1210 CZK Kč",
    "12 10 / 5",
    "١٢٣",  # digits of another script are the point
    "１７７０",  # noqa: RUF001  # the same
    "NaN",
    "Infinity",
    "1" * 65,
    True,
    None,
    ["1770"],
    {"amount": 1770},
]
RATES = [
    ("21", "21"),
    ("21 %", "21"),
    ("21%", "21"),
    ("21,0 %", "21"),
    ("8.875", "8.875"),
    ("8,875 %", "8.875"),
    ("0.21", "0.21"),
    (Decimal("8.25"), "8.25"),
    ("DPH 21", None),
    ("-21", None),
    ("1.234,5", None),
    ("21" * 40, None),
    (None, None),
    (True, None),
]


@pytest.mark.parametrize(("value", "amount"), READ)
def test_read(value: object, amount: str) -> None:
    """Both conventions, spaces of every kind, currency marks and every minus are read to the cent."""
    assert read_amount(value) == Decimal(amount)


@pytest.mark.parametrize("value", UNREADABLE, ids=repr)
def test_unreadable(value: object) -> None:
    """Whatever the rules do not name is unreadable, and nothing is guessed."""
    assert read_amount(value) is None


@pytest.mark.parametrize(("value", "rate"), RATES)
def test_rates(value: object, rate: str | None) -> None:
    """A rate is in per cent, its one separator always the decimal one."""
    assert read_rate(value) == (None if rate is None else Decimal(rate))


@pytest.mark.parametrize(
    ("answer", "truth", "way"),
    [
        ("1210", "-1210", "sign_lost"),
        ("-1210", "1210", "sign_lost"),
        ("177000", "1770.00", "power_of_ten"),
        ("1.77", "1770.00", "power_of_ten"),
        ("-17.7", "1770.00", "power_of_ten"),
        ("1770", "1770.00", None),
        ("1707", "1770.00", None),
        ("0", "1770.00", None),
        ("10", "0.00", None),
        ("1e999999999", "1.00", "power_of_ten"),
    ],
)
def test_misread(answer: str, truth: str, way: str | None) -> None:
    """A wrong amount with the right digits has lost its sign or is off by a power of ten."""
    assert misread(Decimal(answer), Decimal(truth)) == way
