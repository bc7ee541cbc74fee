"""Reading tables of public benchmarks, and refusing those whose rows would not compare."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal

import msgspec

from schemas.benchmarks.table import BenchmarkRow, BenchmarkSource, BenchmarkTable, Kebab, Text, Words
from schemas.errors import ConfigurationError


class BenchmarkTableError(ConfigurationError):
    """A table of public benchmarks cannot be shown as it is written."""


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a file says; sources are a list so that a second one can be seen and refused."""

    format: Literal[1]
    id: Kebab
    title: Words
    models: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]
    source: tuple[BenchmarkSource, ...]
    row: Annotated[tuple[BenchmarkRow, ...], msgspec.Meta(min_length=1)]


def read_table(data: bytes, name: str) -> BenchmarkTable:
    """Read one table from a file's bytes; ``name`` is what messages call the file.

    Raises BenchmarkTableError for another form, for none or several sources, for a source without a date, for a
    benchmark that stands there twice, for figures of models that are no columns, and for what is no percentage.
    """
    try:
        file = msgspec.toml.decode(data, type=_File)
    except msgspec.DecodeError as error:
        raise BenchmarkTableError(f"{name}: {error}; write it in the form of the tables beside it") from error
    source, as_of = _only_source(file, name)
    if len(set(file.models)) != len(file.models):
        raise BenchmarkTableError(f"{name}, models: a model is there twice; name each column once")
    seen: set[str] = set()
    for row in file.row:
        place = f"{name}, row {row.benchmark!r}"
        if row.benchmark in seen:
            raise BenchmarkTableError(f"{place}: it is there twice; keep one, or name what differs")
        seen.add(row.benchmark)
        if strangers := set(row.figures) - set(file.models):
            raise BenchmarkTableError(
                f"{place}: figures of {', '.join(sorted(strangers))}, which is no column; add it to models"
            )
        if wrong := [figure for figure in row.figures.values() if not _is_percentage(figure)]:
            raise BenchmarkTableError(f"{place}: figures are percentages from 0 to 100; correct {wrong[0]}")
    return BenchmarkTable(id=file.id, title=file.title, source=source, as_of=as_of, models=file.models, rows=file.row)


@cache
def benchmark_tables() -> tuple[BenchmarkTable, ...]:
    """Return every table that ships with Messwerk, the newest first, by id where two are equally old."""
    found = [
        read_table(entry.read_bytes(), entry.name)
        for entry in files("schemas.benchmarks").iterdir()
        if entry.name.endswith(".toml")
    ]
    return tuple(sorted(sorted(found, key=lambda table: table.id), key=lambda table: table.as_of, reverse=True))


def _is_percentage(figure: Decimal) -> bool:
    return figure.is_finite() and 0 <= figure <= 100


def _only_source(file: _File, name: str) -> tuple[BenchmarkSource, str]:
    named = sorted({one.id for one in file.source} | {row.source for row in file.row})
    if len(file.source) != 1 or named != [file.source[0].id]:
        raise BenchmarkTableError(
            f"{name}: its rows must come from one source that it describes, and it names "
            f"{', '.join(named) or 'none'}; make a table of each source"
        )
    (source,) = file.source
    if source.as_of is None:
        raise BenchmarkTableError(
            f"{name}, source {source.id}: no date; give as_of as the source states it, such as 2026-09"
        )
    return source, source.as_of
