"""Czech identifiers: IČO, DIČ, birth numbers, bank accounts and their IBANs, phones.

Sources: IČO, decree of the Czech Statistical Office (weights 8 to 2, modulo 11); birth numbers, Act 133/2000 Coll.,
section 13; accounts, decree 169/2011 Coll. (weights of both parts, modulo 11); IBAN, ISO 13616, ISO 7064.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Literal

from daemon.workloads.office.lists.czech_banks import BANKS
from daemon.workloads.seeding import Draws

Gender = Literal["female", "male"]

_ACCOUNT_WEIGHTS = (6, 3, 7, 9, 10, 5, 8, 4, 2, 1)
_ACCOUNT = re.compile(r"(?:([0-9]{1,6})-)?([0-9]{2,10})/([0-9]{4})")
_FIRST_TEN_DIGITS = date(1954, 1, 1)


def draw_company_number(draws: Draws) -> str:
    """Draw an IČO: eight digits, the last a check digit; a fifth begin with a zero, as old ones do."""
    body = ("0" if draws.chance(0.2) else str(draws.between(1, 8))) + draws.characters("0123456789", 6)
    return body + _company_check_digit(body)


def is_company_number(text: str) -> bool:
    """Whether this is an IČO: exactly eight digits with a right check digit."""
    return re.fullmatch(r"[0-9]{8}", text) is not None and text[7] == _company_check_digit(text) and text != "0" * 8


def vat_number(company_number: str) -> str:
    """Make a company's DIČ of its IČO. A person's would contain a birth number, so there are none of those."""
    return f"CZ{company_number}"


def is_vat_number(text: str) -> bool:
    """Whether this is a company's DIČ: CZ and its IČO."""
    return text.startswith("CZ") and is_company_number(text[2:])


def draw_birth_number(draws: Draws, born: date, gender: Gender) -> str:
    """Draw the birth number of a person born on this day, 1954 or later, as "YYMMDD/SSSC".

    Ten digits, divisible by eleven; a woman's month has 50 added. Months with another 20 added, and check digits of
    remainder 10, are real and rare; none are drawn.
    """
    if born < _FIRST_TEN_DIGITS:
        raise ValueError(f"{born}: birth numbers of ten digits begin in 1954; draw a later day")
    day = f"{born:%y}{born.month + (50 if gender == 'female' else 0):02}{born:%d}"
    while True:
        serial = draws.between(1, 999)
        check = int(f"{day}{serial:03}") % 11
        if check < 10:
            return f"{day}/{serial:03}{check}"


def is_birth_number(text: str, today: date) -> bool:
    """Whether this is a birth number of ten digits, with or without its slash, of a day up to ``today``.

    Stricter than what is in use: no nine digits (before 1954), months 21-32 and 71-82 from 2004 on only, and
    remainder 10 (last digit 0) up to 1985 only.
    """
    found = re.fullmatch(r"([0-9]{2})([0-9]{2})([0-9]{2})/?([0-9]{3})([0-9])", text)
    if found is None:
        return False
    short_year, month, day = (int(part) for part in found.groups()[:3])
    year = short_year + (1900 if short_year >= 54 else 2000)
    if month > 50:
        month -= 50
    if 20 < month <= 32 and year >= 2004:
        month -= 20
    try:
        born = date(year, month, day)
    except ValueError:
        return False
    remainder = int("".join(found.groups()[:4])) % 11
    last = int(found[5])
    return born <= today and (last == remainder or (remainder == 10 and last == 0 and year <= 1985))


def draw_birth_date(draws: Draws, youngest: date, oldest: date) -> date:
    """Draw a day between two, both included; never before 1954."""
    first = max(oldest, _FIRST_TEN_DIGITS)
    return first + timedelta(days=draws.between(0, (youngest - first).days))


def draw_account(draws: Draws, bank_code: str | None = None) -> str:
    """Draw an account number "[prefix-]number/bank", as it is written: without leading zeros."""
    code = bank_code or draws.pick(BANKS).code
    prefix = ""
    if draws.chance(0.3):
        prefix = f"{_account_part(draws, draws.between(2, 5))}-"
    return f"{prefix}{_account_part(draws, draws.pick((9, 10, 10, 10)))}/{code}"


def is_account(text: str) -> bool:
    """Whether this is an account number: both parts pass the check, the bank exists, the number is not all zeros."""
    found = _ACCOUNT.fullmatch(text)
    return (
        found is not None
        and _account_sum(found[1] or "0") == 0
        and _account_sum(found[2]) == 0
        and sum(digit != "0" for digit in found[2]) >= 2
        and any(bank.code == found[3] for bank in BANKS)
    )


def iban_of(account: str) -> str:
    """Make an account's IBAN, without spaces."""
    found = _ACCOUNT.fullmatch(account)
    if found is None:
        raise ValueError(f"{account!r} is no Czech account number; give [prefix-]number/bank")
    inner = f"{found[3]}{(found[1] or '').zfill(6)}{found[2].zfill(10)}"
    return f"CZ{98 - int(inner + '123500') % 97:02}{inner}"  # C is 12, Z is 35


def is_iban(text: str) -> bool:
    """Whether this is a Czech IBAN whose inner account is one too; without spaces."""
    if re.fullmatch(r"CZ[0-9]{22}", text) is None:
        return False
    prefix, number = text[8:14].lstrip("0"), text[14:].lstrip("0")
    account = f"{prefix}-{number}/{text[4:8]}" if prefix else f"{number}/{text[4:8]}"
    return is_account(account) and iban_of(account) == text


def grouped_iban(iban: str) -> str:
    """Write an IBAN as documents do: in groups of four."""
    return " ".join(iban[start : start + 4] for start in range(0, len(iban), 4))


def draw_phone(draws: Draws) -> str:
    """Draw a Czech phone "+420 555 01x xxx". The Czech plan sets none aside for fiction, so it is as in America."""
    return f"+420 555 01{draws.between(0, 9)} {draws.between(0, 999):03}"


def _company_check_digit(digits: str) -> str:
    remainder = sum(weight * int(digit) for weight, digit in zip(range(8, 1, -1), digits, strict=False)) % 11
    return str((11 - remainder) % 10) if remainder else "1"


def _account_sum(digits: str) -> int:
    padded = digits.zfill(10)
    return sum(weight * int(digit) for weight, digit in zip(_ACCOUNT_WEIGHTS, padded, strict=True)) % 11


def _account_part(draws: Draws, length: int) -> str:
    """Draw digits of this length that do not begin with zero and pass the check; the last weight is 1."""
    while True:
        body = str(draws.between(1, 9)) + draws.characters("0123456789", length - 2)
        check = (11 - _account_sum(f"{body}0")) % 11
        if check < 10 and (check or any(digit != "0" for digit in body[1:])):
            return f"{body}{check}"
