"""Panels on expert tasks graded by rubrics, for the dashboard Rubrics and reviews.

Score and usability stand side by side and are never made into one; nothing is sorted by either.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dashboards.panels import Bar, Bars, Link, Panel, Table, TableColumn, VariableName

_BINDING: Final[Mapping[str, VariableName]] = {
    "catalogue": "catalogue",
    "endpoint": "endpoint",
    "language": "text_language",
    "standing": "standing",
}
_TO_ENDPOINT: Final = Link(column="endpoint", target="endpoint", variable="endpoint")
_TO_ANSWER: Final = Link(column="task", target="attempt", value="attempt")
_LINKS: Final = (_TO_ENDPOINT, _TO_ANSWER)

_BOTH: Final = "Rubric score and usability, never combined"
_CRITERIA: Final = "Verdicts on criteria, all judges together"
_NEWEST_RUN: Final = "the newest run of each catalogue, endpoint and language"
_EVERY_RUN: Final = "every run"
_NOTHING: Final = (
    "No expert task counts here: none was asked yet (messwerk rubric run), or no second expert had read those that "
    "were; Second reading above lets them in."
)
_LET_IN: Final = "What no second expert had read counts here only if Second reading above lets it in."

_WHO: Final = (
    TableColumn(title="Endpoint", column="endpoint", badge="simulated"),
    TableColumn(title="Catalogue", column="catalogue"),
    TableColumn(title="Language", column="language"),
)
_SCORE: Final = (
    TableColumn(title="Rubric score", column="score"),
    TableColumn(title="passed", column="passed"),
    TableColumn(title="of criteria", column="criteria"),
    TableColumn(title="ungraded", column="ungraded"),
    TableColumn(title="disputed", column="disputed"),
)
_USABILITY: Final = (
    TableColumn(title="Usability rate", column="usability_rate"),
    TableColumn(title="from", column="usability_low"),
    TableColumn(title="to", column="usability_high"),
    TableColumn(title="usable", column="usable"),
    TableColumn(title="of tasks", column="tasks"),
    TableColumn(title="undecided", column="undecided"),
)
_RUN: Final = (
    TableColumn(title="Asked", column="oldest"),
    TableColumn(title="Repetition", column="repetition"),
    TableColumn(title="Run", column="run"),
)

SIDE_BY_SIDE: Final = Panel(
    id="side-by-side",
    title="How much was right, and how often what decides was right",
    description="The newest run. A score is missing where a criterion is ungraded. The interval is that of the rate. "
    "n counts the tasks that were asked.",
    definition=_BOTH,
    query="rubric-numbers",
    parameters=_BINDING,
    constants={"shown": "newest"},
    n="tasks",
    window=_NEWEST_RUN,
    when_empty=_NOTHING,
    visualisation=Bars(
        by=("endpoint", "catalogue", "language", "repetition"),
        bars=(
            Bar(title="Rubric score", value="score", colour="primary"),
            Bar(
                title="Usability rate",
                value="usability_rate",
                low="usability_low",
                high="usability_high",
                colour="ok",
            ),
        ),
    ),
)

NUMBERS: Final = Panel(
    id="numbers",
    title="Both numbers, run by run",
    description="The newest run first, of each catalogue, language and endpoint. Tasks that no second expert had "
    "read stay out and are named.",
    definition=_BOTH,
    query="rubric-numbers",
    parameters=_BINDING,
    window=_EVERY_RUN,
    when_empty=_NOTHING,
    links=(_TO_ENDPOINT,),
    visualisation=Table(
        columns=(
            *_WHO,
            _RUN[0],
            *_SCORE,
            *_USABILITY,
            TableColumn(title="Left out", column="left_out"),
            TableColumn(title="which", column="left_out_names"),
            TableColumn(title="Judges", column="judges"),
            TableColumn(title="Agree", column="alike_share"),
            TableColumn(title="over", column="compared"),
            TableColumn(title="Alpha", column="alpha"),
            TableColumn(title="Models", column="models"),
            TableColumn(title="Version", column="catalogue_version"),
            *_RUN[1:],
        )
    ),
)

TIPPED: Final = Panel(
    id="tipped",
    title="Where it tipped",
    description="Failed criteria, critical ones first in each task.",
    definition=_CRITERIA,
    query="rubric-tipped",
    parameters=_BINDING,
    window=_NEWEST_RUN,
    when_empty=f"No criterion failed, or none was judged yet (messwerk rubric judge). {_LET_IN}",
    links=_LINKS,
    visualisation=Table(
        columns=(
            *_WHO,
            TableColumn(title="Task", column="task"),
            TableColumn(title="Critical", column="critical"),
            TableColumn(title="Statement that is not met", column="statement"),
            TableColumn(title="Why", column="reasons"),
            *_RUN[:2],
        )
    ),
)

TASKS: Final = Panel(
    id="tasks",
    title="Tasks",
    description="Each with both numbers; its name leads to the full answer.",
    definition=_BOTH,
    query="rubric-tasks",
    parameters=_BINDING,
    window=_NEWEST_RUN,
    when_empty=_NOTHING,
    links=_LINKS,
    visualisation=Table(
        columns=(
            *_WHO,
            TableColumn(title="Task", column="task"),
            TableColumn(title="About", column="title"),
            TableColumn(title="Field", column="field"),
            TableColumn(title="Usable", column="usable"),
            *_SCORE,
            TableColumn(title="Failed", column="tipped"),
            TableColumn(title="Critical and open", column="open_critical"),
            TableColumn(title="Answer", column="status"),
            TableColumn(title="Failure", column="failure"),
            TableColumn(title="Other provider", column="other_provider"),
            TableColumn(title="Tries", column="tries"),
            TableColumn(title="Second reading", column="standing"),
            TableColumn(title="by", column="reader"),
            *_RUN[:2],
        )
    ),
)


def _verdicts(panel_id: str, title: str, description: str, shown: str, when_empty: str) -> Panel:
    return Panel(
        id=panel_id,
        title=title,
        description=description,
        definition=_CRITERIA,
        query="rubric-verdicts",
        parameters=_BINDING,
        constants={"shown": shown},
        window=_NEWEST_RUN,
        when_empty=when_empty,
        links=_LINKS,
        visualisation=Table(
            columns=(
                *_WHO,
                TableColumn(title="Task", column="task"),
                TableColumn(title="Statement", column="statement"),
                TableColumn(title="Critical", column="critical"),
                TableColumn(title="Together", column="together"),
                TableColumn(title="Judge", column="judge"),
                TableColumn(title="Version", column="judge_version"),
                TableColumn(title="Verdict", column="verdict"),
                TableColumn(title="None because", column="category"),
                TableColumn(title="Reason", column="reason"),
                *_RUN[:2],
            )
        ),
    )


JUDGES: Final = Panel(
    id="judges",
    title="Each judge alone",
    description="A judging model that judged its own answers is marked so.",
    definition="Rubric score and usability by one judge",
    query="rubric-judges",
    parameters=_BINDING,
    window=_EVERY_RUN,
    when_empty=f"Nobody has judged yet (messwerk rubric judge). {_LET_IN}",
    links=(_TO_ENDPOINT,),
    visualisation=Table(
        columns=(
            *_WHO,
            TableColumn(title="Judge", column="judge"),
            TableColumn(title="Kind", column="judge_kind"),
            TableColumn(title="Version", column="judge_version"),
            TableColumn(title="Model", column="judge_models"),
            TableColumn(title="Own answers", column="own_answers"),
            *_SCORE,
            *_USABILITY,
            *_RUN,
        )
    ),
)

PANELS: Final = (
    SIDE_BY_SIDE,
    NUMBERS,
    TIPPED,
    TASKS,
    _verdicts(
        "disputed",
        "Where judges differ",
        "A criterion on which judges differ is ungraded until they agree.",
        "disputed",
        f"No two judges differ. {_LET_IN}",
    ),
    JUDGES,
    _verdicts("verdicts", "Every verdict", "Each criterion, each judge, with the reason.", "all", _NOTHING),
)
