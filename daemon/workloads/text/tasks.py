"""The kinds of task that prompts set, and how each is worded so that an answer fills its budget.

A task says which matter it is about (its subjects), and wants a stated length with a stated structure. Families
group kinds by the sort of output, since speculative decoding is faster on some sorts than on others. Sizes in
the wording come from the workload's minimum output; how material is found and cut is the assembly's business.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from daemon.workloads.seeding import Draws
from daemon.workloads.text.matter.contract import MatterKind
from daemon.workloads.text.wordings import WORDINGS

Family = Literal["prose", "questions", "translation", "markup", "diagram", "structured", "code", "dialogue"]

PROSE: Final[tuple[MatterKind, ...]] = ("article", "minutes", "letters", "interview", "diary")
DATA: Final[tuple[MatterKind, ...]] = ("table", "log", "series", "timetable", "catalogue", "minutes")
ANYTHING: Final[tuple[MatterKind, ...]] = (
    "article", "article", "article", "minutes", "letters", "interview", "diary", "clauses", "catalogue", "table",
     "log",
    "series", "timetable", "code",
)  # fmt: skip
"""Articles thrice: they are the matter that models most often meet."""

STORY: Final[tuple[MatterKind, ...]] = ("article", "interview", "diary", "letters", "minutes", "log")
TERMS: Final[tuple[MatterKind, ...]] = ("article", "article", "clauses", "code", "catalogue", "series")


class Task(msgspec.Struct, frozen=True):
    """One kind of task.

    subjects: for each material that the task names, the kinds it can be drawn from.
    tokens_per_word: o200k_base tokens that a word of the answer costs, to turn a token budget into words.
    """

    name: str
    family: Family
    subjects: tuple[tuple[MatterKind, ...], ...]
    tokens_per_word: float = 1.35


TASKS: Final = (
    Task("explain", "prose", (ANYTHING,)),
    Task("summarise", "prose", ((*PROSE, "clauses"),)),
    Task("answer-questions", "questions", (PROSE,)),
    Task("test-questions", "questions", (ANYTHING,)),
    Task("compare", "prose", (PROSE, PROSE)),
    Task("translate", "translation", (PROSE,), 1.9),
    Task("svg", "markup", (ANYTHING,)),
    Task("html", "markup", (ANYTHING,)),
    Task("diagram", "diagram", ((*STORY, "code", "clauses"),)),
    Task("extract-table", "structured", (DATA,)),
    Task("extract-json", "structured", ((*DATA, "letters"),)),
    Task("critique", "prose", ((*PROSE, "clauses", "code"),)),
    Task("timeline", "structured", (STORY,)),
    Task("port-code", "code", (("code",),)),
    Task("write-program", "code", (("table", "log", "series", "timetable"),)),
    Task("letter", "prose", ((*PROSE, "clauses"),)),
    Task("glossary", "structured", (TERMS,)),
    Task("dialogue", "dialogue", (PROSE,)),
    Task("talk", "prose", (ANYTHING,)),
)
"""All kinds, drawn with equal chance, so that the mix over runs is even."""


TOKENS_PER_LINE: Final = 10
"""o200k_base tokens of a line of code or markup, to turn a token budget into lines."""


class Assignment(msgspec.Struct, frozen=True):
    """A task worded for one prompt.

    opening: what stands above the material; reminder: what repeats the task below it.
    """

    task: Task
    opening: str
    reminder: str


def draw_task(draws: Draws) -> Task:
    """Draw a kind of task; cheap, so that the mix over many seeds can be checked without making prompts."""
    return draws.branch("task").pick(TASKS)


def assign(draws: Draws, task: Task, titles: tuple[str, ...], output_tokens: int) -> Assignment:
    """Word a task about the materials of these titles for an answer of at least ``output_tokens``.

    The length asked for lies 15 % above the minimum, because models tend to stop short of what they are asked.
    """
    words = round(output_tokens * 1.15 / task.tokens_per_word / 50) * 50
    slots = {
        "words": str(words),
        "least": str(round(output_tokens * 1.02 / task.tokens_per_word / 10) * 10),
        "half": str(words // 2),
        "few": str(max(4, words // 160)),
        "items": str(max(8, words // 70)),
        "many": str(max(12, words // 36)),
        "lines": str(round(output_tokens * 1.15 / TOKENS_PER_LINE / 5) * 5),
        "first": f"“{titles[0]}”",
        "second": f"“{titles[-1]}”",
        "reader": draws.pick(WORDINGS.readers),
        "form": draws.pick(WORDINGS.forms[task.name]) if task.name in WORDINGS.forms else "",
        "language": draws.pick(WORDINGS.languages),
    }
    wording = WORDINGS.wordings[task.name]
    opening = draws.pick(wording.openings).format_map(slots)
    length = draws.pick(wording.lengths or WORDINGS.lengths).format_map(slots)
    return Assignment(task, f"{opening} {length}", draws.pick(wording.reminders).format_map(slots))
