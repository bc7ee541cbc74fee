"""The articles: prose written for this project, kept as Markdown beside this module and read as package data."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec


class Article(msgspec.Struct, frozen=True):
    """One article: ``slug`` is its file's name, ``paragraphs`` its body without the title line."""

    slug: str
    title: str
    paragraphs: tuple[str, ...]

    @property
    def words(self) -> int:
        """Words of title and body."""
        return len(self.title.split()) + sum(len(paragraph.split()) for paragraph in self.paragraphs)


def parse(slug: str, markdown: str) -> Article:
    """Split an article's Markdown, whose first line must be ``# Title``, into title and paragraphs.

    Raises ValueError when the first line is no title or when no paragraph follows.
    """
    first, _, rest = markdown.replace("\r\n", "\n").partition("\n")
    if not first.startswith("# "):
        raise ValueError(f"article {slug}: the first line must be '# Title', found {first[:60]!r}")
    paragraphs = tuple(part.strip() for part in rest.split("\n\n") if part.strip())
    if not paragraphs:
        raise ValueError(f"article {slug}: no text below the title")
    return Article(slug, first[2:].strip(), paragraphs)


@cache
def articles() -> tuple[Article, ...]:
    """Return all articles in the order of their file names.

    Their number and text are part of the generator: adding, removing or editing one changes prompts and so
    needs a new ``GENERATOR_VERSION``.
    """
    folder = files("daemon.workloads.text") / "articles"
    found = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".md")), key=lambda entry: entry.name)
    return tuple(parse(entry.name.removesuffix(".md"), entry.read_text(encoding="utf-8")) for entry in found)
