"""No number is made of rubric score and usability: not in a report, not in a table of it, not in events or queries.

A number belongs to the score if other criteria that are not critical move it, and to usability if other critical
marks on the same verdicts move it. Whatever was made of both would be moved by either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from html.parser import HTMLParser
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_rubric_log import ANNA, BRUNO, RubricLog, now, task

from daemon.judging.rubric.markdown import markdown
from daemon.judging.rubric.page import page
from projections.queries.registry import QUERIES
from projections.registry import PROJECTIONS
from schemas.events.rubric import RubricAsked
from schemas.rubric.report import RubricReport

SCORE: Final = "score"
USABILITY: Final = "usability"
AGREEMENT: Final = "agreement"
NEITHER: Final = "neither"

FAMILIES: Final[Mapping[str, str]] = {
    "RubricScore.criteria": SCORE,
    "RubricScore.passed": SCORE,
    "RubricScore.failed": SCORE,
    "RubricScore.ungraded": SCORE,
    "RubricScore.disputed": SCORE,
    "RubricScore.score": SCORE,
    "UsabilityRate.tasks": USABILITY,
    "UsabilityRate.usable": USABILITY,
    "UsabilityRate.not_usable": USABILITY,
    "UsabilityRate.undecided": USABILITY,
    "UsabilityRate.rate": USABILITY,
    "UsabilityRate.rate_low": USABILITY,
    "UsabilityRate.rate_high": USABILITY,
    "Agreement.judges": AGREEMENT,
    "Agreement.compared": AGREEMENT,
    "Agreement.alike": AGREEMENT,
    "Agreement.alike_share": AGREEMENT,
    "Agreement.alpha": AGREEMENT,
    "TaskOutcome.tries": NEITHER,
    "Evaluation.repetition": NEITHER,
    "Evaluation.stray_judgments": NEITHER,
    "Person.years_of_practice": NEITHER,
    "BenchmarkRow.figures": NEITHER,
    "RubricAsked.repetition": NEITHER,
}
"""Every number of the report and of the event, and what it is about. A new one has to be entered here."""

OF_SCORE: Final = re.compile(r"(^|[_ ])(score|criteria|criterion|passed|failed|ungraded|disputed)(?![a-z])")
OF_USABILITY: Final = re.compile(r"(^|[_ ])(usable|usability|undecided|rate|tasks)(?![a-z])")

NAMES: Final = ("one", "two", "three", "four", "five")
Marks = Mapping[str, bool]
Verdicts = Mapping[str, bool]


def numbers_of(kind: type[msgspec.Struct]) -> list[str]:
    """Every field that holds a number, of a type and of all types in it, by its JSON Schema."""
    types = msgspec.json.schema(kind)["$defs"]
    return sorted(
        f"{name}.{field}"
        for name, described in types.items()
        for field, shape in described.get("properties", {}).items()
        if any(part.get("type") in {"integer", "number"} or part.get("format") == "decimal" for part in _parts(shape))
    )


def _parts(shape: Any) -> Iterator[dict[str, Any]]:
    """Yield a field's schema and every schema within it, but those of named types."""
    if isinstance(shape, dict):
        yield shape
        for part in shape.values():
            yield from _parts(part)
    elif isinstance(shape, list):
        for part in shape:
            yield from _parts(part)


def report(marks: list[Marks], verdicts: list[Verdicts]) -> RubricReport:
    """Report on tasks with these marks, judged alike by two persons but for the first task's last criterion."""
    abouts = [task(f"task-{place}", each) for place, each in enumerate(marks)]
    log = RubricLog()
    for about, given_ in zip(abouts, verdicts, strict=True):
        attempt = log.ask(about)
        log.judge(attempt, about, given_, ANNA)
        log.judge(attempt, about, given_, BRUNO)
    return log.report(now(*abouts))


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, float | None]]:
    """Every number in plain JSON data with its path; unknown ones count, truths do not."""
    match value:
        case dict():
            for key, each in value.items():
                yield from leaves(each, f"{path}.{key}")
        case list():
            for place, each in enumerate(value):
                yield from leaves(each, f"{path}[{place}]")
        case bool():
            return
        case int() | float() | None:
            yield path, value


def in_json(made: RubricReport) -> dict[str, Any]:
    return dict(leaves(msgspec.json.decode(msgspec.json.encode(made))))


def in_json_with_a_grade(made: RubricReport) -> dict[str, Any]:
    (evaluation,) = made.evaluations
    return in_json(made) | {"grade": (evaluation.score.passed + evaluation.usability.usable) / 2}


def in_markdown(made: RubricReport) -> dict[str, str]:
    """Every cell of the tables, and every line that tells a figure, by their places."""
    rows = [line for line in markdown(made).splitlines() if line.startswith("| ") or " %" in line]
    cells = [cell for row in rows for cell in re.split(r"\||;", row)]
    return {str(place): " ".join(re.findall(r"[\d.,]+", cell)) for place, cell in enumerate(cells)}


