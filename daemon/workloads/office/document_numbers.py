"""Numbers of orders, invoices, tickets and files: in many forms, and by no rule an identifier of a person or firm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from daemon.workloads.office.identifiers.collisions import without_collision
from daemon.workloads.seeding import Draws
from schemas.office import Language

NumberKind = Literal["order", "invoice", "ticket", "file"]

_FORMS: dict[NumberKind, tuple[tuple[str, str], ...]] = {
    "order": (
        ("OBJ-{year}-####", "PO-{year}-####"),
        ("{year}/0###", "{year}/0###"),
        ("O-###-####", "W-###-####"),
        ("00#####", "00#####"),
        ("ZAK####", "SO####"),
    ),
    "invoice": (
        ("FV-{year}-####", "INV-{year}-####"),
        ("{year}0###", "{year}0###"),
        ("F######", "F######"),
        ("{year}1#####", "{year}1#####"),
    ),
    "ticket": (("TIK-#####", "TKT-#####"), ("#HD-####", "#HD-####")),
    "file": (("OS-####", "HR-####"), ("D/####", "D/####")),
}
"""Pairs of Czech and English forms; each # is a digit, but for one in front of a letter."""


def forms(kind: NumberKind) -> int:
    """How many forms a kind has."""
    return len(_FORMS[kind])


def draw_number(draws: Draws, kind: NumberKind, form: int, language: Language, *, year: int) -> str:
    """Draw a number of a form that no rule takes for an identifier."""
    template = _FORMS[kind][form][0 if language == "cs" else 1].format(year=year)
    return without_collision(lambda source: _filled(template, source), draws)


def draw_other_number(
    draws: Draws, kind: NumberKind, form: int, language: Language, *, year: int, taken: Sequence[str]
) -> str:
    """Draw a number that is none of those taken."""
    while True:
        number = draw_number(draws, kind, form, language, year=year)
        if number not in taken:
            return number


def _filled(template: str, draws: Draws) -> str:
    following = (*template[1:], " ")
    return "".join(
        str(draws.below(10)) if sign == "#" and not after.isalpha() else sign
        for sign, after in zip(template, following, strict=True)
    )
