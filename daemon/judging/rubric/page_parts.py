"""Pieces of the report's page: escaped text, lists, tables. Nothing here knows what a report says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from daemon.judging.rubric.wording import Told, visible


def text(content: str) -> str:
    """Escape what anybody said, so that it is shown and never read as HTML."""
    return escape(visible(content))


def marked(kind: str, content: str) -> str:
    """Put a text into a span of a class."""
    return f'<span class="{kind}">{text(content)}</span>'


def figure(told: Told) -> str:
    """Show a figure, large, and what stands beside it."""
    return f"{marked('figure', told.figure)} {marked('beside', told.beside)}"


def truth_class(value: bool | None) -> str:  # noqa: FBT001  # a truth is what this is about
    """Name the class that colours a truth."""
    return {True: "passed", False: "failed", None: "open"}[value]


def items(told: Iterable[str]) -> Iterator[str]:
    """Write a list of texts; nothing where there are none."""
    every = list(told)
    if every:
        yield "<ul>"
        yield from (f"<li>{text(each)}</li>" for each in every)
        yield "</ul>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Write a table; cells come with their opening tag, and escaped."""
    columns = "".join(f'<th scope="col">{text(each)}</th>' for each in head)
    yield '<div class="scroll"><table>'
    yield f"<thead><tr>{columns}</tr></thead>"
    yield "<tbody>"
    for row in rows:
        yield f"<tr>{''.join(f'{cell}</td>' for cell in row)}</tr>"
    yield "</tbody></table></div>"
