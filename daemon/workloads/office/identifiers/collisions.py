"""Decoys and document numbers must be no identifier by accident: a random nine-digit number often is one.

Nine random digits pass as an EIN five times in six and as a birth number one time in seven, and nine digits are what
a social security number looks like, so whatever is drawn to look like a number of no importance is drawn until no
rule accepts it, and never has nine digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from daemon.workloads.office.identifiers import american, czech
from daemon.workloads.seeding import Draws

_TRIES = 200
_LATEST = date(2100, 1, 1)  # no birth date is "in the future" for a decoy: it must collide with none
_KEPT = re.compile(r"[0-9/-]+")


def collides(text: str) -> tuple[str, ...]:
    """Name the rules by which a text, or a run of digits in it, is a real identifier; empty if by none.

    Nine bare digits may be an EIN or an SSN, eight an IČO, nine or ten a birth number.
    """
    pieces = {text.replace(" ", ""), *(run.strip("-/") for run in _KEPT.findall(text.replace(" ", "")))}
    pieces |= {piece.replace("-", "").replace("/", "") for piece in pieces}
    rules: dict[str, Callable[[str], bool]] = {
        "ičo": czech.is_company_number,
        "dič": czech.is_vat_number,
        "birth number": _is_birth_number,
        "czech account": czech.is_account,
        "iban": czech.is_iban,
        "ein": american.is_ein,
        "routing": american.is_routing,
        "ssn": american.is_ssn,
    }
    return tuple(name for name, rule in rules.items() if any(rule(piece) for piece in sorted(pieces)))


def _is_birth_number(text: str) -> bool:
    """Those of nine digits too, which people born before 1954 have: a day and a serial, no check digit."""
    if re.fullmatch(r"[0-9]{6}/?[0-9]{3}", text) is None:
        return czech.is_birth_number(text, _LATEST)
    month, day = int(text[2:4]) % 50, int(text[4:6])
    return 1 <= month <= 12 and 1 <= day <= 31


def without_collision(draw: Callable[[Draws], str], draws: Draws) -> str:
    """Draw until no rule accepts it.

    Raises: RuntimeError if that does not end, because every number of this form is an identifier.
    """
    for _ in range(_TRIES):
        text = draw(draws)
        if not collides(text):
            return text
    raise RuntimeError(f"{_TRIES} decoys of one form all are identifiers, the last {text!r}; give them another form")
