"""Puts a prompt together: a fresh line, the task, the material, the task once more, cut to size.

Everything is drawn from the stream that is passed in. Sizes are o200k_base tokens. Pieces are counted once
when they are made and the whole is counted once or twice at the end, so the work grows with the prompt's length
and not with its square.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from daemon.tokens import count_tokens
from daemon.workloads.freshness import fresh_line
from daemon.workloads.seeding import Deck, Draws
from daemon.workloads.text.cutting import cut_to
from daemon.workloads.text.library import Article, articles
from daemon.workloads.text.matter.contract import Matter, MatterKind
from daemon.workloads.text.matter.kinds import MAKERS
from daemon.workloads.text.tasks import PROSE, Task, assign, draw_task

TOLERANCE: Final = 0.01
"""The size aimed at, as a share of the nominal size; what is promised is twice that."""

_LONGEST_PIECE: Final = 16_000
_SHORTEST_PIECE: Final = 2_000
_SHORTEST_CUT: Final = 120
"""Tokens of the shortest beginning of a document that is worth enclosing."""

_MOST_CHARACTERS_PER_TOKEN: Final = 6
"""More than any kind of matter has, so that subjects alone fill a small prompt and are cut to size."""


class Assembled(msgspec.Struct, frozen=True):
    """A finished text, its size in tokens and the name of its task."""

    text: str
    tokens: int
    task: str


class _Layout(msgspec.Struct, frozen=True):
    """How materials are set apart; ``{n}`` is their number, ``{t}`` their title."""

    before: str
    after: str


_LAYOUTS: Final = (
    _Layout("## {t}\n\n", "\n\n"),
    _Layout("=== {n}: {t} ===\n\n", "\n\n"),
    _Layout('<document number="{n}" title="{t}">\n', "\n</document>\n\n"),
    _Layout("Material {n}: {t}\n---\n", "\n---\n\n"),
    _Layout("[{n}] {t}\n\n", "\n\n"),
)


def assemble(draws: Draws, *, input_tokens: int, output_tokens: int) -> Assembled:
    """Make a prompt of about ``input_tokens`` whose task wants at least ``output_tokens`` of answer."""
    task = draw_task(draws)
    source = _Source(draws.branch("material"))
    subjects = _subjects(draws.branch("subjects"), source, task, input_tokens)
    assignment = assign(draws.branch("wording"), task, tuple(each.title for each in subjects), output_tokens)
    head = f"{fresh_line(draws.branch('fresh'))}\n\n{assignment.opening}\n\n"
    return fit(
        draws.branch("layout"),
        head=head,
        tail=assignment.reminder,
        subjects=subjects,
        more=source.next,
        input_tokens=input_tokens,
        task=task.name,
    )


def enclose(draws: Draws, *, head: str, tail: str, input_tokens: int, task: str) -> Assembled:
    """Put any prose between a head and a tail so that all of it has about ``input_tokens``."""
    source = _Source(draws.branch("material"))
    subject = source.of(draws.pick(PROSE), input_tokens * _MOST_CHARACTERS_PER_TOKEN)
    return fit(
        draws.branch("layout"),
        head=head,
        tail=tail,
        subjects=[subject],
        more=source.next,
        input_tokens=input_tokens,
        task=task,
    )


def fit(
    draws: Draws,
    *,
    head: str,
    tail: str,
    subjects: Sequence[Matter],
    more: Callable[[], Matter],
    input_tokens: int,
    task: str,
) -> Assembled:
    """Add material to the subjects until the prompt is large enough, and cut one of them to size.

    What is cut is the material that came last; with nothing but subjects, all of them are cut alike.
    """
    layout = draws.pick(_LAYOUTS)
    pieces = list(subjects)
    room = input_tokens - count_tokens(head) - count_tokens(tail)
    sizes = [_size(layout, piece) for piece in pieces]
    if sum(sizes) > room:
        share = room // len(pieces)
        pieces[:-1] = [cut_to(piece, share - _frame(layout, piece), count_tokens) for piece in pieces[:-1]]
        sizes = [_size(layout, piece) for piece in pieces]
    while (gap := room - sum(sizes)) > TOLERANCE * input_tokens:
        if gap < _SHORTEST_CUT:  # a scrap of a few words is no material: make room for a little more
            pieces[0] = cut_to(pieces[0], sizes[0] - _frame(layout, pieces[0]) - _SHORTEST_CUT, count_tokens)
            sizes[0] = _size(layout, pieces[0])
        pieces.append(more())
        sizes.append(_size(layout, pieces[-1]))
    elastic = len(pieces) - 1
    order = draws.shuffled(range(len(pieces)))
    wanted = room - sum(sizes[:-1]) - _frame(layout, pieces[elastic])
    best = Assembled("", 0, task)
    for _ in range(6):
        last = cut_to(pieces[elastic], wanted, count_tokens)
        body = "".join(
            _written(layout, number, last if place == elastic else pieces[place])
            for number, place in enumerate(order, start=1)
        )
        text = f"{head}{body}{tail}"
        tokens = count_tokens(text)
        if abs(tokens - input_tokens) < abs(best.tokens - input_tokens):
            best = Assembled(text, tokens, task)
        if abs(best.tokens - input_tokens) <= TOLERANCE * input_tokens:
            break
        wanted += input_tokens - tokens
    return best


class _Source:
    """Deals out articles and generated matter; never the same article twice."""

    def __init__(self, draws: Draws) -> None:
        self._draws = draws
        self._articles: list[Article] = draws.shuffled(articles())
        self._kinds: Deck[MatterKind] = Deck(draws, tuple(MAKERS))
        self._made = 0

    def of(self, kind: MatterKind, characters: int) -> Matter:
        """Take an article, or make a document of another kind."""
        if kind == "article" and self._articles:
            article = self._articles.pop()
            return Matter("article", article.title, article.paragraphs)
        self._made += 1
        wanted = self._kinds.deal() if kind == "article" else kind
        return MAKERS[wanted](self._draws.branch(wanted, str(self._made)), characters)

    def next(self) -> Matter:
        """Take any further material: an article in six of ten cases, while there are any."""
        kind: MatterKind = "article" if self._draws.chance(0.6) else self._kinds.deal()
        return self.of(kind, self._draws.between(_SHORTEST_PIECE, _LONGEST_PIECE))


def _subjects(draws: Draws, source: _Source, task: Task, input_tokens: int) -> list[Matter]:
    """Draw what the task is about: all the material of a small prompt, a part of it in a larger one."""
    longest = min(_LONGEST_PIECE, input_tokens * _MOST_CHARACTERS_PER_TOKEN // len(task.subjects))
    return [source.of(draws.pick(kinds), longest) for kinds in task.subjects]


def _written(layout: _Layout, number: int, matter: Matter) -> str:
    """Write a material with its frame."""
    before = layout.before.replace("{n}", str(number)).replace("{t}", matter.title)
    return f"{before}{matter.joint.join(matter.blocks)}{layout.after}"


def _frame(layout: _Layout, matter: Matter) -> int:
    """Count the frame of a material."""
    return count_tokens(layout.before + matter.title + layout.after)


def _size(layout: _Layout, matter: Matter) -> int:
    """Count a material with its frame."""
    return count_tokens(_written(layout, 10, matter))
