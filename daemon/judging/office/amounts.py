"""Amounts and tax rates: what a text or a JSON number says in Decimal, and how an amount can be misread."""

from __future__ import annotations

import re
from decimal import Decimal

from daemon.judging.office.text import as_identifier
from schemas.office import SubCode

_LONGEST = 64  # characters; whatever is longer is no amount

_MINUS = str.maketrans("\u2212\u2013", "--")
_MARK = r"(?:US\$|USD|CZK|EUR|GBP|PLN|HUF|CHF|Kč|Kc|zł|[$€£])"
_AMOUNT = re.compile(
    rf"(?P<mark0>{_MARK})?(?P<open>\()?(?P<sign0>[-+])?(?P<mark1>{_MARK})?(?P<sign1>[-+])?"
    rf"(?P<body>[0-9][0-9.,]*?)(?P<dash>,[-\u2014])?"
    rf"(?P<sign2>-)?(?P<mark2>{_MARK})?(?P<sign3>-)?(?P<close>\))?(?P<mark3>{_MARK})?",
    re.IGNORECASE,
)
_RATE = re.compile(r"([0-9]{1,3})(?:[.,]([0-9]{1,4}))?%?")


def read_amount(value: object) -> Decimal | None:
    """Read an amount, or None for what is unreadable; a number is its value.

    White space of every kind and one currency mark a side go away, and so does a closing ``,-``. Minus is U+002D,
    U+2212 or U+2013, before or behind, or parentheses around. Two kinds of separator: the last is the decimal one,
    with one or two digits behind it. One kind, repeated: groups of three. One kind, once: one or two digits behind
    it are decimals, three are a group.
    """
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    found = _AMOUNT.fullmatch(as_identifier(value).translate(_MINUS))
    if found is None:
        return None
    part = found.groupdict()
    signs = [part[name] for name in ("sign0", "sign1", "sign2", "sign3") if part[name]]
    bracketed = part["open"] is not None
    # "1 210,--" is minus to one and no cents to another, so it is neither.
    twice = part["dash"] and part["sign2"]
    before = [part["mark0"], part["mark1"]]
    behind = [part["mark2"], part["mark3"]]
    if bracketed != (part["close"] is not None) or len(signs) + bracketed > 1 or all(before) or all(behind) or twice:
        return None
    size = _size(part["body"])
    if size is None:
        return None
    return size.copy_negate() if bracketed or signs == ["-"] else size


def read_rate(value: object) -> Decimal | None:
    """Read a tax rate in per cent; one separator is always the decimal one: 8.875 is no thousands."""
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    found = _RATE.fullmatch(as_identifier(value))
    return None if found is None else Decimal(f"{found[1]}.{found[2] or 0}")


def misread(answer: Decimal, truth: Decimal) -> SubCode | None:
    """Say in which way a wrong amount has the digits of the right one: sign lost, or off by a power of ten."""
    if not answer or not truth or answer == truth:
        return None
    if answer == truth.copy_negate():
        return "sign_lost"
    return "power_of_ten" if _digits(answer) == _digits(truth) else None


def _size(body: str) -> Decimal | None:
    separators = [each for each in body if each in ".,"]
    if not separators:
        return Decimal(body)
    last = separators[-1]
    whole, _, rest = body.rpartition(last)
    if len(set(separators)) == 2:
        groups = whole.split("," if last == "." else ".")
        cents = rest
        if separators.count(last) > 1 or not 1 <= len(cents) <= 2:
            return None
    elif len(separators) == 1 and 1 <= len(rest) <= 2:
        return Decimal(f"{whole}.{rest}")
    else:
        groups, cents = body.split(last), "0"
    if not _are_groups(groups):
        return None
    return Decimal(f"{''.join(groups)}.{cents}")


def _are_groups(groups: list[str]) -> bool:
    first, *others = groups
    return 1 <= len(first) <= 3 and first[0] != "0" and all(len(each) == 3 for each in others)


def _digits(amount: Decimal) -> str:
    return "".join(map(str, amount.as_tuple().digits)).strip("0")
