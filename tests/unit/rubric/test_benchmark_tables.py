"""Tables of public benchmarks: one dated source each, and the best of a row worked out."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest

from schemas.benchmarks import BenchmarkRow, BenchmarkTableError, Words, benchmark_tables, read_table

TABLE = """
format = 1
id = "small"
title = { de = "Klein", en = "Small" }
models = ["A", "B"]

[[source]]
id = "card"
title = { de = "Karte", en = "Card" }
measured_by = "vendor"
as_of = "2026-09"

[[row]]
benchmark = "One"
description = { de = "Eins", en = "One" }
source = "card"
figures = { A = "12.5", B = "7.0" }
"""

SECOND_SOURCE = """
[[source]]
id = "paper"
title = { de = "Aufsatz", en = "Paper" }
measured_by = "independent"
as_of = "2026-08"
"""

SECOND_ROW = """
[[row]]
benchmark = "Two"
description = { de = "Zwei", en = "Two" }
source = "paper"
figures = { A = "50" }
"""


def refusal(text: str) -> str:
    with pytest.raises(BenchmarkTableError) as caught:
        read_table(text.encode(), "small.toml")
    return str(caught.value)


def row(**figures: str) -> BenchmarkRow:
    by_model = {model: Decimal(figure) for model, figure in figures.items()}
    return BenchmarkRow(benchmark="One", description=Words(de="Eins", en="One"), source="card", figures=by_model)


def test_a_sound_table_is_read() -> None:
    """Figures arrive as exact decimals with the digits that were published."""
    table = read_table(TABLE.encode(), "small.toml")
    assert (table.as_of, table.source.id, table.models) == ("2026-09", "card", ("A", "B"))
    assert str(table.rows[0].figure("B")) == "7.0"
    assert table.rows[0].figure("C") is None


@pytest.mark.parametrize("addition", [SECOND_ROW, SECOND_SOURCE, SECOND_SOURCE + SECOND_ROW])
def test_a_second_source_is_refused(addition: str) -> None:
    """Rows of two sources are no table, whether the second one is described, used or both."""
    message = refusal(TABLE + addition)
    assert "small.toml" in message
    assert "card, paper; make a table of each source" in message


def test_a_table_needs_a_source() -> None:
    """A table whose source is not described is refused."""
    start, end = TABLE.index("[[source]]"), TABLE.index("[[row]]")
    assert "source" in refusal(TABLE[:start] + TABLE[end:])
    assert "names card;" in refusal("source = []\n" + TABLE[:start] + TABLE[end:])


def test_a_source_needs_its_date() -> None:
    """A source without a date is refused, with what to give."""
    assert "card: no date; give as_of" in refusal(TABLE.replace('as_of = "2026-09"\n', ""))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('as_of = "2026-09"', 'as_of = "2026-13"', "as_of"),
        ('as_of = "2026-09"', 'as_of = "recently"', "as_of"),
        ('"12.5"', '"120"', "figures"),
        ('"12.5"', '"-1"', "figures"),
        ('"12.5"', '"NaN"', "figures"),
        ('"12.5"', '"12.5 %"', "figures"),
        ('B = "7.0"', 'C = "7.0"', "C, which is no column"),
        ('["A", "B"]', '["A", "A"]', "twice"),
        ('source = "card"\n', 'source = "card"\nbest = "A"\n', "best"),
        ("format = 1", "format = 2", "format"),
        ("format = 1", "format = ", "small.toml"),
    ],
)
def test_what_cannot_be_shown_is_refused(old: str, new: str, words: str) -> None:
    """A mistake is refused in words that name it; a best value that is written down is one."""
    assert TABLE.count(old) == 1
    assert words in refusal(TABLE.replace(old, new))


def test_a_benchmark_stands_once() -> None:
    """The same benchmark in two rows is refused."""
    again = TABLE[TABLE.index("[[row]]") :]
    assert "row 'One': it is there twice" in refusal(TABLE + again)


def test_best_is_worked_out() -> None:
    """The best are those with the highest figure: all of them where they are level, nobody in an empty row."""
    assert row(A="9.9", B="10").best == ("B",)
    assert row(A="10.0", B="10").best == ("A", "B")
    assert row().best == ()


def test_the_table_that_ships() -> None:
    """It has the vendor's figures of September 2026: seven benchmarks of four models, none missing."""
    (table,) = benchmark_tables()
    assert (table.as_of, table.source.measured_by) == ("2026-09", "vendor")
    assert {one.benchmark: [str(one.figure(model)) for model in table.models] for one in table.rows} == {
        "Terminal-bench 2.1": ["89.4", "89.1", "88.8", "80.4"],
        "LABBench2": ["86.2", "84.2", "82.1", "80.1"],
        "Vals Finance Agent v2": ["61.4", "58.6", "53.8", "53.9"],
        "HLE-Verified": ["54.9", "54.4", "54.5", "31.0"],
        "Terminal-bench 4.0": ["19.1", "51.8", "37.3", "12.4"],
        "GDP.PDF": ["35.0", "37.0", "40.0", "28.0"],
        "Harvey Legal Agent Benchmark": ["10.0", "6.7", "2.5", "5.0"],
    }
    assert [one.best for one in table.rows] == [
        ("Gemini 3.8 Flash",),
        ("Gemini 3.8 Flash",),
        ("Gemini 3.8 Flash",),
        ("Gemini 3.8 Flash",),
        ("Claude Opus 5",),
        ("GPT-5.6 Sol",),
        ("Gemini 3.8 Flash",),
    ]


def test_a_table_goes_out_as_json() -> None:
    """A table encodes as it is, with figures as text, so that no reader rounds them."""
    (table,) = benchmark_tables()
    assert b'"Claude Opus 5":"89.1"' in msgspec.json.encode(table)
