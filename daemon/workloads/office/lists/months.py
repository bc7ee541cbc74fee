"""Names of the months as dates have them: in Czech in the genitive."""

from __future__ import annotations

CZECH_MONTHS: tuple[str, ...] = (
    "ledna", "února", "března", "dubna", "května", "června", "července", "srpna", "září", "října", "listopadu",
    "prosince",
)  # fmt: skip

ENGLISH_MONTHS: tuple[str, ...] = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
