"""American identifiers: EIN, ABA routing numbers and accounts, SSNs that were never issued, phones of fiction.

Sources: EIN prefixes, the Internal Revenue Service's list; ABA routing, weights 3, 7, 1 modulo 10 and the Federal
Reserve's prefixes; SSNs, the Social Security Administration (9xx is never issued) and 26 CFR 301.6109-1 (ITINs: 9xx
with middle digits from 50 on, hence none of those); phones, NANPA: 555-0100 to 555-0199 are for fiction.
"""

from __future__ import annotations

import re

from daemon.workloads.seeding import Draws

EIN_PREFIXES: tuple[str, ...] = tuple(
    "01 02 03 04 05 06 10 11 12 13 14 15 16 20 21 22 23 24 25 26 27 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 "
    "46 47 48 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 71 72 73 74 75 76 77 80 81 82 83 84 85 86 87 "
    "88 90 91 92 93 94 95 98 99".split()
)
_ROUTING_PREFIXES = (*range(13), *range(21, 33), *range(61, 73), 80)
_BANK_PREFIXES = (*range(1, 13), *range(21, 33))
"""Of ordinary banks; 00 is the government's, 61-72 are electronic only and 80 is for traveller's cheques."""
_AREA_CODES = (
    "205 213 214 216 218 224 228 234 253 262 270 281 303 304 309 312 316 330 334 360 401 402 405 412 413 417 419 425 "
    "440 501 503 507 509 512 513 515 518 540 563 570 603 605 608 612 614 615 617 701 704 712 715 717 718 803 814 815"
).split()


def draw_ein(draws: Draws) -> str:
    """Draw an employer identification number, "NN-NNNNNNN", with an assigned prefix."""
    return f"{draws.pick(EIN_PREFIXES)}-{draws.between(1, 9_999_999):07}"


def is_ein(text: str) -> bool:
    """Whether this is an EIN, with or without its hyphen; there is no check digit."""
    return re.fullmatch(r"[0-9]{2}-?[0-9]{7}", text) is not None and text[:2] in EIN_PREFIXES


def draw_routing(draws: Draws) -> str:
    """Draw an ABA routing number of nine digits with an ordinary bank's prefix and a right check digit."""
    body = f"{draws.pick(_BANK_PREFIXES):02}{draws.characters('0123456789', 6)}"
    return body + str(-_routing_sum(body) % 10)


def is_routing(text: str) -> bool:
    """Whether this is an ABA routing number: nine digits, a valid prefix, a right check digit."""
    return (
        re.fullmatch(r"[0-9]{9}", text) is not None
        and int(text[:2]) in _ROUTING_PREFIXES
        and _routing_sum(text) % 10 == 0
        and text != "0" * 9
    )


def draw_account(draws: Draws) -> str:
    """Draw an account number of 10 to 12 digits, which begins with no zero and is no other identifier by length."""
    return str(draws.between(1, 9)) + draws.characters("0123456789", draws.between(9, 11))


def draw_ssn(draws: Draws) -> str:
    """Draw a social security number "9NN-GG-SSSS", never issued; groups 01 to 49, so that it is no ITIN."""
    return f"9{draws.between(0, 99):02}-{draws.between(1, 49):02}-{draws.between(1, 9999):04}"


def is_ssn(text: str) -> bool:
    """Whether this has a social security number's form, issued or not; nine bare digits are one too."""
    found = re.fullmatch(r"([0-9]{3})(-?)([0-9]{2})\2([0-9]{4})", text)
    return found is not None and found[1] not in {"000", "666"} and found[3] != "00" and found[4] != "0000"


def draw_phone(draws: Draws) -> str:
    """Draw a phone of fiction, "(NXX) 555-01xx"."""
    return f"({draws.pick(_AREA_CODES)}) 555-01{draws.between(0, 99):02}"


def _routing_sum(digits: str) -> int:
    return sum(weight * int(digit) for weight, digit in zip((3, 7, 1) * 3, digits, strict=False))
