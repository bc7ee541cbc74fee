"""Addresses, Czech and American."""

from __future__ import annotations

import msgspec

from daemon.workloads.office.lists.places import AMERICAN_STREETS, AMERICAN_TOWNS, CZECH_STREETS, CZECH_TOWNS
from daemon.workloads.seeding import Draws
from schemas.office import Language


class Address(msgspec.Struct, frozen=True):
    """A postal address. ``town_line`` has the postal code in the order of its country; state is empty in Czech."""

    street_line: str
    town_line: str
    town: str
    state: str = ""

    @property
    def line(self) -> str:
        """The address on one line: "Dlouhá 1234/12, 110 00 Praha 1"; "12 Maple Street, Peoria, IL 61602"."""
        return f"{self.street_line}, {self.town_line}"


def draw_address(draws: Draws, language: Language) -> Address:
    """Draw an address; a Czech one has a descriptive number and often a street number behind a slash."""
    if language == "cs":
        town, code = draws.pick(CZECH_TOWNS)
        number = str(draws.between(11, 2899))
        if draws.chance(0.5):
            number += f"/{draws.between(1, 98)}"
        return Address(f"{draws.pick(CZECH_STREETS)} {number}", f"{code} {town}", town)
    town, state, code = draws.pick(AMERICAN_TOWNS)
    street = f"{draws.between(10, 4990)} {draws.pick(AMERICAN_STREETS)}"
    if draws.chance(0.3):
        street += f", Suite {draws.between(100, 480)}"
    return Address(street, f"{town}, {state} {code}", town, state)
