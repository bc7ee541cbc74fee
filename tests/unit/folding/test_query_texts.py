"""The texts of named queries: typed parameters alone, FINAL everywhere, provenance, nothing a chart cannot take."""

from __future__ import annotations

import re

import pytest

from daemon.workloads.registry import workloads
from projections.errors import QueryError
from projections.migrations import TABLES
from projections.queries.contract import NamedQuery
from projections.queries.fragments import USUAL_WINDOW_S, WINDOWS_S
from projections.queries.registry import QUERIES, run_query

EVERY = pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
FIGURES = {"overview-tiles", "endpoint-figures", "leaderboard", "phases", "speed-by-input", "hour-of-day"}


@EVERY
def test_parameters_are_declared_and_typed(query: NamedQuery) -> None:
    """Every parameter in the text is declared with the type that the text gives it, and every declared one occurs."""
    used = set(re.findall(r"\{(\w+):([^{}]+)\}", query.sql))
    assert used == {(parameter.name, parameter.type) for parameter in query.parameters}


@EVERY
def test_tables_are_read_with_final(query: NamedQuery) -> None:
    """No query reads rows that a later fold has replaced."""
    names = "|".join(table.name for table in TABLES)
    for reading in re.finditer(rf"\b(?:FROM|JOIN)\s+({names})\b(\s+FINAL\b)?", query.sql):
        assert reading.group(2), f"{query.name}: {reading.group(0)} without FINAL"


@EVERY
def test_only_reading_and_only_exact(query: NamedQuery) -> None:
    """A query is one SELECT without approximations, and never fills the unknown with a figure."""
    assert query.sql.strip().startswith("SELECT")
    assert ";" not in query.sql
    assert not re.search(r"\b(quantile|quantiles|median|uniq|quantileT\w+|uniqCombined\w*)\(", query.sql)
    assert not re.search(r"ifNull\((ttft|ttfat|output_speed|end_to_end|cost)\w*", query.sql)


@EVERY
def test_series_can_be_drawn(query: NamedQuery) -> None:
    """A series has a time named time, then labels and texts, then numbers, and is sorted by time."""
    if query.shape != "series":
        return
    order = {"time": 0, "label": 1, "text": 1, "number": 2}
    kinds = [order[column.kind] for column in query.columns]
    assert query.columns[0].name == "time"
    assert kinds == sorted(kinds)
    assert kinds.count(0) == 1
    assert re.search(r"ORDER BY time\b", query.sql)


@EVERY
def test_every_column_says_what_it_is(query: NamedQuery) -> None:
    """Each column has a description, names are unique, and the query says what it means."""
    names = [column.name for column in query.columns]
    assert len(names) == len(set(names))
    assert all(column.description for column in query.columns)
    assert len(query.description) > 30


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_figures_carry_their_provenance(name: str) -> None:
    """Published figures come with n, both ends of the window, the definition and the newest attempt."""
    assert {"n", "window_start", "window_end", "definition", "newest"} <= {
        column.name for column in QUERIES[name].columns
    }


def test_windows_are_those_of_the_workloads() -> None:
    """The window of each workload is the one that the workload itself declares."""
    for workload in workloads().values():
        assert WINDOWS_S.get(workload.name, USUAL_WINDOW_S) == workload.window_s, workload.name


@pytest.mark.parametrize(
    ("name", "parameters", "says"),
    [
        ("no-such", {}, "there are: "),
        ("leaderboard", {}, "needs 'end'"),
        ("leaderboard", {"end": "2026-11-30T00:00:00Z", "colour": "red"}, "has no parameter 'colour'"),
        ("leaderboard", {"end": "2026-11-30T00:00:00"}, "needs its offset"),
        ("leaderboard", {"end": "soon"}, "'soon' is no DateTime64"),
        ("attempt", {"attempt": "x' OR 1=1 --"}, "is no UUID"),
        ("last-attempts", {"end": "2026-11-30T00:00:00Z", "limit": "-1"}, "positive"),
    ],
)
async def test_wrong_questions_are_answered_before_they_are_asked(
    name: str, parameters: dict[str, str], says: str
) -> None:
    """Unknown queries, unknown, missing and unfit parameters are named, and the store is not asked."""
    with pytest.raises(QueryError, match=says):
        await run_query(None, name, **parameters)  # type: ignore[arg-type]