class _Figures(HTMLParser):
    """Collects figures, each with what stands beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._before, self._now = "", ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._before = self._now
        self._now = (dict(attrs).get("class") or "").partition(" ")[0] if tag == "span" else ""

    def handle_data(self, data: str) -> None:
        if self._now == "figure" or (self._now == "beside" and self._before == "figure"):
            self.found.append(" ".join(re.findall(r"[\d.,]+", data)))

    def handle_endtag(self, tag: str) -> None:
        if tag != "span":
            self._now = ""


def on_page(made: RubricReport) -> dict[str, str]:
    parser = _Figures()
    parser.feed(page(made))
    return {str(place): text for place, text in enumerate(parser.found)}


def moved(one: Mapping[str, Any], other: Mapping[str, Any]) -> set[str]:
    assert one.keys() == other.keys()
    return {path for path, value in one.items() if other[path] != value}


CRITICAL = dict.fromkeys(NAMES, False) | {"one": True, "two": True}
RIGHT = dict.fromkeys(NAMES, True)


def moved_by_both(shown: Callable[[RubricReport], Mapping[str, Any]]) -> set[str]:
    """Find the numbers that other criteria move, and other marks, too."""
    before = report([CRITICAL] * 3, [RIGHT | {"five": False}, RIGHT, RIGHT])
    score_moved = report([CRITICAL] * 3, [RIGHT | {"five": False, "four": False}, RIGHT, RIGHT])
    marks_moved = report(
        [CRITICAL | {"two": False, "five": True}, CRITICAL, CRITICAL], [RIGHT | {"five": False}, RIGHT, RIGHT]
    )
    with_score = moved(shown(before), shown(score_moved))
    with_usability = moved(shown(before), shown(marks_moved))
    assert with_score
    assert with_usability
    return with_score & with_usability


@pytest.mark.parametrize("shown", [in_json, in_markdown, on_page])
def test_no_number_that_is_shown_moves_with_both(shown: Callable[[RubricReport], Mapping[str, Any]]) -> None:
    """What moves with other criteria does not move with usability, and the reverse, in JSON, Markdown and page."""
    assert moved_by_both(shown) == set()


def test_a_grade_made_of_both_would_be_found() -> None:
    """The search above finds a number that was made of both."""
    assert moved_by_both(in_json_with_a_grade) == {"grade"}


@given(
    st.lists(
        st.tuples(*[st.booleans()] * len(NAMES), *[st.booleans()] * len(NAMES), *[st.booleans()] * len(NAMES)),
        min_size=1,
        max_size=4,
    )
)
def test_score_knows_no_marks_and_usability_no_other_criteria(rows: list[tuple[bool, ...]]) -> None:
    """Whatever the marks, the score's numbers stay; whatever the other criteria, usability's numbers stay."""
    n = len(NAMES)
    verdicts = [dict(zip(NAMES, row[:n], strict=True)) for row in rows]
    others = [dict(zip(NAMES, row[n : 2 * n], strict=True)) for row in rows]
    marks = [dict(zip(NAMES, row[2 * n :], strict=True)) for row in rows]
    before = in_json(report([CRITICAL] * len(rows), verdicts))
    remarked = in_json(report(marks, verdicts))
    mixed = [
        {name: (one if CRITICAL[name] else other)[name] for name in NAMES}
        for one, other in zip(verdicts, others, strict=True)
    ]
    rejudged = in_json(report([CRITICAL] * len(rows), mixed))
    assert all(".usability." in path for path in moved(before, remarked))
    assert all(".usability." not in path for path in moved(before, rejudged))


def test_every_number_of_the_schemas_belongs_to_one_of_both_or_to_neither() -> None:
    """The numbers of report and event are exactly those that are entered above, each with one family."""
    assert sorted({*numbers_of(RubricReport), *numbers_of(RubricAsked)}) == sorted(FAMILIES)


class Inner(msgspec.Struct):
    grade: float | None
    worth: Decimal
    name: str


class Outer(msgspec.Struct):
    parts: tuple[Inner, ...]
    ranks: dict[str, int]


def test_the_schema_is_searched_whole() -> None:
    """The search above finds a number however deep it lies, and whatever may stand in its place."""
    assert numbers_of(Outer) == ["Inner.grade", "Inner.worth", "Outer.ranks"]


def rubric_columns() -> list[tuple[str, str]]:
    queries = [
        (query.name, column.name)
        for query in QUERIES.values()
        for column in query.columns
        if "rubric" in query.name and column.kind == "number"
    ]
    tables = [
        (table.name, column.name)
        for projection in PROJECTIONS
        for table in projection.tables
        for column in table.columns
        if "rubric" in table.name and re.search(r"Int|Float|Decimal", column.column.type)
    ]
    return queries + tables


def test_no_column_of_tables_and_queries_is_of_both() -> None:
    """A number in a table or query of rubrics is named after the score, after usability, or after neither."""
    assert [each for each in rubric_columns() if of_both(each[1])] == []


def of_both(text: str) -> bool:
    return bool(OF_SCORE.search(text) and OF_USABILITY.search(text))


def mixed(sql: str) -> list[str]:
    """Find what reckons with both in one step, or sorts by both."""
    steps = re.findall(r"([a-z_]+)\)*\s*[-+*/]\s*(?=\(*([a-z_]+))", sql)
    orders = re.findall(r"ORDER BY ([^\n)]*)", sql)
    return [each for each in [*map(" ".join, steps), *orders] if of_both(each)]


@pytest.mark.parametrize(
    ("sql", "faults"),
    [
        ("SELECT passed / criteria AS score, usable / tasks AS rate ORDER BY endpoint, day", 0),
        ("SELECT (passed / criteria) * (usable / tasks) AS grade", 1),
        ("SELECT (usability_rate + rubric_score) / 2 AS grade", 1),
        ("SELECT endpoint ORDER BY usability_rate DESC, score DESC", 1),
    ],
)
def test_a_mix_in_sql_would_be_found(sql: str, faults: int) -> None:
    """The search below finds sums, products and orders of both, and leaves each alone."""
    assert len(mixed(sql)) == faults


def test_no_query_reckons_with_both_or_sorts_by_both() -> None:
    """The SQL of no query of rubrics has both in one sum, product or order."""
    assert {
        query.name: found for query in QUERIES.values() if "rubric" in query.name and (found := mixed(query.sql))
    } == {}
