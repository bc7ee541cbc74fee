"""The form of a table of public benchmarks: models in its columns, benchmarks in its rows, percentages in its cells.

Whether a table may be shown is decided where it is read (:mod:`schemas.benchmarks.reading`).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

import msgspec

Kebab = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9]+([-.][a-z0-9]+)*$")]
"""An id in lower case; versions in it keep their dots."""
Text = Annotated[str, msgspec.Meta(pattern=r"\S")]
Day = Annotated[str, msgspec.Meta(pattern=r"^\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?$")]
"""A month or a day, as precise as the source says it: ``2026-09`` or ``2026-09-14``."""
Measurer = Literal["vendor", "independent"]
"""Who measured: the maker of one of the models, or somebody else."""


class Words(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The same words in both languages of the catalogues."""

    de: Text
    en: Text


class BenchmarkSource(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where figures were published.

    as_of: the state that the source gives for its figures, a month or a day; a table without it is refused.
    url: where it can be read, where that is known.
    """

    id: Kebab
    title: Words
    measured_by: Measurer
    as_of: Day | None = None
    url: str | None = None


class BenchmarkRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One benchmark.

    source: id of the source that gave this row.
    figures: percent by model; a model that is not there has no published figure.
    """

    benchmark: Text
    description: Words
    source: Kebab
    figures: dict[str, Decimal]

    def figure(self, model: str) -> Decimal | None:
        """Return a model's figure in percent, None where none was published."""
        return self.figures.get(model)

    @property
    def best(self) -> tuple[str, ...]:
        """The models with the highest figure: several where they are level, none in an empty row."""
        highest = max(self.figures.values(), default=None)
        return tuple(model for model, figure in self.figures.items() if figure == highest)


class BenchmarkTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table that may be shown: all of it from one dated source.

    models: the columns, in the source's order. as_of: the source's date, which is always known here.
    """

    id: str
    title: Words
    source: BenchmarkSource
    as_of: str
    models: tuple[str, ...]
    rows: tuple[BenchmarkRow, ...]
